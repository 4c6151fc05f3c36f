import type { Steps } from '../core/steps.ts'
import type { Candidate, Dropped, FilterResult } from '../core/types.ts'
import { shingleHashes } from '../text/shingles.ts'
import { gatherInDocuments } from './copies.ts'
import { placeOf, withoutFalsePlaces } from './places.ts'

/**
 * Longest text that is compared by its shingles, in UTF-16 code units: ten times a usual passage. Longer texts are copies only when
 * they are equal, because a hash for each of their words would take too much memory; and so are texts without words, which have no shingles.
 */
const LONGEST_COMPARED = 32_768
/** Most shingles that later candidates are compared with: about 100 MB. A pool of usual passages has fewer than 20,000. */
const MOST_SHINGLES = 1_000_000

/**
 * Drops copies of better candidates: the same place in the same document (a document that was indexed twice, see `withoutFalsePlaces`), or a
 * text of which at least the share `containment` of the 5-word shingles is in one better candidate.
 *
 * @param candidates best first
 * @param containment in (0,1]; null compares places only. Measured: .5 costs a point of recall, .9 costs nothing.
 * @param gather whether a copy that is nearly as good may stay in the place of the best one, so that documents stay together
 */
export function* dedupe(
  candidates: readonly Candidate[],
  containment: number | null,
  gather = true,
): Steps<FilterResult> {
  const kept: Candidate[] = []
  const dropped: Dropped[] = []
  const places = new Map<string, string>()
  const texts = new Map<string, string>()
  const index = new ShingleIndex()
  const copies = new Map<string, Candidate[]>()
  for (const candidate of yield* withoutFalsePlaces(candidates)) {
    const place = placeOf(candidate)
    const samePlace = place === null ? undefined : places.get(place)
    if (samePlace !== undefined) {
      dropped.push({ candidate, reason: 'duplicate', evidence: { of: samePlace, similarity: 1, detail: 'same place' } })
      continue
    }
    const { text } = candidate.chunk
    const shingles = containment === null || text.length > LONGEST_COMPARED ? null : yield* shingleHashes(text)
    if (containment !== null && !shingles?.size) {
      const sameText = texts.get(text)
      if (sameText !== undefined) {
        dropped.push({ candidate, reason: 'duplicate', evidence: { of: sameText, similarity: 1 } })
        addTo(copies, sameText, candidate)
        continue
      }
      texts.set(text, candidate.key)
    } else if (containment !== null && shingles !== null) {
      const original = index.mostContaining(shingles)
      if (original && original.share >= containment) {
        dropped.push({
          candidate,
          reason: 'duplicate',
          evidence: { of: original.key, similarity: round(original.share) },
        })
        if (original.shareOfOriginal >= containment) addTo(copies, original.key, candidate)
        continue
      }
      index.add(candidate.key, shingles)
    }
    yield
    if (place !== null) places.set(place, candidate.key)
    kept.push(candidate)
  }
  return gather ? gatherInDocuments({ kept, dropped }, copies) : { kept, dropped }
}

function addTo(copies: Map<string, Candidate[]>, key: string, candidate: Candidate): void {
  const found = copies.get(key)
  if (found) found.push(candidate)
  else copies.set(key, [candidate])
}

function round(share: number): number {
  return Math.round(share * 1000) / 1000
}

/**
 * Inverted index from shingles to candidates. Nearly every shingle is in one candidate only, so a number stands for a list of one: a list
 * for each would be most of the memory that a request takes.
 */
class ShingleIndex {
  private readonly postings = new Map<number, number | number[]>()
  private readonly keys: string[] = []
  private readonly sizes: number[] = []

  add(key: string, shingles: ReadonlySet<number>): void {
    if (this.postings.size + shingles.size > MOST_SHINGLES) return
    const row = this.keys.push(key) - 1
    this.sizes.push(shingles.size)
    for (const shingle of shingles) {
      const rows = this.postings.get(shingle)
      if (rows === undefined) this.postings.set(shingle, row)
      else if (typeof rows === 'number') this.postings.set(shingle, [rows, row])
      else rows.push(row)
    }
  }

  /** Finds the candidate that contains the largest share of the shingles; null when there are none. */
  mostContaining(shingles: ReadonlySet<number>): { key: string; share: number; shareOfOriginal: number } | null {
    const hits = new Uint32Array(this.keys.length)
    for (const shingle of shingles) {
      const rows = this.postings.get(shingle)
      if (rows === undefined) continue
      if (typeof rows === 'number') hits[rows] = (hits[rows] ?? 0) + 1
      else for (const row of rows) hits[row] = (hits[row] ?? 0) + 1
    }
    const best = hits.reduce((top, count, row) => (count > (hits[top] ?? 0) ? row : top), 0)
    const [key, common] = [this.keys[best], hits[best] ?? 0]
    if (key === undefined || shingles.size === 0) return null
    return { key, share: common / shingles.size, shareOfOriginal: common / (this.sizes[best] || 1) }
  }
}
