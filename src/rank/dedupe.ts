import { placeKey } from '../core/keys.ts'
import type { Candidate, Dropped, FilterResult } from '../core/types.ts'
import { shingleHashes } from '../text/shingles.ts'

/**
 * Drops repeated candidates, keeping the better of each pair: the same place of the same document (a document indexed twice),
 * or near-verbatim text (share of its 5-word shingles that stand in a better candidate at or above `containment`).
 *
 * Only near-verbatim copies go: measured, a threshold of .5 costs a point of recall where .9 costs nothing.
 *
 * @param candidates best first
 * @param containment in (0,1]; null leaves texts alone and compares places only
 */
export function dedupe(candidates: readonly Candidate[], containment: number | null): FilterResult {
  const kept: Candidate[] = []
  const dropped: Dropped[] = []
  const places = new Map<string, string>()
  const index = new ShingleIndex()
  for (const candidate of candidates) {
    const place = placeOf(candidate)
    const samePlace = place === null ? undefined : places.get(place)
    if (samePlace !== undefined) {
      dropped.push({ candidate, reason: 'duplicate', evidence: { of: samePlace, similarity: 1, detail: 'same place' } })
      continue
    }
    const words = containment === null ? null : shingleHashes(candidate.chunk.text)
    const copy = words && containment !== null ? index.mostContaining(words) : null
    if (copy && containment !== null && copy.share >= containment) {
      dropped.push({ candidate, reason: 'duplicate', evidence: { of: copy.key, similarity: round(copy.share) } })
      continue
    }
    if (place !== null) places.set(place, candidate.key)
    if (words) index.add(candidate.key, words)
    kept.push(candidate)
  }
  return { kept, dropped }
}

/** Place in a document and offset of its text; null when unknown. Equal places at other offsets are of another chunking. */
function placeOf({ chunk }: Candidate): string | null {
  return chunk.orderIndex === null || chunk.docId === '' ? null : `${placeKey(chunk)}${chunk.charStart}`
}

function round(share: number): number {
  return Math.round(share * 1000) / 1000
}

/** Postings from shingle to the candidates that hold it: one pass over a text finds the candidate that contains most of it. */
class ShingleIndex {
  private readonly postings = new Map<number, number[]>()
  private readonly keys: string[] = []

  add(key: string, words: ReadonlySet<number>): void {
    const row = this.keys.push(key) - 1
    for (const shingle of words) {
      const rows = this.postings.get(shingle)
      if (rows) rows.push(row)
      else this.postings.set(shingle, [row])
    }
  }

  mostContaining(words: ReadonlySet<number>): { key: string; share: number } | null {
    const hits = new Uint32Array(this.keys.length)
    for (const shingle of words) for (const row of this.postings.get(shingle) ?? []) hits[row] = (hits[row] ?? 0) + 1
    const best = hits.reduce((top, count, row) => (count > (hits[top] ?? 0) ? row : top), 0)
    const key = this.keys[best]
    return key === undefined || words.size === 0 ? null : { key, share: (hits[best] ?? 0) / words.size }
  }
}
