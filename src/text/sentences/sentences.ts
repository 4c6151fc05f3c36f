import { codePointStart } from '../../core/prefix.ts'
import { closesFence, openingFence } from '../fence.ts'
import { isBoldLine } from './bold-line.ts'
import { isSectionNumber } from './section-number.ts'
import { isTitleRule, isUnderlined } from './underlined-title.ts'

/** A slice of a text with its offsets in UTF-16 code units. */
export interface Sentence {
  text: string
  start: number
  end: number
}

/** Headings, list items and table rows: each line is one sentence. */
const OWN_LINE = /^\s{0,12}(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\|)/
/** A line below these is a rule. "1. Setup" can be a title. */
const NO_TITLE = /^\s{0,12}(?:#{1,6}\s|[-*+•]\s|\|)/
const ENDS_SENTENCE = /[.!?:;。！？…]["'”’)\]*_`]{0,8}\s{0,8}$/
/** The next line of a wrapped sentence: lower case, also behind the marks of a link, of emphasis or of code, or a bracket. */
const STARTS_LOWER = /^[ \t]*(?:[\p{Ll}(]|[[*_`]{1,4}\p{Ll})/u
/** Abbreviations that rarely end a sentence, and initials ("J. Smith"). */
const ABBREVIATION =
  /(?:^|[\s("'[])(?:Dr|Mr|Mrs|Ms|Prof|St|Fig|Figs|Eq|Eqs|No|Nos|Sec|Ch|Vol|Ref|Tab|vs|e\.g|i\.e|cf|approx|ca|resp|incl|p|pp|\p{Lu})\.\s*$/u

/** An end without white space behind it stands in a word, as in `a.b` or `x.png?size=2`; prose that lacks a space goes on in upper case. */
const ENDS_IN_WORD = /[!-~]$/
const GOES_ON = /^[\p{Ll}\d/\\=&#?!.,:;()[\]{}<@$%`+-]/u
/** A question or a call in quotation marks or brackets, in a sentence that goes on in lower case: Type "who is there?" in the box. */
const QUOTED_END = /[!?]["'‘’“”)\]}]+\s*$/u
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
 * lower case or all lines of the paragraph are about equally long (wrapped prose). A heading, with the line that underlines it, a paragraph in bold in one line, a list item, table row or fenced code block is one sentence. White space
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
  for (const end of sentenceEnds(text)) {
    const blank = text.slice(start, end).trim() === ''
    if (!blank && cut > from) {
      yield { text: text.slice(from, cut), start: from, end: cut }
      from = cut
    }
    if (!blank || cut > from) cut = end
    start = end
  }
  if (cut === 0) cut = text.length
  if (cut > from) yield { text: text.slice(from, cut), start: from, end: cut }
}

function* sentenceEnds(text: string): Generator<number> {
  for (const block of blocks(text)) {
    if (block.prose) yield* proseEnds(text, block.start, block.end)
    else yield block.end
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
}

function* blocks(text: string): Generator<Block> {
  let open: Block | null = null
  let fence: string | null = null
  let previousLine = ''
  for (const { line, index, isFilled, isTitle } of linesOf(text)) {
    const end = index + line.length
    if (fence !== null && open !== null) {
      open.end = end
      if (closesFence(line, fence)) {
        yield open
        open = fence = null
      }
      continue
    }
    fence = isTitle ? null : openingFence(line)
    if (fence !== null) {
      if (open !== null) yield open
      open = { start: index, end, prose: false }
    } else if (open !== null && continues(previousLine, line, isFilled)) {
      open.end = end
    } else {
      if (open !== null) yield open
      open = { start: index, end, prose: !isTitle && !OWN_LINE.test(line) && line.trim() !== '' }
    }
    previousLine = isTitle ? '' : line
  }
  if (open !== null) yield open
}

/** Whether the line continues wrapped prose or a wrapped list item. @param isFilled whether it is a line of a filled paragraph */
function continues(previousLine: string, line: string, isFilled: boolean): boolean {
  if (previousLine.trim() === '' || /^\s{0,3}[#|]/.test(previousLine) || ENDS_SENTENCE.test(previousLine)) return false
  return (isFilled || STARTS_LOWER.test(line)) && !OWN_LINE.test(line)
}

interface Line {
  line: string
  index: number
  /** Whether it stands in a paragraph whose lines were broken where they were full. */
  isFilled: boolean
  /** Whether it is a title and the line below it, or a paragraph of bold text in one line. */
  isTitle: boolean
}

/** The lines of a text with their line breaks; blank lines together are one, and so are a title and the lines below and above it. */
function* linesOf(text: string): Generator<Line> {
  let paragraph: Line[] = []
  for (const { 0: line, index } of text.matchAll(/\n+|[^\n]*\n|[^\n]+$/g)) {
    const title = titleAbove(paragraph, line)
    if (title !== null) {
      yield title
      paragraph = []
      continue
    }
    const isBlank = line.trim() === ''
    if (isBlank || OWN_LINE.test(line) || openingFence(line) !== null) {
      yield* filled(paragraph)
      paragraph = []
    }
    const next = { line, index, isFilled: false, isTitle: false }
    if (isBlank) yield next
    else paragraph.push(next)
  }
  yield* filled(paragraph)
}

/** The lines of a paragraph so far, with the next one, when that makes them a title; null otherwise. */
function titleAbove(paragraph: readonly Line[], line: string): Line | null {
  const [first, second] = paragraph
  const title = second ?? first
  if (first === undefined || title === undefined || paragraph.length > 2) return null
  if (NO_TITLE.test(title.line) || !isUnderlined(title.line, line)) return null
  // reStructuredText allows the same line above the title, too.
  if (second !== undefined && !isTitleRule(first.line)) return null
  return { ...first, line: first.line + (second?.line ?? '') + line, isTitle: true }
}

/** An editor's fill column is rarely outside of this range. */
const SHORTEST_FILL = 60
const LONGEST_FILL = 130
/** Lines that people break by hand end so much before the fill column, though another word would fit. */
const SLACK = 10

/** The lines of a paragraph, marked when each line but the last is so long that the first word of the next one was too much. */
function filled(lines: Line[]): Line[] {
  const [only, ...more] = lines
  if (only && more.length === 0 && isBoldLine(only.line)) return [{ ...only, isTitle: true }]
  const lengths = lines.map(({ line }) => line.trimEnd().length)
  const width = lengths.reduce((most, length) => Math.max(most, length), 0)
  if (lines.length < 2 || width < SHORTEST_FILL || width > LONGEST_FILL) return lines
  const isFilled = lines.every(({ line }, at) => {
    const word = at === 0 ? null : /\S+/u.exec(line)
    return word === null || (lengths[at - 1] ?? 0) + 1 + word[0].length > width - SLACK
  })
  return isFilled ? lines.map(line => ({ ...line, isFilled })) : lines
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
      if (isLast || !(isNumber || isBroken(before, prose.slice(cut, cut + 2)))) yield from + cut
    }
    from += found.at(-1) ?? prose.length
  }
}

/** Whether a cut stands within a path, an address, a link or an abbreviation, or behind a quotation in a sentence. */
function isBroken(before: string, after: string): boolean {
  if (QUOTED_END.test(before) && STARTS_WITH_LOWER.test(after)) return true
  return before.endsWith('.') || (ENDS_IN_WORD.test(before) && GOES_ON.test(after)) || ABBREVIATION.test(before)
}
