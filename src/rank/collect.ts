import { pointKey } from '../core/keys.ts'
import type { Candidate, Dropped, FilterResult, RetrievedHit, RetrievedList } from '../core/types.ts'

/** Creates a candidate with no signals. */
export function newCandidate(chunk: Candidate['chunk'], origin: Candidate['origin'], value = 0): Candidate {
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
 * Merges ranked lists into one candidate per point id. Each carries one signal per list that knows it: rank from 1, raw score,
 * weight and contribution still 0. A second hit of the same id in one list is ignored: the better rank stands.
 */
export function collect(lists: readonly RetrievedList[]): Candidate[] {
  const candidates = new Map<string, Candidate>()
  for (const list of lists) {
    const seen = new Set<string>()
    list.hits.forEach((hit, index) => {
      const key = pointKey(hit.chunk)
      if (seen.has(key)) return
      seen.add(key)
      const known = candidates.get(key) ?? newCandidate(hit.chunk, 'retrieved')
      candidates.set(key, withSignal(known, list, hit, index + 1))
    })
  }
  return [...candidates.values()]
}

/** Sets apart the candidates whose payload holds no text: they cannot be packed. */
export function withText(candidates: readonly Candidate[]): FilterResult {
  const hasText = (candidate: Candidate) => candidate.chunk.text.trim() !== ''
  const missing = (candidate: Candidate): Dropped => ({ candidate, reason: 'text_missing', evidence: {} })
  return { kept: candidates.filter(hasText), dropped: candidates.filter(c => !hasText(c)).map(missing) }
}

function withSignal(candidate: Candidate, list: RetrievedList, hit: RetrievedHit, rank: number): Candidate {
  const score = Number.isFinite(hit.score) ? hit.score : null
  const signal = { source: list.source, kind: list.kind, rank, score, weight: 0, contribution: 0 }
  const vector = candidate.vector ?? hit.vector
  return { ...candidate, signals: [...candidate.signals, signal], ...(vector ? { vector } : {}) }
}
