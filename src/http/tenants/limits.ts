import type { RequestHandler } from 'express'
import { TokenBucket } from 'limiter'
import { StowageError } from '../../core/errors.ts'
import type { Reporter } from '../../observe/events.ts'
import type { TenantLimit } from '../../observe/metrics.ts'
import type { Tenant, TenantLimits } from '../../tenants/tenant.ts'
import { limitedBy } from '../observe-requests.ts'
import { tenantOf } from './authenticate.ts'

/** Keeps each tenant within its limits. */
export interface TenantLimiter {
  /**
   * Admits a request of the tenant that `authenticate` found, or refuses it before its body is read. A request is in flight until
   * its answer is sent or its client has left. Without a tenant, nothing is limited.
   * @throws StowageError `too_many_requests` with `retry_after`
   */
  handler: RequestHandler
  /** Tells which tenants are declared, at the start and after each reload. What is known of others is forgotten. */
  declare(names: ReadonlySet<string>): void
}

/** Requests in flight and tokens of one tenant. A reload changes the limits, and both go on. */
interface TenantState {
  inFlight: number
  /** Null without a limit of the rate. */
  bucket: TokenBucket | null
}

/** The limiter of one process. */
export function createTenantLimiter({ tenantsDeclared }: Pick<Reporter, 'tenantsDeclared'>): TenantLimiter {
  const states = new Map<string, TenantState>()
  let declared: ReadonlySet<string> = new Set()

  function stateOf({ name, limits }: Tenant): TenantState {
    const known = states.get(name)
    const state = known ?? { inFlight: 0, bucket: null }
    if (known === undefined) states.set(name, state)
    state.bucket = currentBucket(state.bucket, limits.rate)
    return state
  }

  return {
    handler(_request, response, next) {
      const tenant = tenantOf(response)
      if (tenant === null) return next()
      const state = stateOf(tenant)
      const refusal = refusalOf(state, tenant.limits)
      if (refusal !== null) {
        limitedBy(response, { tenant: tenant.name, limit: refusal.limit })
        throw tooManyRequests(refusal)
      }
      state.inFlight++
      response.once('close', () => state.inFlight--)
      next()
    },
    declare(names) {
      for (const name of states.keys()) if (!names.has(name)) states.delete(name)
      const gone = [...declared].filter(name => !names.has(name))
      declared = new Set(names)
      tenantsDeclared({ names: declared, gone })
    },
  }
}

/** The bucket under the limits of now: a new one is full, and one whose numbers changed keeps what it holds. */
function currentBucket(bucket: TokenBucket | null, rate: TenantLimits['rate']): TokenBucket | null {
  if (rate === null) return null
  const { perSecond, burst } = rate
  if (bucket === null) {
    const full = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: 1_000 })
    full.content = burst
    return full
  }
  if (bucket.bucketSize === burst && bucket.tokensPerInterval === perSecond) return bucket
  // The time until now counts at the rate of before.
  bucket.drip()
  bucket.bucketSize = burst
  bucket.tokensPerInterval = perSecond
  bucket.content = Math.min(bucket.content, burst)
  return bucket
}

interface Refusal {
  limit: TenantLimit
  message: string
  /** Milliseconds. */
  waitMs: number
}

/** Takes a token when the request is admitted. Null: admitted. */
function refusalOf({ inFlight, bucket }: TenantState, { rate, concurrency }: TenantLimits): Refusal | null {
  if (concurrency !== null && inFlight >= concurrency) {
    return { limit: 'concurrency', message: `${concurrency} requests at a time`, waitMs: 0 }
  }
  if (bucket === null || rate === null || bucket.tryRemoveTokens(1)) return null
  return { limit: 'rate', message: `${rate.perSecond} requests per second`, waitMs: bucket.getWaitTime(1) }
}

function tooManyRequests({ message, waitMs }: Refusal): StowageError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new StowageError('too_many_requests', `The limit is ${message}. Try again after ${seconds} s`, {
    details: { retry_after: seconds },
  })
}
