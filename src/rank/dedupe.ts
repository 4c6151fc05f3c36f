import { addTo } from '../core/collections.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate, Dropped, FilterResult } from '../core/types.ts'
import { shingleHashes } from '../text/shingles.ts'
import { roundedSimilarity } from '../text/similarity.ts'
import { gatherInDocuments } from './copies.ts'
import { placeOf, withoutFalsePlaces } from './places/false-places.ts'

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
 * @param question null when nothing was asked. Then the best copy stays; else it may be one that is nearly as good, so that documents stay together, or a newer version
 */
export function* dedupe(
  candidates: readonly Candidate[],
  containment: number | null,
  question: string | null = '',
): Steps<FilterResult> {
  const kept: Candidate[] = []
  const dropped: Dropped[] = []
  const places = new Map<string, string>()
  const texts = new KnownTexts(containment)
  const copies = new Map<string, Candidate[]>()
  const drop = (candidate: Candidate, evidence: Dropped['evidence']) =>
    dropped.push({ candidate, reason: 'duplicate', evidence })
  for (const candidate of yield* withoutFalsePlaces(candidates)) {
    const place = placeOf(candidate)
    const samePlace = place === null ? undefined : places.get(place)
    if (samePlace !== undefined) {
      drop(candidate, { of: samePlace, similarity: 1, detail: 'same place' })
      continue
    }
    const original = yield* texts.originalOf(candidate)
    if (original !== null) {
      drop(candidate, { of: original.key, similarity: roundedSimilarity(original.share) })
      if (original.isCopy) addTo(copies, original.key, candidate)
      continue
    }
    yield
    if (place !== null) places.set(place, candidate.key)
    kept.push(candidate)
  }
  return question === null ? { kept, dropped } : gatherInDocuments({ kept, dropped }, copies, question)
}

/**
 * The texts of the candidates so far, with an inverted index from shingles to candidates. Nearly every shingle is in one candidate only, so a
 * number stands for a list of one: a list for each would be most of the memory that a request takes.
 */
class KnownTexts {
  private readonly containment: number | null
  /** Keys by the texts that are compared as a whole. */
  private readonly wholes = new Map<string, string>()
  private readonly postings = new Map<number, number | number[]>()
  private readonly keys: string[] = []
  private readonly sizes: number[] = []

  constructor(containment: number | null) {
    this.containment = containment
  }

  /**
   * The candidate that contains the text of this one, the share that it contains, and whether this one contains its text as well. Without
   * such a candidate it is null, and the text is known from now on.
   */
  *originalOf({ key, chunk: { text } }: Candidate): Steps<{ key: string; share: number; isCopy: boolean } | null> {
    const { containment, wholes } = this
    if (containment === null) return null
    const shingles = text.length > LONGEST_COMPARED ? null : yield* shingleHashes(text)
    if (!shingles?.size) {
      const same = wholes.get(text)
      if (same !== undefined) return { key: same, share: 1, isCopy: true }
      wholes.set(text, key)
      return null
    }
    const { row, common } = this.mostContaining(shingles)
    const [original, share] = [this.keys[row], common / shingles.size]
    if (original !== undefined && share >= containment)
      return { key: original, share, isCopy: common / (this.sizes[row] || 1) >= containment }
    this.add(key, shingles)
    return null
  }

  private add(key: string, shingles: ReadonlySet<number>): void {
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

  /** The candidate that contains most of the shingles. */
  private mostContaining(shingles: ReadonlySet<number>): { row: number; common: number } {
    const hits = new Uint32Array(this.keys.length)
    for (const shingle of shingles) {
      const rows = this.postings.get(shingle)
      if (rows === undefined) continue
      if (typeof rows === 'number') hits[rows] = (hits[rows] ?? 0) + 1
      else for (const row of rows) hits[row] = (hits[row] ?? 0) + 1
    }
    const row = hits.reduce((top, count, row) => (count > (hits[top] ?? 0) ? row : top), 0)
    return { row, common: hits[row] ?? 0 }
  }
}
