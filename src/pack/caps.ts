import { countOf } from '../core/collections.ts'
import { documentKey, sectionKey } from '../core/keys.ts'
import type { Candidate } from '../core/types.ts'
import { rawWords } from '../text/terms.ts'
import { areNeighbours } from './join.ts'

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

/** Counts the packed chunks of each document and section and compares them with the caps. */
export class CapCounter {
  /** Packed chunks by the keys of their document and section. */
  private readonly counts = new Map<string, number>()
  private readonly packed: Candidate[] = []
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
    this.packed.push(candidate)
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
    if (origin !== 'retrieved') return false
    return this.packed.some(
      other =>
        (areNeighbours(other.chunk, chunk) || areNeighbours(chunk, other.chunk)) && fused >= CONTINUATION * other.fused,
    )
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
    const title = rawWords(chunk.docTitle)
    return title.length > 1 && title.every(word => asked.has(word))
  })
  if (named) return documentKey(named.chunk)
  const counts = countOf(best.map(({ chunk }) => documentKey(chunk)))
  const [document, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ['', 0]
  return best.length >= 3 && count >= CONCENTRATION * best.length ? document : null
}
