import type { IncomingMessage } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import { Pace } from '../../pipeline/pacing/pace.ts'
import type { QdrantAnswer, QdrantHttp } from '../../qdrant/client.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { filterHeaders } from '../../qdrant/raw-headers.ts'
import { elements } from '../../qdrant/raw-json.ts'
import type { MatchRoute, PointCheck } from '../../tenants/guard/guarded.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { decodeJsonText } from '../body/json-text.ts'
import { readBody } from '../body/read-body.ts'
import { apiKeyOf, goneSignal, tenantOf } from '../caller.ts'
import { sendRewritten } from '../passthrough/send-rewritten.ts'
import type { Step, StepRequest, StepResponse } from '../step.ts'
import { memberOf, readResult } from './answers/envelope.ts'
import { sendShaped } from './answers/shaped-answer.ts'
import { guardedMessage } from './guarded-message.ts'
import { readForTenant, type TenantCall } from './tenant-call.ts'

export interface GuardDependencies {
  /** For checks, and for answers that are rewritten. */
  http: QdrantHttp
  matchRoute: MatchRoute
  /** Most bytes of a JSON body. Default: 32 MiB, as in Qdrant. */
  maxBodyBytes?: number
  /** Called with the status when a request is refused because it does not keep to what is the tenant's. */
  onRefused?: (status: number) => void
}

/** Statuses of a refusal. Others are failures of Qdrant, limits, or bodies that cannot be read. */
const REFUSALS: readonly number[] = [400, 403, 404, 422]

/**
 * Guards the requests of tenants. `routes` gets a request of its own, made from the guarded form; what the client sent ends here.
 * A request without a tenant is refused.
 */
export function guardRequests(
  routes: Step,
  { http, matchRoute, maxBodyBytes = 32 * 2 ** 20, onRefused = () => {} }: GuardDependencies,
): Step {
  return async function guardRequest(request, response, next) {
    const tenant = tenantOf(response)
    if (tenant === null) throw new StowageError('unauthorized', 'No tenant was found for this request')
    /** Reports the refusals of a step of the guard. */
    const guarding = async <Result>(step: () => Result | Promise<Result>): Promise<Result> => {
      try {
        return await step()
      } catch (error) {
        if (error instanceof StowageError && REFUSALS.includes(error.status)) onRefused(error.status)
        throw error
      }
    }
    const route = await guarding(() => matchRoute(request.method, request.originalUrl, tenant))
    const received = await receiveBody(request, response, maxBodyBytes)
    const signal = goneSignal(response)
    const guarded = await guarding(() => {
      const steps = route.guard(route.readsBody ? decodeJsonText(request, received) : null)
      return new Pace(signal, { tenant: tenant.name }).run(steps, 0)
    })

    refuseGrown(guarded.body, maxBodyBytes)
    const headers = tenantHeaders(request, tenant)
    const call: TenantCall = { http, tenant, headers, signal }
    const refused = await guarding(() => makeChecks(guarded.checks, call))
    if (refused !== null) return sendRewritten(response, refused.status, refused.headers, refused.text)
    if (guarded.answer.kind !== 'unchanged') return sendShaped(guarded, route.collection, call, response)
    const body = guarded.body ?? (route.readsBody ? '' : received)
    return routes(guardedMessage(request, guarded, headers, body), response, next)
  }
}

/** The condition of the tenant stands in every search and prefetch, so a body can grow beyond what Qdrant takes. */
function refuseGrown(body: string | null, maxBytes: number): void {
  if (body === null || Buffer.byteLength(body) <= maxBytes) return
  const message = `With the condition of the tenant, the JSON payload is larger than allowed (limit: ${maxBytes} bytes). Send fewer searches, prefetches or points at once.`
  throw new StowageError('payload_too_large', message)
}

/** The body of a request, all of it. Bodies of methods that have none by themselves are left unread, and go nowhere. */
async function receiveBody(request: StepRequest, response: StepResponse, maxBytes: number): Promise<Buffer> {
  if (!['POST', 'PUT', 'PATCH'].includes(request.method)) return Buffer.alloc(0)
  const { body, complete } = await readBody(request, response, maxBytes)
  if (complete) return body
  throw new StowageError('payload_too_large', `JSON payload is larger than allowed (limit: ${maxBytes} bytes).`)
}

/**
 * Headers of a tenant that may go to Qdrant: content negotiation, ranges of a download, tracing, routing, the question and the session of a
 * search, and the keys of inference providers. No other header goes on, because one that a proxy in front of Qdrant understands could change what is asked for.
 */
const FORWARDED =
  /^(?:accept|accept-encoding|range|if-range|user-agent|via|x-forwarded-for|x-request-id|x-tracing-id|traceparent|tracestate|x-qdrant-route-affinity|x-stowage-(?:query|session)|.+-api-key)$/

/** Raw header pairs for Qdrant: the harmless ones of the client, and the upstream key in place of the tenant's key. */
function tenantHeaders(client: IncomingMessage, tenant: Tenant): string[] {
  const key = apiKeyOf(client)
  const isHarmless = (name: string, value: string) => FORWARDED.test(name) && (key === null || !value.includes(key))
  const upstreamKey = tenant.upstreamKey === null ? [] : ['api-key', tenant.upstreamKey]
  return [...filterHeaders(client.rawHeaders, isHarmless), ...upstreamKey]
}

/**
 * Searches for the points of each check, one after the other. A request goes on only when all of them find what they need.
 * @returns null, or Qdrant's refusal of one of the searches, which is then the answer to the request
 * @throws StowageError the refusal of the first check that fails, or the failure to search
 */
async function makeChecks(checks: readonly PointCheck[], call: TenantCall): Promise<QdrantAnswer | null> {
  for (const { collection, filter, count, refusal } of checks) {
    const body = `{"filter":${filter},"limit":${count + 1},"with_payload":false,"with_vector":false}`
    const target = collectionPath(collection, 'points/scroll')
    const answer = await readForTenant({ method: 'POST', target, body }, call)
    if (answer.status !== 200) return answer
    if (readResult(answer.text, result => elements(memberOf(result, 'points'))).length !== count) throw refusal
  }
  return null
}
