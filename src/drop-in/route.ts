import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import type { PassthroughReason } from '../core/vocabulary.ts'
import { readBody } from '../http/body/read-body.ts'
import { callerOf, type TenantOf } from '../http/caller.ts'
import { handOver } from '../http/passthrough/hand-over.ts'
import type { Caller } from '../pipeline/context-request.ts'
import { startDeadline } from '../pipeline/deadline.ts'
import type { ChoosePoints } from '../pipeline/services.ts'
import type { QdrantHttp } from '../qdrant/client.ts'
import { readSearchTarget, type SearchTarget } from '../qdrant/paths.ts'
import { improvePoints } from './answer.ts'
import { NotImproved } from './failure.ts'
import type { PointSlice } from './points/point-slices.ts'
import { findQueryText } from './query/query-text.ts'
import { type UnderstoodQuery, understand } from './query/understand.ts'
import { improvingTimeMs, readJsonText } from './request.ts'
import { type ImprovedAnswer, sendImproved } from './response.ts'
import { forwardedHeaders, searchLists } from './upstream-search.ts'

/** What became of one request with the flag on, for metrics and the log; `detail` is not for clients. */
export interface ImproveEvent {
  /** Null when the answer was improved. */
  reason: PassthroughReason | null
  detail: string
  tenant: string | null
  applied: string[]
  degraded: string[]
  seconds: number
}

export interface ImproveDependencies {
  http: QdrantHttp
  choosePoints: ChoosePoints
  tenantOf: TenantOf
  /** The flag: whether this caller's searches are to be improved. */
  enabled(caller: Caller): boolean
  /** Hits asked of each list, at least. */
  pool: number
  /** Longest time that improving may take before the original request is sent instead. */
  deadlineMs: number
  /** Longest body that is buffered; a longer one streams through. */
  maxBytes: number
  report(event: ImproveEvent): void
}

/** The deepest lists that reranking can use, and bodies that no search outgrows. */
export const IMPROVE_DEFAULTS = { pool: 50, deadlineMs: 2_500, maxBytes: 8 * 1024 * 1024 } as const

/**
 * Improves `POST /collections/{c}/points/{query,search}[/batch]`. With the flag off the request goes on to the next handler,
 * unread. Whatever fails, is refused, missing or late, the client's original request is sent instead: improving may cost
 * quality, never an answer.
 */
export function createImproveHandler(dependencies: ImproveDependencies): RequestHandler {
  const { enabled, tenantOf, maxBytes, report } = dependencies
  return async function improveOrPass(request, response, next) {
    const caller = callerOf(request, response, tenantOf)
    const target = readSearchTarget(request.originalUrl)
    if (target === null || !enabled(caller)) {
      handOver(response, { reason: 'off' })
      return next()
    }
    const started = performance.now()
    const secondsSoFar = () => (performance.now() - started) / 1000
    const { body, complete } = await readBody(request, response, maxBytes)
    const outcome = complete
      ? await improve(request, body, target, caller, dependencies).catch(asNotImproved)
      : new NotImproved('body_too_large', `more than ${maxBytes} bytes`)
    if (caller.signal.aborted) return
    if (outcome instanceof NotImproved) {
      const { reason, message: detail } = outcome
      response.setHeader('x-stowage-applied', 'passthrough').setHeader('x-stowage-degraded', reason)
      handOver(response, { reason, body })
      report({ reason, detail, tenant: caller.tenant, applied: [], degraded: [reason], seconds: secondsSoFar() })
      next()
    } else {
      const sent = sendImproved(response, target, outcome, secondsSoFar())
      report({ reason: null, detail: '', tenant: caller.tenant, ...sent, seconds: secondsSoFar() })
    }
  }
}

function asNotImproved(error: unknown): NotImproved {
  return error instanceof NotImproved ? error : new NotImproved('pipeline_failed', String(error), { cause: error })
}

async function improve(
  request: IncomingMessage,
  body: Buffer,
  target: SearchTarget,
  caller: Caller,
  { http, choosePoints, pool, deadlineMs }: ImproveDependencies,
): Promise<ImprovedAnswer> {
  const queries = understand(readJsonText(request, body), target)
  if ('reason' in queries) throw new NotImproved('query_not_understood', queries.reason)
  const timeMs = improvingTimeMs(target.queryString, deadlineMs)
  const deadline = startDeadline(caller.signal, timeMs)
  const choosing = startDeadline(deadline.signal, timeMs * CHOOSING_SHARE)
  const headers = forwardedHeaders(request.rawHeaders)
  const call = { http, target, headers, signal: deadline.signal }
  try {
    const upstream = await searchLists(queries, pool, call)
    const retrieved = assignLists(queries, upstream.searches).map(({ query, lists }) => {
      const words = findQueryText(request.headers['x-stowage-query']?.toString(), query)
      return { query, lists, words, collection: target.collection }
    })
    const choices = retrieved.map(one => improvePoints(one, choosePoints, call, { ...caller, signal: choosing.signal }))
    return { searches: await Promise.race([Promise.all(choices), whenAborted(deadline.signal)]), upstream }
  } catch (error) {
    if (error instanceof NotImproved || !choosing.signal.aborted) throw error
    throw new NotImproved('deadline', `while choosing points: ${error}`, { cause: error })
  } finally {
    choosing.dispose()
    deadline.dispose()
  }
}

/** Choosing is told to end before the whole must: a reranker that stops early still prefetches a better order than none. */
const CHOOSING_SHARE = 0.8

/** Deals the lists of one answer out to the queries that asked for them. */
function assignLists(queries: readonly UnderstoodQuery[], lists: readonly PointSlice[][]) {
  let next = 0
  return queries.map(query => {
    const start = next
    next += query.prefetches.length
    return { query, lists: lists.slice(start, next) }
  })
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new NotImproved('deadline', 'while choosing points'))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
