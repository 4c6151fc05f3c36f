import type { PointId } from '../../core/types.ts'
import type { FusionRule } from '../../qdrant/fusion.ts'
import { badRequest, formatError, refuseFields, unsupported, validationError, wrongInput } from '../errors.ts'
import { readPointId } from '../wire/point-id.ts'
import { asList, isRecord, type JsonRecord, readCount, readNumber, readRecord, readString } from '../wire/shape.ts'
import { readVectorInput, type VectorInput } from '../wire/vector-input.ts'
import type { Diversity } from './mmr.ts'

/** A query target: a vector, or the id of a point whose vector is meant. */
export type Target = { vector: VectorInput } | { id: PointId }

export type Scoring =
  | { kind: 'nearest'; target: Target; diversity?: Diversity }
  | { kind: 'recommend'; positive: Target[]; negative: Target[]; strategy: 'average_vector' | 'best_score' }
  | { kind: 'fusion'; rule: FusionRule }

/** One node of a query: the root or a prefetch. `limit` counts from the first hit, so it includes the root's offset. */
export interface QueryPlan {
  prefetch: QueryPlan[]
  scoring: Scoring | undefined
  using: string
  filter: unknown
  threshold: number | undefined
  limit: number
  offset: number
}

/** Levels of prefetches below the root. */
export const MAXIMUM_PREFETCH_DEPTH = 64
export const MAXIMUM_MMR_CANDIDATES = 16_384

/** Reads a query request or prefetch with Qdrant's defaults. @throws EngineError 400/422 as Qdrant would, 501 for query kinds that are not here. */
export function readQueryPlan(value: unknown, depth = 0): QueryPlan {
  if (depth > MAXIMUM_PREFETCH_DEPTH) {
    throw wrongInput(`Prefetch is nested deeper than ${MAXIMUM_PREFETCH_DEPTH} levels`)
  }
  const body = readRecord(value, depth === 0 ? 'query request' : 'prefetch')
  refuseFields(body, ['lookup_from'], 'query')
  if (isRecord(body.params)) refuseFields(body.params, ['idf'], 'query params')
  const offset = depth === 0 ? readCount(body.offset, 'offset', 0) : 0
  const limit = readCount(body.limit, 'internal.limit', 10, 1) + offset
  const plan: QueryPlan = {
    prefetch: asList(body.prefetch).map(item => readQueryPlan(item, depth + 1)),
    scoring: body.query === undefined || body.query === null ? undefined : readScoring(body.query, limit),
    using: body.using === undefined || body.using === null ? '' : readString(body.using, 'using'),
    filter: body.filter,
    threshold: readNumber(body.score_threshold, 'score_threshold'),
    limit,
    offset,
  }
  validate(plan)
  return plan
}

function validate({ prefetch, scoring, threshold, using }: QueryPlan): void {
  if (prefetch.length > 0 && scoring === undefined) {
    throw badRequest("A query is needed to merge the prefetches. Can't have prefetches without defining a query.")
  }
  if (threshold !== undefined && scoring === undefined) {
    throw badRequest(
      "A query is needed to use the score_threshold. Can't have score_threshold without defining a query.",
    )
  }
  if (scoring?.kind !== 'fusion') return
  if (using !== '') throw badRequest("Fusion queries cannot be combined with the 'using' field.")
  if (prefetch.length === 0) throw badRequest('cannot apply Fusion without prefetches')
  const weights = scoring.rule.method === 'rrf' ? scoring.rule.weights : null
  if (weights !== null && weights.length !== prefetch.length) {
    throw badRequest(`RRF weights count (${weights.length}) does not match the prefetch count (${prefetch.length})`)
  }
}

const OTHER_QUERIES = ['discover', 'context', 'order_by', 'formula', 'sample', 'relevance_feedback']

function readScoring(query: unknown, limit: number): Scoring {
  if (!isRecord(query)) return { kind: 'nearest', target: readTarget(query) }
  refuseFields(query, OTHER_QUERIES, 'query')
  if ('nearest' in query) return readNearest(query, limit)
  if ('fusion' in query) return { kind: 'fusion', rule: readFusion(query.fusion) }
  if ('rrf' in query) return { kind: 'fusion', rule: readRrf(readRecord(query.rrf, 'rrf')) }
  if ('recommend' in query) return readRecommend(readRecord(query.recommend, 'recommend'))
  if ('text' in query && !('model' in query)) throw unsupported('query `text` over a payload field')
  return { kind: 'nearest', target: readTarget(query) }
}

function readNearest(query: JsonRecord, limit: number): Scoring {
  const target = readTarget(query.nearest)
  if (query.mmr === undefined || query.mmr === null) return { kind: 'nearest', target }
  const mmr = readRecord(query.mmr, 'mmr')
  const diversity = readNumber(mmr.diversity, 'mmr.diversity') ?? 0.5
  const candidates = readCount(mmr.candidates_limit, 'mmr.candidates_limit', limit)
  if (diversity < 0 || diversity > 1) {
    throw validationError(`mmr.diversity: value ${diversity} invalid, must be from 0.0 to 1.0`)
  }
  if (candidates > MAXIMUM_MMR_CANDIDATES) {
    throw validationError(
      `mmr.candidates_limit: value ${candidates} invalid, must be from 0 to ${MAXIMUM_MMR_CANDIDATES}`,
    )
  }
  return { kind: 'nearest', target, diversity: { lambda: 1 - diversity, candidates } }
}

function readFusion(name: unknown): FusionRule {
  if (name === 'rrf') return readRrf({})
  if (name === 'dbsf') return { method: 'dbsf' }
  throw formatError(`unknown variant \`${String(name)}\`, expected \`rrf\` or \`dbsf\``)
}

function readRrf(rrf: JsonRecord): FusionRule {
  const given = rrf.weights !== undefined && rrf.weights !== null
  const weights = given ? asList(rrf.weights).map(weight => readNumber(weight, 'rrf.weights') ?? 0) : null
  return { method: 'rrf', k: readCount(rrf.k, 'rrf.k', 2, 1), weights }
}

function readRecommend(recommend: JsonRecord): Scoring {
  const positive = asList(recommend.positive).map(readTarget)
  const negative = asList(recommend.negative).map(readTarget)
  const strategy = recommend.strategy ?? 'average_vector'
  if (strategy === 'sum_scores') throw unsupported('recommend strategy `sum_scores`')
  if (strategy !== 'average_vector' && strategy !== 'best_score') {
    throw formatError(`unknown variant \`${String(strategy)}\``)
  }
  if (positive.length === 0 && (strategy === 'average_vector' || negative.length === 0)) {
    throw badRequest('At least one positive vector ID required')
  }
  return { kind: 'recommend', positive, negative, strategy }
}

function readTarget(value: unknown): Target {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return { id: readPointId(value) }
  }
  return { vector: readVectorInput(value, 'query') }
}
