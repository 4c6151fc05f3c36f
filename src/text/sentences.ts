/** A stretch of a text, `text.slice(start, end)`, offsets in UTF-16 code units. */
export interface Sentence {
  text: string
  start: number
  end: number
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** Headings, list items and table rows: each such line is a sentence of its own. */
const OWN_LINE = /^\s{0,12}(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\|)/
const ENDS_SENTENCE = /[.!?:;。！？…]["'”’)\]*_`]*\s*$/
const STARTS_LOWER = /^[ \t]*[\p{Ll}(]/u
/** Abbreviations that are hardly ever the last word of a sentence, and single initials ("J. Smith"). */
const ABBREVIATION =
  /(?:^|[\s("'[])(?:Dr|Mr|Mrs|Ms|Prof|St|Fig|Figs|Eq|Eqs|No|Nos|Sec|Ch|Vol|Ref|Tab|vs|e\.g|i\.e|cf|approx|ca|resp|incl|p|pp|\p{Lu})\.\s*$/u

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/**
 * Splits a text into sentences that tile it: joined they give it back. Lines end sentences, except where prose is plainly
 * wrapped (the next line goes on in lower case); markdown headings, list items and table rows stand alone, a fenced code
 * block is one sentence. Blank space belongs to the sentence before it.
 */
export function splitSentences(text: string): Sentence[] {
  const ends: number[] = []
  for (const block of blocks(text)) {
    if (block.prose) ends.push(...proseEnds(text, block.start, block.end))
    else ends.push(block.end)
  }
  return tile(text, ends)
}

interface Block {
  start: number
  end: number
  prose: boolean
}

function* blocks(text: string): Generator<Block> {
  let open: Block | null = null
  let fence: string | null = null
  for (const { 0: line, index } of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const end = index + line.length
    const mark = FENCE.exec(line)?.[1]
    if (fence !== null && open !== null) {
      open.end = end
      if (mark?.startsWith(fence)) {
        yield open
        open = fence = null
      }
    } else if (mark !== undefined) {
      if (open !== null) yield open
      open = { start: index, end, prose: false }
      fence = mark
    } else if (open !== null && continues(text.slice(open.start, open.end), line)) {
      open.end = end
    } else {
      if (open !== null) yield open
      open = { start: index, end, prose: !OWN_LINE.test(line) }
    }
  }
  if (open !== null) yield open
}

/** Whether a line goes on with the block before it: prose or a list item that was wrapped, not ended. */
function continues(block: string, line: string): boolean {
  if (/\n\s*\n$/.test(block) || OWN_LINE.test(line) || !STARTS_LOWER.test(line)) return false
  const lastLine = block.slice(block.lastIndexOf('\n', block.length - 2) + 1)
  return !/^\s{0,3}[#|]/.test(lastLine) && !ENDS_SENTENCE.test(lastLine)
}

/** Offsets in the whole text where the sentences of a wrapped or single line of prose end. */
function proseEnds(text: string, start: number, end: number): number[] {
  // The segmenter ends a sentence at every newline; inside the block newlines are wraps.
  const prose = text.slice(start, end).replace(/[\r\n]/g, ' ')
  const ends: number[] = []
  for (const { segment, index } of segmenter.segment(prose)) {
    const last = ends.length - 1
    if (last >= 0 && ABBREVIATION.test(prose.slice(Math.max(0, index - 24), index)))
      ends[last] = start + index + segment.length
    else ends.push(start + index + segment.length)
  }
  return ends
}

/** Cuts the text at the given ascending offsets; a piece of blank space alone joins the sentence before it (or after, at the start). */
function tile(text: string, ends: number[]): Sentence[] {
  const sentences: Sentence[] = []
  let start = 0
  for (const end of ends) {
    if (text.slice(start, end).trim() !== '') {
      sentences.push({ text: text.slice(start, end), start, end })
      start = end
      continue
    }
    const before = sentences.at(-1)
    if (before === undefined) continue
    before.end = end
    before.text = text.slice(before.start, end)
    start = end
  }
  if (start < text.length) sentences.push({ text: text.slice(start), start, end: text.length })
  return sentences
}
