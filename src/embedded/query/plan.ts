import type { PointId } from '../../core/types.ts'
import { badRequest, formatError, unsupported, validationError, wrongInput } from '../errors.ts'
import { readPointId } from '../wire/point-id.ts'
import { asList, isRecord, type JsonRecord, readCount, readNumber, readRecord, readString } from '../wire/shape.ts'
import { readVectorInput, type VectorInput } from '../wire/vector-input.ts'

/** A query target: a vector, or the id of a point whose vector is meant. */
export type Target = { vector: VectorInput } | { id: PointId }

export type Scoring =
  | { kind: 'nearest'; target: Target; mmr?: { lambda: number; candidates: number | undefined } }
  | { kind: 'recommend'; positive: Target[]; negative: Target[]; strategy: Strategy }
  | { kind: 'rrf'; k: number; weights?: number[] }
  | { kind: 'dbsf' }

export const STRATEGIES = ['average_vector', 'best_score', 'sum_scores'] as const
export type Strategy = (typeof STRATEGIES)[number]

/** One node of a query: the root or a prefetch. `limit` counts from the first hit, so it includes the root's offset. */
export interface QueryPlan {
  prefetch: QueryPlan[]
  scoring: Scoring | undefined
  using: string
  filter: unknown
  threshold: number | undefined
  limit: number
  offset: number
  /** `params.idf.corpus`: the part of the collection that counts for idf. */
  idfCorpus: unknown
  lookupFrom: { collection: string; vector: string | undefined } | undefined
}

const MAXIMUM_DEPTH = 64

/** Reads a query request or prefetch with Qdrant's defaults. @throws EngineError 400/422 as Qdrant would, 501 for query kinds that are not here. */
export function readQueryPlan(value: unknown, depth = 0): QueryPlan {
  if (depth > MAXIMUM_DEPTH) throw wrongInput(`Prefetch is nested deeper than ${MAXIMUM_DEPTH} levels`)
  const body = readRecord(value, depth === 0 ? 'query request' : 'prefetch')
  const offset = depth === 0 ? readCount(body.offset, 'offset', 0) : 0
  const plan: QueryPlan = {
    prefetch: asList(body.prefetch).map(item => readQueryPlan(item, depth + 1)),
    scoring: body.query === undefined || body.query === null ? undefined : readScoring(body.query),
    using: body.using === undefined || body.using === null ? '' : readString(body.using, 'using'),
    filter: body.filter,
    threshold: readNumber(body.score_threshold, 'score_threshold'),
    limit: readCount(body.limit, 'internal.limit', 10, 1) + offset,
    offset,
    idfCorpus: readIdfCorpus(body.params),
    lookupFrom: readLookup(body.lookup_from),
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
  if (scoring?.kind !== 'rrf' && scoring?.kind !== 'dbsf') return
  if (using !== '') throw badRequest("Fusion queries cannot be combined with the 'using' field.")
  if (prefetch.length === 0) throw badRequest('cannot apply Fusion without prefetches')
  if (scoring.kind === 'rrf' && scoring.weights !== undefined && scoring.weights.length !== prefetch.length) {
    throw badRequest(
      `RRF weights count (${scoring.weights.length}) does not match the prefetch count (${prefetch.length})`,
    )
  }
}

function readScoring(query: unknown): Scoring {
  if (!isRecord(query)) return { kind: 'nearest', target: readTarget(query) }
  if ('nearest' in query) return readNearest(query)
  if ('fusion' in query) {
    if (query.fusion === 'rrf') return { kind: 'rrf', k: 2 }
    if (query.fusion === 'dbsf') return { kind: 'dbsf' }
    throw formatError(`unknown variant \`${String(query.fusion)}\`, expected \`rrf\` or \`dbsf\``)
  }
  if ('rrf' in query) return readRrf(readRecord(query.rrf, 'rrf'))
  if ('recommend' in query) return readRecommend(readRecord(query.recommend, 'recommend'))
  for (const kind of ['discover', 'context', 'order_by', 'formula', 'sample', 'relevance_feedback']) {
    if (kind in query) throw unsupported(`query \`${kind}\``)
  }
  if ('text' in query && !('model' in query)) throw unsupported('query `text` over a payload field')
  return { kind: 'nearest', target: readTarget(query) }
}

function readNearest(query: JsonRecord): Scoring {
  const target = readTarget(query.nearest)
  if (query.mmr === undefined || query.mmr === null) return { kind: 'nearest', target }
  const mmr = readRecord(query.mmr, 'mmr')
  const diversity = readNumber(mmr.diversity, 'mmr.diversity') ?? 0.5
  if (diversity < 0 || diversity > 1) {
    throw validationError(`mmr.diversity: value ${diversity} invalid, must be from 0.0 to 1.0`)
  }
  const candidates = mmr.candidates_limit === null ? undefined : mmr.candidates_limit
  const limit = candidates === undefined ? undefined : readCount(candidates, 'mmr.candidates_limit', 0)
  if (limit !== undefined && limit > 16384) {
    throw validationError(`mmr.candidates_limit: value ${limit} invalid, must be from 0 to 16384`)
  }
  return { kind: 'nearest', target, mmr: { lambda: 1 - diversity, candidates: limit } }
}

function readRrf(rrf: JsonRecord): Scoring {
  const k = readCount(rrf.k, 'rrf.k', 2, 1)
  if (rrf.weights === undefined || rrf.weights === null) return { kind: 'rrf', k }
  return { kind: 'rrf', k, weights: asList(rrf.weights).map(weight => readNumber(weight, 'rrf.weights') ?? 0) }
}

function readRecommend(recommend: JsonRecord): Scoring {
  const positive = asList(recommend.positive).map(readTarget)
  const negative = asList(recommend.negative).map(readTarget)
  const strategy = STRATEGIES.find(name => name === (recommend.strategy ?? 'average_vector'))
  if (strategy === undefined) throw formatError(`unknown variant \`${String(recommend.strategy)}\``)
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

function readIdfCorpus(params: unknown): unknown {
  const idf = isRecord(params) ? params.idf : undefined
  return isRecord(idf) ? idf.corpus : undefined
}

function readLookup(value: unknown): QueryPlan['lookupFrom'] {
  if (value === undefined || value === null) return undefined
  const lookup = readRecord(value, 'lookup_from')
  const vector = lookup.vector === undefined || lookup.vector === null ? undefined : readString(lookup.vector, 'vector')
  return { collection: readString(lookup.collection, 'lookup_from.collection'), vector }
}
