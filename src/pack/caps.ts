import { mostFrequent } from '../core/collections.ts'
import { documentKey, placeKey, sectionKey } from '../core/keys.ts'
import { prefixOf } from '../core/prefix.ts'
import type { Candidate } from '../core/types.ts'
import { rawWords } from '../text/terms/terms.ts'

export interface CapOptions {
  /** Most chunks of one document; null is no cap. */
  documentCap: number | null
  /** Most chunks of one section; null is no cap. */
  sectionCap: number | null
}

/** Least share of a packed chunk's fused score that its continuation has. */
const CONTINUATION = 0.8
/** Least share of the best candidates that must be of one document to make it the subject of the query. */
const CONCENTRATION = 0.6
/** Number of best candidates that decide the subject. */
const BEST = 10
/** Longest title that a query can name, in UTF-16 code units. */
const LONGEST_TITLE = 1_000

/** Counts the packed chunks of each document and section and compares them with the caps. */
export class CapCounter {
  /** Packed chunks by the keys of their document and section. */
  private readonly counts = new Map<string, number>()
  /** Least fused score of the packed chunks at each place. */
  private readonly packed = new Map<string, number>()
  private readonly options: CapOptions
  private readonly subject: string | null

  /** @param subject key of the document without a cap, see `subjectDocument` */
  constructor(options: CapOptions, subject: string | null) {
    this.options = options
    this.subject = subject
  }

  add(candidate: Candidate): void {
    for (const key of [documentKey(candidate.chunk), sectionKey(candidate.chunk)])
      this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
    const place = placeKey(candidate.chunk)
    this.packed.set(place, Math.min(candidate.fused, this.packed.get(place) ?? Number.POSITIVE_INFINITY))
  }

  /** Returns the cap that the candidate would exceed, or null. A continuation of a packed chunk exceeds none. */
  exceeded(candidate: Candidate): { reason: 'doc_cap' | 'section_cap'; cap: number } | null {
    const { documentCap, sectionCap } = this.options
    const document = documentKey(candidate.chunk)
    if (document === this.subject || this.continuesPacked(candidate)) return null
    if (documentCap !== null && (this.counts.get(document) ?? 0) >= documentCap)
      return { reason: 'doc_cap', cap: documentCap }
    if (sectionCap !== null && (this.counts.get(sectionKey(candidate.chunk)) ?? 0) >= sectionCap)
      return { reason: 'section_cap', cap: sectionCap }
    return null
  }

  /** Whether an answer may span the border to a packed chunk: a retrieved neighbour with about the same score. */
  private continuesPacked({ chunk, fused, origin }: Candidate): boolean {
    const { orderIndex } = chunk
    if (origin !== 'retrieved' || orderIndex === null) return false
    return [orderIndex - 1, orderIndex + 1].some(next => {
      const score = this.packed.get(placeKey({ ...chunk, orderIndex: next }))
      return score !== undefined && fused >= CONTINUATION * score
    })
  }
}

/**
 * Finds the document that the query is about: the query contains its whole title, or most of the best candidates are of it.
 * @param candidates best first
 * @returns the key of the document, or null
 */
export function subjectDocument(candidates: readonly Candidate[], query: string | null): string | null {
  const best = candidates.slice(0, BEST)
  const asked = new Set(rawWords(query ?? ''))
  const named = best.find(({ chunk }) => {
    const title = rawWords(prefixOf(chunk.docTitle, LONGEST_TITLE))
    return title.length > 1 && title.every(word => asked.has(word))
  })
  if (named) return documentKey(named.chunk)
  const [document, count] = mostFrequent(best.map(({ chunk }) => documentKey(chunk))) ?? ['', 0]
  return best.length >= 3 && count >= CONCENTRATION * best.length ? document : null
}
