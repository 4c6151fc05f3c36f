import { badRequest, unknownVector, unsupported } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import { toScore } from '../storage/dense-vectors.ts'
import { isSparse, type VectorInput } from '../wire/vector-input.ts'

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
export function nearestScorer(collection: Collection, name: string, vector: VectorInput): Scorer {
  collection.checkVector(name, vector)
  if (isSparse(vector)) {
    const index = collection.sparse.get(name)
    if (index === undefined) throw unknownVector(name)
    const query = index.weighted(vector)
    return {
      each: visit => index.each(query, visit),
      of: row => index.similarity(query, row),
      score: value => value,
      ascending: false,
    }
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
  const [dense, sparse] = [collection.dense.get(name), collection.sparse.get(name)]
  return (left, right) => {
    const vector = collection.vectorOf(left, name)
    if (vector === undefined) return 0
    return (isSparse(vector) ? sparse?.similarity(vector, right) : dense?.similarity(vector, right)) ?? 0
  }
}

/** Nearest to examples and far from counter-examples, by one of Qdrant's strategies. */
export function recommendScorer(
  collection: Collection,
  name: string,
  positive: VectorInput[],
  negative: VectorInput[],
  strategy: 'average_vector' | 'best_score',
): Scorer {
  if (strategy === 'average_vector') return nearestScorer(collection, name, averageTarget(positive, negative))
  const likes = positive.map(vector => nearestScorer(collection, name, vector))
  const dislikes = negative.map(vector => nearestScorer(collection, name, vector))
  const largest = (scorers: Scorer[], row: number) => Math.max(...scorers.map(scorer => scorer.of(row) ?? 0))
  const of = (row: number) => {
    if (!collection.hasVector(name, row)) return undefined
    const [best, worst] = [largest(likes, row), largest(dislikes, row)]
    return Math.fround(best > worst ? squash(best) : -squash(worst))
  }
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
    if (isSparse(vector)) throw unsupported('recommend strategy `average_vector` over sparse vectors')
    return vector
  })
  const width = dense[0]?.length ?? 0
  if (dense.some(vector => vector.length !== width)) throw badRequest('examples differ in dimension')
  return Float32Array.from({ length: width }, (_, i) => dense.reduce((sum, v) => sum + (v[i] ?? 0), 0) / dense.length)
}

function squash(value: number): number {
  return 0.5 * (value / (1 + Math.abs(value)) + 1)
}
