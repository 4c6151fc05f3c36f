import { badRequest, unknownVector } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import { toScore } from '../storage/dense-vectors.ts'
import { sparseDot } from '../storage/sparse-vectors.ts'
import { isSparse, type VectorInput } from '../wire/vector-input.ts'
import type { Strategy } from './plan.ts'

/** Ranks rows by one named vector. Values are larger-is-better; `score` turns one into what the answer carries. */
export interface Scorer {
  each(visit: (row: number, value: number) => void): void
  /** The value of one row, undefined where it lacks the vector or shares no dimension. */
  of(row: number): number | undefined
  score(value: number): number
  /** Whether smaller scores are better (`Euclid`, `Manhattan`). */
  ascending: boolean
}

/** Nearest to a vector; sparse queries are weighed by idf where the collection says so. */
export function nearestScorer(
  collection: Collection,
  name: string,
  vector: VectorInput,
  idfCorpus?: (row: number) => boolean,
): Scorer {
  collection.checkVector(name, vector)
  const plain = { score: (value: number) => value, ascending: false }
  if (isSparse(vector)) {
    const index = collection.sparse.get(name)
    if (index === undefined) throw unknownVector(name)
    const query = index.weighted(vector, idfCorpus)
    return { ...plain, each: visit => index.each(query, visit), of: row => index.similarity(query, row) }
  }
  const store = collection.dense.get(name)
  if (store === undefined) throw unknownVector(name)
  const query = store.prepare(vector)
  return {
    each: visit => store.each(query, visit),
    of: row => (store.has(row) ? store.similarity(query, row) : undefined),
    score: value => toScore(store.distance, value),
    ascending: store.distance === 'Euclid' || store.distance === 'Manhattan',
  }
}

/** Similarity between two stored rows, as MMR compares them (no idf). */
export function rowSimilarity(collection: Collection, name: string): (left: number, right: number) => number {
  const store = collection.dense.get(name)
  const index = collection.sparse.get(name)
  return (left, right) => {
    const vector = store?.get(left)
    if (store !== undefined) return vector === undefined ? 0 : store.similarity(vector, right)
    const [one, other] = [index?.get(left), index?.get(right)]
    return one === undefined || other === undefined ? 0 : (sparseDot(one, other) ?? 0)
  }
}

/** Nearest to examples and far from counter-examples, by one of Qdrant's strategies. */
export function recommendScorer(
  collection: Collection,
  name: string,
  positive: VectorInput[],
  negative: VectorInput[],
  strategy: Strategy,
): Scorer {
  if (strategy === 'average_vector') return nearestScorer(collection, name, averageTarget(positive, negative))
  const likes = positive.map(vector => nearestScorer(collection, name, vector))
  const dislikes = negative.map(vector => nearestScorer(collection, name, vector))
  const values = (scorers: Scorer[], row: number) => scorers.map(scorer => scorer.of(row) ?? 0)
  const combine = strategy === 'best_score' ? bestScore : sumScores
  const of = (row: number) =>
    collection.hasVector(name, row) ? combine(values(likes, row), values(dislikes, row)) : undefined
  return {
    of,
    each: visit => {
      for (const row of collection.matching(undefined)) {
        const value = of(row)
        if (value !== undefined) visit(row, value)
      }
    },
    score: value => value,
    ascending: false,
  }
}

/** `avg(positive) + avg(positive) − avg(negative)`, or the positive average alone. */
function averageTarget(positive: VectorInput[], negative: VectorInput[]): VectorInput {
  const liked = average(positive)
  if (negative.length === 0) return liked
  const disliked = average(negative)
  return liked.map((value, i) => 2 * value - (disliked[i] ?? 0))
}

function average(vectors: VectorInput[]): Float32Array {
  const dense = vectors.map(vector => {
    if (isSparse(vector)) throw badRequest('average_vector over sparse vectors is not supported by the embedded engine')
    return vector
  })
  const width = Math.max(...dense.map(vector => vector.length))
  if (dense.some(vector => vector.length !== width)) throw badRequest('examples differ in dimension')
  return Float32Array.from(
    { length: width },
    (_, i) => dense.reduce((sum, v) => sum + (v[i] as number), 0) / dense.length,
  )
}

function bestScore(likes: number[], dislikes: number[]): number {
  const best = Math.max(...likes)
  const worst = Math.max(...dislikes)
  return Math.fround(best > worst ? squash(best) : -squash(worst))
}

function squash(value: number): number {
  return 0.5 * (value / (1 + Math.abs(value)) + 1)
}

function sumScores(likes: number[], dislikes: number[]): number {
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return Math.fround(sum(likes) - sum(dislikes))
}
