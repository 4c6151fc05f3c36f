import type { PointId } from '../../core/types.ts'
import { type FusionRule, fuse } from '../../qdrant/fusion.ts'
import { badRequest, unknownPoint, unsupported, wrongInput } from '../errors.ts'
import type { Pace } from '../pace.ts'
import type { Collection } from '../storage/collection.ts'
import type { VectorStore } from '../storage/vector-store.ts'
import { isSparse, type Vector } from '../wire/vector.ts'
import { selectDiverse } from './mmr.ts'
import type { QueryPlan, Target } from './plan.ts'
import { TopHits } from './top-hits.ts'

/** A point with the score of the answer. */
export interface Hit {
  id: PointId
  score: number
}

type Accept = (id: PointId) => boolean

/**
 * Answers a query plan: best hits first, without the first `offset` ones. A filter also applies to all prefetches below it.
 * Points that the query names as examples are never hits.
 */
export async function runQuery(plan: QueryPlan, collection: Collection, pace: Pace): Promise<Hit[]> {
  const examples = new Set(exampleIds(plan))
  const hits = await runNode(plan, collection, id => !examples.has(id), pace)
  return hits.slice(plan.offset)
}

async function runNode(plan: QueryPlan, collection: Collection, inherited: Accept, pace: Pace): Promise<Hit[]> {
  const { scoring, limit, threshold, using } = plan
  const own = plan.filter ? collection.filter(plan.filter) : undefined
  const accept: Accept = own === undefined ? inherited : id => inherited(id) && own(id)
  if (scoring === undefined) return firstPoints(collection, plan.filter, limit, inherited, pace)
  const sources: Hit[][] = []
  for (const prefetch of plan.prefetch) sources.push(await runNode(prefetch, collection, accept, pace))
  if (scoring.kind === 'fusion') return fuseHits(sources, scoring.rule, limit, accept, threshold)
  const store = collection.vectorStore(using)
  const query = targetVector(scoring.target, using, collection)
  store.check(query)
  const ids = sources.length === 0 ? store.reachable(query) : new Set(sources.flat().map(hit => hit.id))
  const { diversity } = scoring
  const top = new TopHits(diversity?.candidates ?? limit, accept)
  await offerSimilar(top, store, query, ids, threshold, pace)
  const best = top.best()
  const chosen =
    diversity === undefined ? best : await selectDiverse(best, diversity.lambda, limit, similarityIn(store), pace)
  return chosen.map(({ id, value }) => ({ id, score: store.score(value) }))
}

/** Without a query all points have the score 1, in the order of their ids. */
async function firstPoints(
  collection: Collection,
  filter: unknown,
  limit: number,
  accept: Accept,
  pace: Pace,
): Promise<Hit[]> {
  const hits: Hit[] = []
  for await (const { id } of collection.matching(filter, pace)) {
    if (hits.length >= limit) break
    if (accept(id)) hits.push({ id, score: 1 })
  }
  return hits
}

function fuseHits(sources: Hit[][], rule: FusionRule, limit: number, accept: Accept, threshold?: number): Hit[] {
  const lists = sources.map(hits => hits.map(({ id, score }) => ({ key: id, score })))
  const top = new TopHits(limit, accept)
  for (const [id, value] of fuse(lists, rule)) top.offer(id, value)
  const least = Math.fround(threshold ?? Number.NEGATIVE_INFINITY)
  return top.best().flatMap(({ id, value }) => (value >= least ? [{ id, score: value }] : []))
}

/** Offers each point by its similarity to the query. The threshold excludes scores that are equal to it. */
async function offerSimilar(
  top: TopHits,
  store: VectorStore,
  query: Vector,
  ids: Iterable<PointId>,
  threshold: number | undefined,
  pace: Pace,
): Promise<void> {
  const prepared = store.prepare(query)
  const bound = threshold === undefined ? undefined : Math.fround(threshold)
  for (const id of ids) {
    if (pace.isDue()) await pace.rest()
    const value = store.similarity(prepared, id)
    if (value === undefined) continue
    if (bound === undefined || (store.ascending ? store.score(value) < bound : value > bound)) top.offer(id, value)
  }
}

/** Similarity of two stored vectors, without idf. */
function similarityIn(store: VectorStore): (left: PointId, right: PointId) => number {
  return (left, right) => {
    const vector = store.get(left)
    return (vector === undefined ? undefined : store.similarity(vector, right)) ?? 0
  }
}

function targetVector(target: Target, using: string, collection: Collection): Vector {
  if ('vector' in target) return target.vector
  if ('positive' in target) {
    const average = (targets: Target[]) => averageVector(targets.map(one => targetVector(one, using, collection)))
    const liked = average(target.positive)
    const disliked = target.negative.length === 0 ? liked : average(target.negative)
    return liked.map((value, i) => 2 * value - (disliked[i] ?? 0))
  }
  if (collection.get(target.id) === undefined) throw unknownPoint(target.id)
  const vector = collection.vectorStore(using).get(target.id)
  if (vector === undefined) throw wrongInput(`Vector with name \`${using}\` not found for point ${target.id}`)
  return vector
}

function averageVector(vectors: Vector[]): Float32Array {
  const dense = vectors.map(vector => {
    if (isSparse(vector)) throw unsupported('recommend over sparse vectors')
    return vector
  })
  const width = dense[0]?.length ?? 0
  if (dense.some(vector => vector.length !== width)) throw badRequest('examples differ in dimension')
  return Float32Array.from({ length: width }, (_, i) => dense.reduce((sum, v) => sum + (v[i] ?? 0), 0) / dense.length)
}

function exampleIds({ scoring, prefetch }: QueryPlan): PointId[] {
  const own = scoring?.kind === 'nearest' ? targetIds(scoring.target) : []
  return [...own, ...prefetch.flatMap(exampleIds)]
}

function targetIds(target: Target): PointId[] {
  if ('id' in target) return [target.id]
  return 'positive' in target ? [...target.positive, ...target.negative].flatMap(targetIds) : []
}
