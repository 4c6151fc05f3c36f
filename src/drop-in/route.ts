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
import type { PayloadMappings } from '../qdrant/payload-mappings.ts'
import { improvePoints } from './answer.ts'
import { NotImproved } from './not-improved.ts'
import { understand } from './query/understand.ts'
import { improvingTimeMs, readJsonText } from './request.ts'
import { type ImprovedAnswer, sendImproved } from './response.ts'
import { forwardedHeaders, searchLists } from './upstream-search.ts'

/** Outcome of one search, for metrics and the log. */
export interface ImproveEvent {
  /** Null when the answer was improved. */
  reason: PassthroughReason | null
  /** Not for clients. */
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
  /** Whether searches of this caller are improved. */
  enabled(caller: Caller): boolean
  /** Least number of hits asked of each list. */
  pool: number
  /** Longest time for improving, in milliseconds. */
  deadlineMs: number
  /** Payload fields of collections that stowage has not written. */
  mappings?: PayloadMappings
  /** Most bytes of a body that is buffered; a longer one passes through. Default: 8 MiB, more than any search. */
  maxBytes?: number
  report(event: ImproveEvent): void
}

/** Share of the time after which choosing points is aborted. A reranker that stops early still gives a useful order. */
const CHOOSING_SHARE = 0.8

/**
 * Improves `POST /collections/{name}/points/{query,search}[/batch]`. When anything fails, is refused or takes too long, the
 * client's original request is forwarded instead.
 */
export function createImproveHandler(dependencies: ImproveDependencies): RequestHandler {
  const { enabled, tenantOf, maxBytes = 8 * 1024 * 1024, report } = dependencies
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
  { http, choosePoints, pool, deadlineMs, mappings = {} }: ImproveDependencies,
): Promise<ImprovedAnswer> {
  const queries = understand(readJsonText(request, body), target)
  const timeMs = improvingTimeMs(target.queryString, deadlineMs)
  const deadline = startDeadline(caller.signal, timeMs)
  const choosing = startDeadline(deadline.signal, timeMs * CHOOSING_SHARE)
  const call = { http, target, headers: forwardedHeaders(request.rawHeaders), signal: deadline.signal }
  const queryHeader = request.headers['x-stowage-query']?.toString()
  try {
    const upstream = await searchLists(queries, pool, call)
    const choices = queries.map((query, index) => {
      const retrieved = { query, queryHeader, lists: upstream.lists[index] ?? [], mapping: mappings[target.collection] }
      return improvePoints(retrieved, choosePoints, call, { ...caller, signal: choosing.signal })
    })
    return { searches: await Promise.race([Promise.all(choices), whenAborted(deadline.signal)]), upstream }
  } catch (error) {
    if (error instanceof NotImproved || !choosing.signal.aborted) throw error
    throw new NotImproved('deadline', `while choosing points: ${error}`, { cause: error })
  } finally {
    choosing.dispose()
    deadline.dispose()
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(new NotImproved('deadline', 'while choosing points'))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}
