import type { Embedder } from '../../src/core/ports.ts'
import { minmax } from '../../src/rank/fuse.ts'
import { type Interval, pairedInterval } from '../../src/statistics/bootstrap.ts'
import { type Comparison, compareTogether } from '../../src/statistics/comparison.ts'
import { encodeBm25Document, encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { ndcgAt, rankingOf, recallAt } from './ranking.ts'

/** Longest list that is looked at: what is behind it counts as not found. */
const LIST = 100
const NDCG_CUT = 10
export const RECALL_CUTS = [5, 10, 100] as const

/** One ranked list for each query, best place first. */
export interface Lists {
  arm: string
  rankings: number[][]
}

/** Scores of every unit for one query. */
export type Scorer = (query: string) => Promise<Float64Array> | Float64Array

export interface ListFigures {
  arm: string
  ndcg: Interval
  recall: Record<number, Interval>
  /** nDCG@10 to the first arm's, query by query; null for the first itself. */
  comparison: Comparison | null
}

/** BM25 as stowage writes it to a collection, with the store's idf `ln(1 + (n − df + .5)/(df + .5))`. */
export function bm25Scorer(texts: readonly string[]): Scorer {
  const postings = new Map<number, { place: number; value: number }[]>()
  for (const [place, text] of texts.entries()) {
    const { indices, values } = encodeBm25Document(text)
    for (const [at, index] of indices.entries()) {
      const list = postings.get(index) ?? []
      list.push({ place, value: values[at] ?? 0 })
      postings.set(index, list)
    }
  }
  return query => {
    const scores = new Float64Array(texts.length)
    for (const index of encodeBm25Query(query).indices) {
      const list = postings.get(index) ?? []
      const idf = Math.log(1 + (texts.length - list.length + 0.5) / (list.length + 0.5))
      for (const { place, value } of list) scores[place] = (scores[place] ?? 0) + idf * value
    }
    return scores
  }
}

/** Cosine of unit vectors. `onProgress` is told of texts embedded. */
export async function denseScorer(
  embedder: Embedder,
  texts: readonly string[],
  onProgress: (done: number, total: number) => void,
): Promise<Scorer> {
  const vectors: Float32Array[] = []
  const batch = 64
  for (let from = 0; from < texts.length; from += batch) {
    vectors.push(...(await embedder.embedPassages(texts.slice(from, from + batch))))
    onProgress(vectors.length, texts.length)
  }
  return async query => {
    const asked = await embedder.embedQuery(query)
    return Float64Array.from(vectors, vector => vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0))
  }
}

/** Half and half of both lists' scores, each scaled to [0,1] over the union of the lists; who is absent from one gets its minimum. */
export function hybridScorer(first: Scorer, second: Scorer): Scorer {
  return async query => {
    const both = [await first(query), await second(query)]
    const tops = both.map(scores => rankingOf(scores).slice(0, LIST))
    const union = [...new Set(tops.flat())]
    const hybrid = new Float64Array(both[0]?.length ?? 0).fill(-1)
    for (const [which, scores] of both.entries()) {
      const listed = new Set(tops[which])
      const scaled = minmax(union.map(place => (listed.has(place) ? (scores[place] ?? null) : null)))
      for (const [at, place] of union.entries())
        hybrid[place] = Math.max(0, hybrid[place] ?? 0) + 0.5 * (scaled[at] ?? 0)
    }
    return hybrid
  }
}

export async function rankAll(arm: string, scorer: Scorer, queries: readonly string[]): Promise<Lists> {
  const rankings: number[][] = []
  for (const query of queries) rankings.push(rankingOf(await scorer(query)).slice(0, LIST))
  return { arm, rankings }
}

/**
 * nDCG@10 (a relevant unit gains 1) and recall@k of each arm's lists over the queries, with 95 % intervals.
 * @param relevant places of the relevant units, by query; a query without any is left out
 */
export function listFigures(lists: readonly Lists[], relevant: readonly ReadonlySet<number>[]): ListFigures[] {
  const asked = relevant.flatMap((places, query) => (places.size > 0 ? [{ query, places }] : []))
  const measured = lists.map(({ arm, rankings }) => {
    const hits = asked.map(({ query, places }) => (rankings[query] ?? []).map(place => places.has(place)))
    const ndcg = hits.map((found, at) => {
      const ideal = Array.from(asked[at]?.places ?? [], () => 1)
      return ndcgAt(NDCG_CUT, found.map(Number), ideal)
    })
    const recall = (k: number) => hits.map((found, at) => recallAt(k, found, asked[at]?.places.size ?? 0))
    return { arm, ndcg, recall: Object.fromEntries(RECALL_CUTS.map(k => [k, pairedInterval([recall(k)])])) }
  })
  const [first, ...others] = measured
  const differences = others.map(
    ({ arm, ndcg }) => [arm, [ndcg.map((value, query) => value - (first?.ndcg[query] ?? 0))]] as const,
  )
  const compared = compareTogether(new Map(differences))
  return measured.map(({ arm, ndcg, recall }) => ({
    arm,
    ndcg: pairedInterval([ndcg]),
    recall,
    comparison: compared.get(arm) ?? null,
  }))
}
