import { codePointStart } from '../../core/prefix.ts'
import { endsOpen } from '../language/leading-words.ts'
import { endsWithAbbreviation, isAbbreviation, LONGEST_AFTER } from './abbreviations.ts'
import { isSectionNumber } from './line-forms.ts'
import { type LineKind, linesOf, standsAlone } from './lines.ts'

/** A slice of a text with its offsets in UTF-16 code units. */
export interface Sentence {
  text: string
  start: number
  end: number
  kind: LineKind
}

const ENDS_SENTENCE = /[.!?:;。！？…]["'”’)\]*_`]{0,8}\s{0,8}$/
/** The next line of a wrapped sentence: lower case, also behind the marks of a link, of emphasis or of code, or a bracket; or a role of reStructuredText or MyST (`:mod:`, `{any}`). */
const STARTS_LOWER = /^[ \t]*(?:[\p{Ll}(]|[[*_`]{1,4}\p{Ll}|[:{][\p{Ll}:+-]{1,40}[:}]`)/u

/** The first word of a sentence at the end of a line, where the next line goes on with a name: "They are checked. See". */
const BEGINS_AT_END = /\p{Ll}{2}[.!?]["')\]]{0,3}[^\S\n]+\p{Lu}\p{Ll}*\s*$/u

const STARTS_WITH_CODE = /^[ \t]*`/

/** The signs of a quotation, or of one in another one, before a line. */
const QUOTE_MARKS = /^(?:[ \t]{0,12}>)+/u

/** An end without white space behind it stands in a word, as in `a.b` or `x.png?size=2`; prose that lacks a space goes on in upper case. */
const ENDS_IN_WORD = /[!-~]$/
const GOES_ON = /^[\p{Ll}\d/\\=&#?!.,:;()[\]{}<@$%`+-]/u
/** A question or a call in quotation marks or brackets, or its sign alone, in a sentence that goes on in lower case: Type "who is there?" in the box; use ? and * in names. */
const QUOTED_END = /[!?]["'‘’“”)\]}]+\s*$|\s[!?]\s+$/u
const STARTS_WITH_LOWER = /^\p{Ll}/u
/**
 * Footnotes behind the end of a sentence, and marks of emphasis behind a question or a call: "It ended.[12] The next", "**Never!** The next". A term in bold
 * with a full stop stays with what it begins: "**Keel.** The spine of a ship."
 */
const BEHIND_END = /(?<=[.!?]["')]{0,3})(?:\[[\d, ]{1,8}\])+(?=\s)|(?<=[!?]["')]{0,3})[*_]+(?=\s)/g

/** Longest text given to the segmenter, in UTF-16 code units: its time is quadratic in the length. */
const WINDOW = 2_000
/** What is looked at before a cut, in UTF-16 code units. */
const LONGEST_BEFORE = 24
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/**
 * Splits a text into sentences; concatenated they are the text. A line break ends a sentence, unless the next line starts in
 * lower case or with code, a word such as "the", an abbreviation or the first word of a sentence ends the line, or all lines of the paragraph are about equally long (wrapped prose). A heading, with the line that underlines it, a paragraph in bold in one line, a list item, table row or fenced code block is one sentence. White space
 * belongs to the sentence before it. Longer sentences than 2,000 code units are cut.
 */
export function splitSentences(text: string): Sentence[] {
  return [...sentencesOf(text)]
}

/** The sentences of `splitSentences` one after the other, for callers that do not need all of them. */
export function* sentencesOf(text: string): Generator<Sentence> {
  // A cut waits for the next text, because white space joins the sentence before it.
  let from = 0
  let cut = 0
  let start = 0
  let kind: LineKind = 'text'
  for (const { end, kind: next } of sentenceEnds(text)) {
    const blank = text.slice(start, end).trim() === ''
    if (!blank && cut > from) {
      yield { text: text.slice(from, cut), start: from, end: cut, kind }
      from = cut
    }
    if (!blank) kind = next
    if (!blank || cut > from) cut = end
    start = end
  }
  if (cut === 0) cut = text.length
  if (cut > from) yield { text: text.slice(from, cut), start: from, end: cut, kind }
}

function* sentenceEnds(text: string): Generator<Pick<Block, 'end' | 'kind'>> {
  for (const block of blocks(text)) {
    if (!block.prose) yield block
    else for (const end of proseEnds(text, block.start, block.end)) yield { end, kind: block.kind }
  }
}

/** Whether a sign ends the text, as it ends a sentence. */
export function endsSentence(text: string): boolean {
  return ENDS_SENTENCE.test(text.trimEnd())
}

interface Block {
  start: number
  end: number
  prose: boolean
  kind: LineKind
}

function* blocks(text: string): Generator<Block> {
  let open: Block | null = null
  let previousLine = ''
  for (const { line, index, kind, isFilled } of linesOf(text)) {
    const end = index + line.length
    const isText = kind === 'text'
    if (open !== null && isText && continues(previousLine, line, isFilled)) {
      open.end = end
    } else {
      if (open !== null) yield open
      open = { start: index, end, prose: isText && !standsAlone(line) && line.trim() !== '', kind }
    }
    previousLine = isText ? line : ''
  }
  if (open !== null) yield open
}

/** Whether the line continues wrapped prose, a wrapped list item or a wrapped quotation. @param isFilled whether it is a line of a filled paragraph */
function continues(previousLine: string, line: string, isFilled: boolean): boolean {
  const marks = QUOTE_MARKS.exec(line)?.[0] ?? ''
  if (marks !== '' && QUOTE_MARKS.exec(previousLine)?.[0] === marks)
    return continues(previousLine.slice(marks.length), line.slice(marks.length), isFilled)
  if (previousLine.trim() === '' || /^\s{0,3}#/.test(previousLine) || standsAlone(line)) return false
  if (ENDS_SENTENCE.test(previousLine)) return goesOnBehindAbbreviation(previousLine, line, isFilled)
  // Two lines that begin with code are two entries of a list.
  const goesOnWithCode = STARTS_WITH_CODE.test(line) && !STARTS_WITH_CODE.test(previousLine)
  const begins = BEGINS_AT_END.test(previousLine)
  return isFilled || goesOnWithCode || begins || STARTS_LOWER.test(line) || endsOpen(previousLine)
}

/** As in a line: behind "e.g." a sentence goes on, and behind "etc." it does in lower case. */
function goesOnBehindAbbreviation(previousLine: string, line: string, isFilled: boolean): boolean {
  const end = previousLine.trimEnd().slice(-LONGEST_BEFORE)
  if (STARTS_LOWER.test(line)) return endsWithAbbreviation(end)
  return isFilled && isAbbreviation(end, line.trimStart().slice(0, LONGEST_AFTER))
}

/** Ends of the sentences in the prose between `start` and `end`, as offsets in `text`. */
function* proseEnds(text: string, start: number, end: number): Generator<number> {
  for (let from = start; from < end; ) {
    const to = Math.min(end, codePointStart(text, from + WINDOW))
    // The segmenter ends a sentence at every line break, but here line breaks only wrap.
    const prose = text
      .slice(from, to)
      .replace(/[\r\n]/g, ' ')
      // It takes closing brackets for a part of the sentence that they close.
      .replace(BEHIND_END, marks => ']'.repeat(marks.length))
    const found = [...segmenter.segment(prose)].map(({ segment, index }) => index + segment.length)
    // The last sentence may continue in the next window.
    if (to < end && found.length > 1) found.pop()
    for (const [at, cut] of found.entries()) {
      const isLast = at === found.length - 1
      const before = prose.slice(Math.max(0, cut - LONGEST_BEFORE), cut)
      // The number of a clause belongs to the clause.
      const isNumber = from === start && cut < LONGEST_BEFORE && isSectionNumber(before)
      if (isLast || !(isNumber || isBroken(before, prose.slice(cut, cut + LONGEST_AFTER)))) yield from + cut
    }
    from += found.at(-1) ?? prose.length
  }
}

/** Whether a cut stands within a path, an address, a link or an abbreviation, or behind a quotation in a sentence. */
function isBroken(before: string, after: string): boolean {
  if (QUOTED_END.test(before) && STARTS_WITH_LOWER.test(after)) return true
  return before.endsWith('.') || (ENDS_IN_WORD.test(before) && GOES_ON.test(after)) || isAbbreviation(before, after)
}
