import type { PointId } from '../../core/types.ts'
import { fuse } from '../../qdrant/fusion.ts'
import { unknownPoint, unknownVector, wrongInput } from '../errors.ts'
import type { Collection } from '../storage/collection.ts'
import type { VectorInput } from '../wire/vector-input.ts'
import { selectDiverse } from './mmr.ts'
import type { QueryPlan, Scoring, Target } from './plan.ts'
import { nearestScorer, recommendScorer, rowSimilarity, type Scorer } from './scorer.ts'
import { TopHits } from './top-hits.ts'

/** A row with the score that an answer carries. */
export interface Hit {
  row: number
  score: number
}

type Accept = (row: number) => boolean

/**
 * Answers a query plan: hits best first, offset already cut. The root filter and every prefetch's filter reach the prefetches
 * below them; points used as examples are never hits.
 */
export function runQuery(plan: QueryPlan, collection: Collection): Hit[] {
  const examples = new Set(exampleIds(plan).map(id => collection.rowOf(id)))
  return runNode(plan, collection, row => !examples.has(row)).slice(plan.offset)
}

function runNode(plan: QueryPlan, collection: Collection, inherited: Accept): Hit[] {
  const own = plan.filter ? collection.filter(plan.filter) : undefined
  const accept: Accept = own === undefined ? inherited : row => inherited(row) && own(row)
  const { scoring, limit } = plan
  if (scoring === undefined) return firstRows(collection, limit, accept)
  const sources = plan.prefetch.map(prefetch => runNode(prefetch, collection, accept))
  const diversity = scoring.kind === 'nearest' ? scoring.diversity : undefined
  const top = new TopHits(diversity?.candidates ?? limit, row => collection.idOf(row), accept)
  if (scoring.kind === 'fusion') {
    const lists = sources.map(hits => hits.map(({ row, score }) => ({ key: row, score })))
    const least = Math.fround(plan.threshold ?? Number.NEGATIVE_INFINITY)
    for (const [row, score] of fuse(lists, scoring.rule)) if (score >= least) top.offer(row, score)
    return top.ranked().map(({ row, value }) => ({ row, score: value }))
  }
  const scorer = scorerOf(scoring, plan.using, collection)
  const passes = thresholdTest(plan.threshold, scorer)
  const visit = (row: number, value: number | undefined) => {
    if (value !== undefined && passes(value)) top.offer(row, value)
  }
  if (sources.length === 0) scorer.each(visit)
  else for (const row of new Set(sources.flat().map(hit => hit.row))) visit(row, scorer.of(row))
  const best = top.ranked()
  const chosen =
    diversity === undefined ? best : selectDiverse(best, diversity.lambda, limit, rowSimilarity(collection, plan.using))
  return chosen.map(({ row, value }) => ({ row, score: scorer.score(value) }))
}

/** Without a query, points come by id, all with the score 1. */
function firstRows(collection: Collection, limit: number, accept: Accept): Hit[] {
  const hits: Hit[] = []
  for (const row of collection.matching(undefined)) {
    if (hits.length >= limit) break
    if (accept(row)) hits.push({ row, score: 1 })
  }
  return hits
}

function scorerOf(scoring: Exclude<Scoring, { kind: 'fusion' }>, using: string, collection: Collection): Scorer {
  const vectorOf = (target: Target) => targetVector(target, using, collection)
  if (scoring.kind === 'nearest') return nearestScorer(collection, using, vectorOf(scoring.target))
  const { positive, negative, strategy } = scoring
  return recommendScorer(collection, using, positive.map(vectorOf), negative.map(vectorOf), strategy)
}

function targetVector(target: Target, using: string, collection: Collection): VectorInput {
  if ('vector' in target) return target.vector
  if (!collection.dense.has(using) && !collection.sparse.has(using)) throw unknownVector(using)
  const row = collection.rowOf(target.id)
  if (row === undefined) throw unknownPoint(target.id)
  const vector = collection.vectorOf(row, using)
  if (vector === undefined) throw wrongInput(`Vector with name \`${using}\` not found for point ${target.id}`)
  return vector
}

/** Score thresholds of vector queries are strict: above it, or below it where smaller is better. */
function thresholdTest(threshold: number | undefined, scorer: Scorer): (value: number) => boolean {
  if (threshold === undefined) return () => true
  const bound = Math.fround(threshold)
  return scorer.ascending ? value => scorer.score(value) < bound : value => scorer.score(value) > bound
}

function exampleIds({ scoring, prefetch }: QueryPlan): PointId[] {
  const targets =
    scoring?.kind === 'nearest'
      ? [scoring.target]
      : scoring?.kind === 'recommend'
        ? [...scoring.positive, ...scoring.negative]
        : []
  return [...targets.flatMap(target => ('id' in target ? [target.id] : [])), ...prefetch.flatMap(exampleIds)]
}
