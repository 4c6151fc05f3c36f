import { compareText } from '../core/collections.ts'
import { sectionKey } from '../core/keys.ts'
import type { Candidate, Chunk, Span } from '../core/types.ts'
import { rememberedByObject } from '../text/bounded-cache.ts'

/** The unit of packing: a chunk or one of its sentences, as offsets into `candidate.chunk.text`. */
export interface Unit extends Span {
  candidate: Candidate
  /** Estimated relevance, on the scale of candidate values. */
  value: number
  /** For a row of a table that is a unit of its own: the head of the table, which must be packed, too. */
  head?: Span
}

export function textOf({ candidate, start, end }: Unit): string {
  return candidate.chunk.text.slice(start, end)
}

/** A part of a chunk, from `start` to before `end`. */
export function unitOf(candidate: Candidate, start: number, end: number): Unit {
  return { candidate, start, end, value: candidate.value }
}

/** A chunk as it is packed: without a heading that the source line has. */
export function wholeChunk(candidate: Candidate): Unit {
  return unitOf(candidate, candidate.textStart ?? 0, candidate.chunk.text.length)
}

/** Built once for each candidate, because names can be long and sentences many. */
const sectionOfCandidate = rememberedByObject(({ chunk }: Candidate) => sectionKey(chunk))

/** Key of the section of a unit. */
export function sectionOf({ candidate }: Pick<Unit, 'candidate'>): string {
  return sectionOfCandidate(candidate)
}

/** Compares for `sort`: units of one section by their place in the document. */
export function inReadingOrder(a: Unit, b: Unit): number {
  return (
    byPlaceInDocument(a.candidate.chunk, b.candidate.chunk) ||
    compareText(a.candidate.key, b.candidate.key) ||
    a.start - b.start
  )
}

/** Compares for `sort`: chunks of one document by their places, as far as these are known. */
export function byPlaceInDocument(left: Chunk, right: Chunk): number {
  return (left.orderIndex ?? 0) - (right.orderIndex ?? 0) || (left.charStart ?? 0) - (right.charStart ?? 0)
}
