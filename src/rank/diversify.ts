import type { Candidate, Dropped, FilterResult } from '../core/types.ts'
import { cosine } from '../text/similarity.ts'
import { terms } from '../text/terms.ts'
import { cutTo } from './cut.ts'

/**
 * Maximal marginal relevance: repeatedly takes the candidate with the largest `α·relevance − (1−α)·max similarity to the chosen`
 * (Carbonell and Goldstein 1998), until `keep` are chosen. Values are kept; the order is MMR's.
 *
 * A candidate that its value alone would have kept is `redundant`, with the chosen one that is most like it; others are `rerank_cut`.
 * Similarity is the cosine of dense vectors when all have one, else the Jaccard index of their terms.
 *
 * @param candidates best first, values about [0,1]
 * @param alpha share of relevance in [0,1]; null keeps the order and only cuts
 * @param keep how many stay; null keeps all
 */
export function diversify(candidates: readonly Candidate[], alpha: number | null, keep: number | null): FilterResult {
  if (alpha === null) return cutTo(candidates, keep, 'rerank_cut')
  const similarity = similarityOf(candidates)
  const size = Math.min(keep ?? candidates.length, candidates.length)
  const nearest = candidates.map(() => ({ similarity: 0, to: -1 }))
  const open = new Set(candidates.keys())
  const chosen: number[] = []
  while (chosen.length < size) {
    const best = argmax(open, row => {
      const gain = alpha * (candidates[row]?.value ?? 0)
      return chosen.length === 0 ? gain : gain - (1 - alpha) * (nearest[row]?.similarity ?? 0)
    })
    open.delete(best)
    chosen.push(best)
    for (const row of open) {
      const value = similarity(row, best)
      const current = nearest[row]
      if (!current || current.to < 0 || value > current.similarity) nearest[row] = { similarity: value, to: best }
    }
  }
  const kept = chosen.flatMap(row => candidates[row] ?? [])
  const dropped = [...open].flatMap(row => leftOut(candidates, row, size, nearest[row]))
  return { kept, dropped }
}

function leftOut(
  candidates: readonly Candidate[],
  row: number,
  size: number,
  like?: { similarity: number; to: number },
): Dropped[] {
  const candidate = candidates[row]
  if (!candidate) return []
  const of = candidates[like?.to ?? -1]?.key
  if (row >= size || of === undefined)
    return [{ candidate, reason: 'rerank_cut', evidence: { rank: row + 1, cap: size } }]
  return [
    { candidate, reason: 'redundant', evidence: { of, similarity: Math.round((like?.similarity ?? 0) * 1000) / 1000 } },
  ]
}

/** First of the largest: rows come best first, so ties go to the better value. */
function argmax(rows: Iterable<number>, gain: (row: number) => number): number {
  let best = -1
  let most = Number.NEGATIVE_INFINITY
  for (const row of rows) {
    const value = gain(row)
    if (best < 0 || value > most) {
      best = row
      most = value
    }
  }
  return best
}

function similarityOf(candidates: readonly Candidate[]): (a: number, b: number) => number {
  const vectors = candidates.map(({ vector }) => vector)
  if (vectors.every(vector => vector !== undefined)) {
    return (a, b) => {
      const left = vectors[a]
      const right = vectors[b]
      return left && right ? cosine(left, right) : 0
    }
  }
  const sets = candidates.map(({ chunk }) => new Set(terms(chunk.text)))
  return (a, b) => jaccard(sets[a] ?? new Set(), sets[b] ?? new Set())
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let shared = 0
  for (const term of a) if (b.has(term)) shared++
  return shared / (a.size + b.size - shared)
}
