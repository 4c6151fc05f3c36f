import { groupBy } from '../core/collections.ts'
import { countCodePoints, repeatedLength } from '../core/prefix.ts'
import type { Candidate, Chunk, Span } from '../core/types.ts'
import { rememberedByObject } from '../text/bounded-cache.ts'
import { openingFence } from '../text/fence.ts'
import { beginsWithPipe, isTableRule } from '../text/sentences/table-row.ts'
import { inReadingOrder, textOf, type Unit, wholeChunk } from './unit.ts'

interface Join {
  /** Length of the start of `next` that repeats the end of `previous`, in UTF-16 code units. */
  overlap: number
  /** Text to insert between the two. */
  separator: string
}

/** Returns how `next` continues `previous`, or null when there is text between them. Of two chunks, both places are seen in their joined text. */
export function joinOf(previous: Unit | undefined, next: Unit): Join | null {
  if (!previous) return null
  const left = previous.candidate.chunk
  const right = next.candidate.chunk
  if (previous.candidate.key === next.candidate.key) {
    if (next.start < previous.end) return null
    const between = left.text.slice(previous.end, next.start)
    return between.trim() === '' ? { overlap: 0, separator: between } : null
  }
  if (!follows(previous.candidate, next.candidate)) return null
  const common = overlapOf(left, right)
  const repeated = common - (left.text.length - previous.end) - next.start
  if (common > 0 && repeated >= 0) {
    // A cut unit can be shorter than the repetition. Then it stays, so that no text is lost.
    const overlap = Math.min(repeated, next.end - next.start)
    return overlap <= previous.end - previous.start ? { overlap, separator: '' } : { overlap: 0, separator: '\n' }
  }
  const reachesEnd = left.text.slice(previous.end).trim() === ''
  const beginsAtStart = right.text.slice(next.candidate.textStart ?? 0, next.start).trim() === ''
  if (!reachesEnd || !beginsAtStart) return null
  const between = spaceBetween(left, right)
  const head = repeatedHead(previous, next)
  // A blank line would end a table.
  if (head > 0)
    return { overlap: head, separator: opensFence(right.text) && (between ?? 0) >= BLANK_LINE ? '\n\n' : '\n' }
  const isCut = next.start > 0 || previous.end < left.text.length
  const isBehindHeading = next.start > 0 && next.start === next.candidate.textStart
  // The document has the heading here, so another section of the same name begins.
  if (isBehindHeading && added(right) === 0) return null
  if (between === 0 && !isCut) return { overlap: 0, separator: '' }
  const isBlankLine = isBehindHeading || (between !== null && between >= BLANK_LINE) || endsTable(previous, next)
  return { overlap: 0, separator: isBlankLine ? '\n\n' : '\n' }
}

/** Least white space that a chunking took away between two paragraphs: less stands between two lines or two sentences. */
const BLANK_LINE = 2

/**
 * White space that a chunking took away between two chunks, in characters, or in lines where no offsets are stored. Null when nothing is stored, and when both
 * are parts of one line.
 */
function spaceBetween(left: Chunk, right: Chunk): number | null {
  const end = endOf(left)
  if (end !== null && right.charStart !== null) return right.charStart - end
  return linesBetween(left, right) || null
}

/** A chunk without an end is as long as its text, in code points: what frameworks of Python count, which store no ends. */
function endOf(chunk: Chunk): number | null {
  const { charStart, charEnd } = chunk
  return charEnd ?? (charStart === null ? null : charStart + codePointsOf(chunk))
}

/** Counted once, because a text can be long. */
const codePointsOf = rememberedByObject(({ text }: Chunk) => countCodePoints(text))

/** From the last line of a chunk to the first one of the next; null when it is not stored. */
function linesBetween(left: Chunk, right: Chunk): number | null {
  return left.lines && right.lines && left.page === right.page ? right.lines.first - left.lines.last : null
}

/** Whether a table ends where two units meet. Without a blank line, what follows would be read as one more row. */
function endsTable(previous: Unit, next: Unit): boolean {
  const above = textOf(previous).trimEnd()
  return beginsWithPipe(above.slice(above.lastIndexOf('\n') + 1)) && !beginsWithPipe(textOf(next).trimStart())
}

/** Text that an ingest has put in front of a chunk, in UTF-16 code units: its offsets span less than its text. Null when the offsets are unknown. */
function added({ text, charStart, charEnd }: Chunk): number | null {
  return charStart === null || charEnd === null ? null : text.length - (charEnd - charStart)
}

const opensFence = (text: string): boolean => openingFence(text) !== null

/** Length of the head of a table, or of the opening fence of code, that was put in front of a chunk, and that the chunk before shows. */
function repeatedHead(previous: Unit, next: Unit): number {
  const { chunk } = next.candidate
  const length = added(chunk) ?? 0
  if (
    length <= 0 ||
    next.start > 0 ||
    next.end <= length ||
    previous.end < previous.candidate.chunk.text.trimEnd().length
  )
    return 0
  const head = chunk.text.slice(0, length)
  const isHead =
    isTableRule(head.trimEnd().split('\n').at(-1) ?? '') || (opensFence(head) && !head.trimEnd().includes('\n'))
  // A row comes with the head of its table, possibly with a gap between.
  const above = previous.candidate.chunk.text.slice(0, previous.end)
  return /\n$/.test(head) && isHead && above.includes(head) ? length : 0
}

/** Units in reading order, with those of one chunk that continue each other as one. Text that two chunks have is in one run only. */
export function runsOf(units: readonly Unit[]): Unit[] {
  const runs: Unit[] = []
  for (const unit of overlapsInNext(units)) {
    const last = runs.at(-1)
    const isShared = last?.candidate.key === unit.candidate.key && unit.start < last.end
    if (last && (isShared || continues(last, unit))) runs.splice(-1, 1, { ...last, end: Math.max(last.end, unit.end) })
    else runs.push(unit)
  }
  return runs
}

/**
 * Units in reading order, of which those in the overlap with the next chunk stand for the same text in that one. Otherwise what is cut out of an
 * overlap would stand before sentences that it is behind of, or a second time.
 */
function overlapsInNext(units: readonly Unit[]): Unit[] {
  const chunks = [...groupBy(units, ({ candidate }) => candidate.key).values()]
  for (const [at, own] of chunks.entries()) {
    const [left, right] = [own[0]?.candidate, chunks[at + 1]?.[0]?.candidate]
    if (!left || !right || !follows(left, right)) continue
    const shift = left.chunk.text.length - overlapOf(left.chunk, right.chunk)
    const isShared = ({ start }: Unit) => shift > 0 && start >= shift + (right.textStart ?? 0)
    const shared = own.filter(isShared)
    if (shared.length === 0) continue
    chunks[at] = own.filter(unit => !isShared(unit))
    const moved = shared.map(unit => ({ ...unit, candidate: right, start: unit.start - shift, end: unit.end - shift }))
    chunks[at + 1] = [...moved, ...(chunks[at + 1] ?? [])].sort(inReadingOrder)
  }
  return chunks.flat()
}

/** The run that ends before a place among units in reading order, and the one that begins there; a run of the chunk of `unit` is left as its next unit. */
export function runsAround(units: readonly Unit[], place: number, unit: Unit): [Unit | undefined, Unit | undefined] {
  let [before, after] = [units[place - 1], units[place]]
  const isOther = (run: Unit | undefined): run is Unit => run !== undefined && run.candidate.key !== unit.candidate.key
  for (let at = place - 2; isOther(before); at--) {
    const earlier = units[at]
    if (!earlier || !continues(earlier, before)) break
    before = { ...before, start: earlier.start }
  }
  for (let at = place + 1; isOther(after); at++) {
    const later = units[at]
    if (!later || !continues(after, later)) break
    after = { ...after, end: later.end }
  }
  return [before, after]
}

/** Whether a unit continues another one of the same chunk. */
export function continues(previous: Unit, unit: Unit): boolean {
  return previous.candidate.key === unit.candidate.key && joinOf(previous, unit) !== null
}

/** What of a chunk is not in units before and behind it, as offsets in its text. */
export function rangeBetween(previous: Unit | undefined, candidate: Candidate, next: Unit | undefined): Span {
  const whole = wholeChunk(candidate)
  const repeated = previous && previous.candidate.key !== candidate.key ? (joinOf(previous, whole)?.overlap ?? 0) : 0
  const coming = next && next.candidate.key !== candidate.key ? (joinOf(whole, next)?.overlap ?? 0) : 0
  const { start, end } = whole
  return start + repeated + coming < end ? { start: start + repeated, end: end - coming } : { start, end }
}

/**
 * Whether a candidate goes on where another one ends: it is the next chunk of the document, or one of them is a parent, which has the place
 * of its first child only.
 */
function follows({ chunk: left, origin }: Candidate, { chunk: right, origin: other }: Candidate): boolean {
  if (left.collection !== right.collection || left.docId !== right.docId) return false
  if (left.orderIndex !== null && right.orderIndex === left.orderIndex + 1) return true
  return (origin === 'parent' || other === 'parent') && left.charEnd !== null && left.charEnd === right.charStart
}

/** Length of the start of `right` that repeats the end of `left`: as offsets or lines say when they are known, else by comparison of the texts. */
function overlapOf(left: Chunk, right: Chunk): number {
  const end = endOf(left)
  if (end !== null && right.charStart !== null) {
    const said = end - right.charStart
    if (said <= 0) return 0
    const isRepeated = (length: number) =>
      length <= right.text.length && left.text.endsWith(right.text.slice(0, length))
    const repeated = [said, lengthOfCharacters(right.text, said)].find(isRepeated)
    if (repeated !== undefined) return repeated
    if (left.charEnd !== null) return 0
  }
  return repeatedLength(left.text, sharedByLines(left, right))
}

/** What of a text can be in the chunk before, by the lines where they are known. */
function sharedByLines(left: Chunk, right: Chunk): string {
  const between = linesBetween(left, right)
  if (between === null) return right.text
  const text = right.text.slice(0, MOST_COUNTED)
  let end = -1
  for (let lines = 1 - between; lines > 0; lines--) {
    end = text.indexOf('\n', end + 1)
    if (end < 0) return text
  }
  return text.slice(0, Math.max(0, end))
}

/** Most characters that are looked at: splitters repeat less. */
const MOST_COUNTED = 8_000

/** Length of the first characters of a text in UTF-16 code units, where a character is a code point. */
function lengthOfCharacters(text: string, count: number): number {
  if (count > MOST_COUNTED) return count
  let length = 0
  for (let at = 0; at < count; at++) length += (text.codePointAt(length) ?? 0) > 0xffff ? 2 : 1
  return length
}

/** A text that grows at its end. More than two characters of white space at a seam are shortened, to save tokens. */
export class JoinedText {
  private readonly pieces: string[]
  /** White space at the end. */
  private tail: string

  constructor(text: string) {
    const body = text.trimEnd()
    this.pieces = [body]
    this.tail = text.slice(body.length)
  }

  append(separator: string, text: string): void {
    const inner = text.trimStart()
    const body = inner.trimEnd()
    const seam = `${this.tail}${separator}${text.slice(0, text.length - inner.length)}`
    const shortSeam = seam.length <= 2 ? seam : shortened(seam)
    if (body === '') {
      this.tail = shortSeam
    } else {
      this.pieces.push(shortSeam, body)
      this.tail = inner.slice(body.length)
    }
  }

  toString(): string {
    return `${this.pieces.join('')}${this.tail}`
  }
}

/** Longest indentation that is kept at a seam: code and nested lists need it. */
const LONGEST_INDENTATION = 16

/** At most one empty line, and the indentation of the next line; white space inside a line becomes a space. */
function shortened(seam: string): string {
  const lines = seam.split('\n')
  if (lines.length === 1) return ' '
  return `${'\n'.repeat(Math.min(2, lines.length - 1))}${lines.at(-1)?.slice(0, LONGEST_INDENTATION)}`
}
