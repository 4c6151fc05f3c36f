import type { Candidate } from '../core/types.ts'

/** The unit of packing: a chunk or one of its sentences, as offsets into `candidate.chunk.text`. */
export interface Unit {
  candidate: Candidate
  start: number
  end: number
  /** Estimated relevance, on the scale of candidate values. */
  value: number
}

export function textOf({ candidate, start, end }: Unit): string {
  return candidate.chunk.text.slice(start, end)
}

export function wholeChunk(candidate: Candidate): Unit {
  return { candidate, start: 0, end: candidate.chunk.text.length, value: candidate.value }
}
