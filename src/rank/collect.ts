import { pointKey } from '../core/keys.ts'
import type { Candidate, Chunk, FilterResult, RetrievedHit, RetrievedList } from '../core/types.ts'

/** Creates a candidate with no signals. */
export function createCandidate(chunk: Chunk, origin: Candidate['origin'], value = 0): Candidate {
  return {
    key: pointKey(chunk),
    chunk,
    origin,
    signals: [],
    fused: 0,
    rerank: null,
    answerability: { bonus: 0, features: [] },
    value,
  }
}

/**
 * Merges ranked lists into one candidate per point, with one signal per list that contains it. Weights and contributions are 0
 * until `fuse`. Of several hits of a point in one list only the first counts.
 */
export function collect(lists: readonly RetrievedList[]): Candidate[] {
  const candidates = new Map<string, Candidate>()
  for (const list of lists) {
    const seen = new Set<string>()
    list.hits.forEach((hit, index) => {
      const key = pointKey(hit.chunk)
      if (seen.has(key)) return
      seen.add(key)
      const known = candidates.get(key) ?? createCandidate(hit.chunk, 'retrieved')
      candidates.set(key, withSignal(known, list, hit, index + 1))
    })
  }
  return [...candidates.values()]
}

/** Drops candidates without text: they cannot be packed. */
export function dropWithoutText(candidates: readonly Candidate[]): FilterResult {
  const result: FilterResult = { kept: [], dropped: [] }
  for (const candidate of candidates) {
    if (hasText(candidate.chunk)) result.kept.push(candidate)
    else result.dropped.push({ candidate, reason: 'text_missing', evidence: {} })
  }
  return result
}

export function hasText({ text }: Pick<Chunk, 'text'>): boolean {
  return text.trim() !== ''
}

function withSignal(candidate: Candidate, list: RetrievedList, hit: RetrievedHit, rank: number): Candidate {
  const score = Number.isFinite(hit.score) ? hit.score : null
  const signal = { source: list.source, kind: list.kind, rank, score, weight: 0, contribution: 0 }
  const vector = candidate.vector ?? hit.vector
  return { ...candidate, signals: [...candidate.signals, signal], ...(vector ? { vector } : {}) }
}
