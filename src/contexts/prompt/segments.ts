import { finish } from '../../core/steps.ts'
import type { Span } from '../../core/types.ts'
import { shingleHashes } from '../../text/shingles.ts'
import { countShared } from '../../text/similarity.ts'
import { slicesOf } from '../../text/slices.ts'
import type { ContextDocument, ContextRequest } from '../context.ts'

/** Tokens of a segment, a part of a document that is sent as a whole; a document with no more is one segment. */
export const SEGMENT_TOKENS = 8_000
/** Tokens that a segment shares with the one before it. */
export const OVERLAP_TOKENS = 800
/** Longer lines are cut, in UTF-16 code units. */
const LONGEST_LINE = 2_000

/**
 * Cuts a document into segments of at most 8,000 tokens that overlap by at most 10 %, at the ends of lines. A line that is longer than
 * 2,000 code units can be cut between words. The segments depend on the text alone.
 */
export function segmentsOf(text: string, countTokens: (text: string) => number): Span[] {
  const lines = linesOf(text).map(({ start, end }) => ({ start, end, tokens: countTokens(text.slice(start, end)) }))
  const segments: Span[] = []
  for (let first = 0; first < lines.length; ) {
    let next = first
    for (let tokens = 0; next < lines.length; next++) {
      tokens += lines[next]?.tokens ?? 0
      if (tokens > SEGMENT_TOKENS && next > first) break
    }
    segments.push({ start: lines[first]?.start ?? 0, end: lines[next - 1]?.end ?? text.length })
    if (next === lines.length) break
    // The next segment begins with lines of this one, but behind its first line.
    let begin = next
    for (let tokens = 0; begin - 1 > first; begin--) {
      tokens += lines[begin - 1]?.tokens ?? 0
      if (tokens > OVERLAP_TOKENS) break
    }
    first = begin
  }
  return segments.length === 0 ? [{ start: 0, end: text.length }] : segments
}

function linesOf(text: string): Span[] {
  const lines: Span[] = []
  for (const { 0: line, index } of text.matchAll(/[^\n]*\n|[^\n]+$/gu)) {
    let start = index
    for (const part of line.length > LONGEST_LINE ? slicesOf(line) : [line]) {
      lines.push({ start, end: start + part.length })
      start += part.length
    }
  }
  return lines
}

/**
 * The segment that a context is written from: the first one that holds the chunk. Without a start the chunk is searched for; a chunk whose
 * text is not in the document as it stands goes with the segment that shares most five-word shingles with it.
 */
export function segmentFor({ document, chunk }: ContextRequest, segments: readonly Span[]): Span {
  const whole = { start: 0, end: document.text.length }
  if (segments.length < 2) return segments[0] ?? whole
  const found = chunk.start ?? document.text.indexOf(chunk.text)
  if (found < 0 || found >= document.text.length) return mostAlike(document, chunk.text, segments) ?? whole
  const end = Math.min(document.text.length, found + chunk.text.length)
  const shared = (segment: Span) => Math.min(end, segment.end) - Math.max(found, segment.start)
  return best(segments, shared) ?? whole
}

function mostAlike(document: ContextDocument, text: string, segments: readonly Span[]): Span | undefined {
  const ofChunk = finish(shingleHashes(text))
  return best(segments, ({ start, end }) =>
    countShared(ofChunk, finish(shingleHashes(document.text.slice(start, end)))),
  )
}

/** The first of those with the largest measure. */
function best(segments: readonly Span[], measure: (segment: Span) => number): Span | undefined {
  const values = segments.map(measure)
  return segments[values.indexOf(Math.max(...values))]
}
