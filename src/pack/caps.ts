import { countOf } from '../core/collections.ts'
import { documentKey, sectionKey } from '../core/keys.ts'
import type { Candidate } from '../core/types.ts'
import type { DropReason } from '../core/vocabulary.ts'
import { rawWords } from '../text/terms.ts'
import { areNeighbours } from './join.ts'

export interface CapOptions {
  /** Most chunks of one document; null is no cap. */
  documentCap: number | null
  /** Most chunks of one section; null is no cap. */
  sectionCap: number | null
}

/** How alike in fused score two neighbours must be for the second to count as the first one's continuation. */
const CONTINUATION = 0.8
/** Share of the best candidates in one document from which the query concerns that document. */
const CONCENTRATION = 0.6
const BEST = 10

/** Counts what is packed of each document and section, and says when one more would be too many. */
export class CapCounter {
  private readonly documents = new Map<string, number>()
  private readonly sections = new Map<string, number>()
  private readonly packed: Candidate[] = []
  private readonly options: CapOptions
  private readonly subject: string | null

  /** @param subject document that the query concerns: it has no cap */
  constructor(options: CapOptions, subject: string | null) {
    this.options = options
    this.subject = subject
  }

  add(candidate: Candidate): void {
    bump(this.documents, documentKey(candidate.chunk))
    bump(this.sections, sectionKey(candidate.chunk))
    this.packed.push(candidate)
  }

  /** The cap that stands against the candidate, or null. A candidate that goes on with a packed answer is let through. */
  against(candidate: Candidate): { reason: Extract<DropReason, 'doc_cap' | 'section_cap'>; cap: number } | null {
    const { documentCap, sectionCap } = this.options
    const document = documentKey(candidate.chunk)
    if (document === this.subject || this.continuesPacked(candidate)) return null
    if (documentCap !== null && (this.documents.get(document) ?? 0) >= documentCap)
      return { reason: 'doc_cap', cap: documentCap }
    if (sectionCap !== null && (this.sections.get(sectionKey(candidate.chunk)) ?? 0) >= sectionCap)
      return { reason: 'section_cap', cap: sectionCap }
    return null
  }

  /** The answer spans a chunk border: next to a packed chunk, retrieved in its own right and about as good. */
  private continuesPacked({ chunk, fused, origin }: Candidate): boolean {
    if (origin !== 'retrieved') return false
    return this.packed.some(
      other =>
        (areNeighbours(other.chunk, chunk) || areNeighbours(chunk, other.chunk)) && fused >= CONTINUATION * other.fused,
    )
  }
}

/**
 * The document that a query concerns, as a key, or null: it names the whole title, or most of the best candidates are of it.
 * @param candidates best first
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

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
