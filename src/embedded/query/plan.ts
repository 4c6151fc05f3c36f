import type { PointId } from '../../core/types.ts'
import { DEFAULT_RRF_K, type FusionRule } from '../../qdrant/fusion.ts'
import { DEFAULT_QUERY_LIMIT } from '../../qdrant/points.ts'
import { badRequest, formatError, refuseFields, unsupported, validationError, wrongInput } from '../errors.ts'
import { readPointId } from '../wire/point-id.ts'
import {
  asList,
  isRecord,
  type JsonRecord,
  readCount,
  readNumber,
  readRecord,
  readString,
  refuseAbove,
} from '../wire/shape.ts'
import { readVector, type Vector } from '../wire/vector.ts'
import type { Diversity } from './mmr.ts'

/** What a query searches for: a vector, the vector of a point, or an average of examples. */
export type Target = { vector: Vector } | { id: PointId } | { positive: Target[]; negative: Target[] }

type Scoring = { kind: 'nearest'; target: Target; diversity?: Diversity } | { kind: 'fusion'; rule: FusionRule }

/** One node of a query: the root or a prefetch. `limit` includes the offset. */
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
/** Prefetches of one query, nested ones included. */
export const MAXIMUM_PREFETCHES = 256
export const MAXIMUM_MMR_CANDIDATES = 16_384

/** Reads a query request or a prefetch, with Qdrant's defaults. @throws EngineError 400/422 on faults, 501 on other kinds of query */
export function readQueryPlan(value: unknown): QueryPlan {
  refuseAbove(countPrefetches(value, 0), MAXIMUM_PREFETCHES, 'prefetch')
  return readNode(value, 0)
}

/** Deeper levels are refused by `readNode`. */
function countPrefetches(value: unknown, depth: number): number {
  if (!isRecord(value) || depth > MAXIMUM_PREFETCH_DEPTH) return 0
  return asList(value.prefetch).reduce<number>((sum, inner) => sum + 1 + countPrefetches(inner, depth + 1), 0)
}

function readNode(value: unknown, depth: number): QueryPlan {
  if (depth > MAXIMUM_PREFETCH_DEPTH)
    throw wrongInput(`Prefetch is nested deeper than ${MAXIMUM_PREFETCH_DEPTH} levels`)
  const body = readRecord(value, depth === 0 ? 'query request' : 'prefetch')
  refuseFields(body, ['lookup_from'], 'query')
  if (isRecord(body.params)) refuseFields(body.params, ['idf'], 'query params')
  const offset = depth === 0 ? readCount(body.offset, 'offset', 0) : 0
  const limit = readCount(body.limit, 'internal.limit', DEFAULT_QUERY_LIMIT, 1) + offset
  const plan: QueryPlan = {
    prefetch: asList(body.prefetch).map(item => readNode(item, depth + 1)),
    scoring: (body.query ?? null) === null ? undefined : readScoring(body.query, limit),
    using: readString(body.using ?? '', 'using'),
    filter: body.filter,
    threshold: readNumber(body.score_threshold, 'score_threshold'),
    limit,
    offset,
  }
  validate(plan)
  return plan
}

function validate({ prefetch, scoring, threshold, using }: QueryPlan): void {
  if (scoring === undefined) {
    if (prefetch.length > 0) throw badRequest('A query is needed to merge the prefetches.')
    if (threshold !== undefined) throw badRequest('A query is needed to use the score_threshold.')
    return
  }
  if (scoring.kind !== 'fusion') return
  if (using !== '') throw badRequest("Fusion queries cannot be combined with the 'using' field.")
  if (prefetch.length === 0) throw badRequest('cannot apply Fusion without prefetches')
  const weights = scoring.rule.method === 'rrf' ? scoring.rule.weights : null
  if (weights !== null && weights.length !== prefetch.length)
    throw badRequest(`RRF weights count (${weights.length}) does not match the prefetch count (${prefetch.length})`)
}

const OTHER_QUERIES = ['discover', 'context', 'order_by', 'formula', 'sample', 'relevance_feedback']

function readScoring(query: unknown, limit: number): Scoring {
  if (!isRecord(query)) return { kind: 'nearest', target: readTarget(query) }
  refuseFields(query, OTHER_QUERIES, 'query')
  if ('nearest' in query) return readNearest(query, limit)
  if ('fusion' in query) return { kind: 'fusion', rule: readFusion(query.fusion) }
  if ('rrf' in query) return { kind: 'fusion', rule: readRrf(readRecord(query.rrf, 'rrf')) }
  if ('recommend' in query) return { kind: 'nearest', target: readExamples(readRecord(query.recommend, 'recommend')) }
  if ('text' in query && !('model' in query)) throw unsupported('query `text` over a payload field')
  return { kind: 'nearest', target: readTarget(query) }
}

function readNearest(query: JsonRecord, limit: number): Scoring {
  const target = readTarget(query.nearest)
  if ((query.mmr ?? null) === null) return { kind: 'nearest', target }
  const mmr = readRecord(query.mmr, 'mmr')
  const diversity = readNumber(mmr.diversity, 'mmr.diversity') ?? 0.5
  const candidates = readCount(mmr.candidates_limit, 'mmr.candidates_limit', limit)
  if (diversity < 0 || diversity > 1) throw validationError(`mmr.diversity: value ${diversity} must be from 0 to 1`)
  if (candidates > MAXIMUM_MMR_CANDIDATES)
    throw validationError(`mmr.candidates_limit: value ${candidates} must be from 0 to ${MAXIMUM_MMR_CANDIDATES}`)
  return { kind: 'nearest', target, diversity: { lambda: 1 - diversity, candidates } }
}

function readFusion(name: unknown): FusionRule {
  if (name === 'rrf') return readRrf({})
  if (name === 'dbsf') return { method: 'dbsf' }
  throw formatError(`unknown fusion \`${String(name)}\`, expected \`rrf\` or \`dbsf\``)
}

function readRrf({ k, weights }: JsonRecord): FusionRule {
  const numbers = asList(weights).map(weight => readNumber(weight, 'rrf.weights') ?? 0)
  return {
    method: 'rrf',
    k: readCount(k, 'rrf.k', DEFAULT_RRF_K, 1),
    weights: (weights ?? null) === null ? null : numbers,
  }
}

function readExamples({ positive, negative, strategy }: JsonRecord): Target {
  const name = readString(strategy ?? 'average_vector', 'recommend.strategy')
  if (name !== 'average_vector') throw unsupported(`recommend strategy \`${name}\``)
  const examples = { positive: asList(positive).map(readTarget), negative: asList(negative).map(readTarget) }
  if (examples.positive.length === 0) throw badRequest('At least one positive vector ID required')
  return examples
}

function readTarget(value: unknown): Target {
  const isId = ['string', 'number', 'bigint'].includes(typeof value)
  return isId ? { id: readPointId(value) } : { vector: readVector(value, 'query') }
}
