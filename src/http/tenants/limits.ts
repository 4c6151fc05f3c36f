import { TokenBucket } from 'limiter'
import { getOrInsert } from '../../core/collections.ts'
import { StowageError } from '../../core/errors.ts'
import type { Reporter } from '../../observe/events.ts'
import type { TenantLimit } from '../../observe/metrics/tenants.ts'
import { type StartTimer, systemTimer } from '../../pipeline/deadline.ts'
import type { Tenant, TenantLimits } from '../../tenants/tenant.ts'
import { counted } from '../../text/printable.ts'
import { tenantOf } from '../caller.ts'
import { limitedBy } from '../observe-requests.ts'
import type { Next, Step, StepResponse } from '../step.ts'

/** Keeps each tenant within its limits. */
export interface TenantLimiter {
  /**
   * Admits a request of the tenant that `authenticate` found, or refuses it before its body is read: with `too_many_requests` and
   * `retry_after`. A request is in flight until its answer is sent or its client has left. Without a tenant, nothing is limited.
   */
  handler: Step
  /** Tells which tenants are declared, at the start and after each reload. What is known of others is forgotten. */
  declare(names: ReadonlySet<string>): void
}

/** What is known of one tenant. A reload changes the limits, and all of this goes on. */
interface TenantState {
  inFlight: number
  /** Null without a limit of the rate. */
  bucket: TokenBucket | null
  /** Refusals that may be answered at once. */
  promptRefusals: TokenBucket
  /** Refusals that are not answered yet. */
  held: number
  /** Where between the least and the most the wait of the last one was, in [0,1). */
  spread: number
}

type Rate = NonNullable<TenantLimits['rate']>

/** A tenant that is refused more often than this is flooding. */
const PROMPT_REFUSALS: Rate = { perSecond: 10, burst: 20 }
/**
 * How long a client waits for its refusal while its tenant floods, in milliseconds. Most clients ask again as soon as they are refused, and
 * reading that is work, too: 200 connections that are refused at once ask some thousand times in a second, and now they ask 130 times.
 */
const FLOOD_REFUSAL_MS = { least: 1_000, most: 2_000 }
/** Steps of the golden ratio spread evenly, however many there are: refusals that came together are not answered together. */
const SPREAD = (Math.sqrt(5) - 1) / 2
/** More refusals of one tenant are not held, so that memory is bounded; then the connection is closed. */
const MOST_HELD = 1_000

/**
 * Takes a token of a tenant out of the bucket that several processes share. Never rejects.
 * @returns 0 for a token, else milliseconds until there is one; null when nobody can say
 */
export type TakeShared = (tenant: string, rate: Rate) => Promise<number | null>

interface LimiterOptions {
  startTimer?: StartTimer
  /** Is asked for what this process admits by itself. Null: the process has its own limits only. */
  takeShared?: TakeShared | null
  /** Number of processes that share the requests of each tenant: each admits its part of the limits. With `takeShared`, the rate is not divided. */
  workers?: number
}

/** The limiter of one process. */
export function createTenantLimiter(
  { tenantsDeclared }: Pick<Reporter, 'tenantsDeclared'>,
  { startTimer = systemTimer, takeShared = null, workers = 1 }: LimiterOptions = {},
): TenantLimiter {
  const states = new Map<string, TenantState>()

  function stateOf({ name, limits }: Tenant): TenantState {
    const state = getOrInsert(states, name, () => ({
      inFlight: 0,
      bucket: null,
      promptRefusals: fullBucket(PROMPT_REFUSALS),
      held: 0,
      spread: 0,
    }))
    state.bucket = currentBucket(state.bucket, partOf(limits.rate, takeShared === null ? workers : 1))
    return state
  }

  function refuse(state: TenantState, refusal: Refusal, response: StepResponse, next: Next): void {
    const answer = () => next(tooManyRequests(refusal))
    if (state.promptRefusals.tryRemoveTokens(1)) answer()
    else if (state.held < MOST_HELD) hold(state, response, answer)
    else {
      response.setHeader('connection', 'close')
      answer()
    }
  }

  function hold(state: TenantState, response: StepResponse, answer: () => void): void {
    state.held++
    state.spread = (state.spread + SPREAD) % 1
    const { least, most } = FLOOD_REFUSAL_MS
    const stopTimer = startTimer(least + state.spread * (most - least), answer)
    response.once('close', () => {
      stopTimer()
      state.held--
    })
  }

  return {
    handler(_request, response, next) {
      const tenant = tenantOf(response)
      if (tenant === null) return next()
      const state = stateOf(tenant)
      const refuseFor = (refusal: Refusal) => {
        limitedBy(response, { tenant: tenant.name, limit: refusal.limit })
        refuse(state, refusal, response, next)
      }
      const refusal = refusalOf(state, tenant.limits, workers)
      if (refusal !== null) return refuseFor(refusal)
      state.inFlight++
      let isInFlight = true
      const leave = () => {
        if (isInFlight) state.inFlight--
        isInFlight = false
      }
      response.once('close', leave)
      const { rate } = tenant.limits
      if (takeShared === null || rate === null) return next()
      return takeShared(tenant.name, rate).then(waitMs => {
        // The client can have left meanwhile.
        if (response.destroyed) return
        if (!waitMs) return next()
        leave()
        refuseFor(rateRefusal(rate, waitMs))
      })
    },
    declare(names) {
      for (const name of states.keys()) if (!names.has(name)) states.delete(name)
      tenantsDeclared({ names })
    },
  }
}

/** The part of one worker. A burst is rounded up: with less than one request, none would ever be admitted. */
function partOf(rate: Rate | null, workers: number): Rate | null {
  if (rate === null || workers === 1) return rate
  return { perSecond: rate.perSecond / workers, burst: Math.ceil(rate.burst / workers) }
}

/** The bucket under the limits of now: a new one is full, and one whose numbers changed keeps what it holds. */
function currentBucket(bucket: TokenBucket | null, rate: Rate | null): TokenBucket | null {
  if (rate === null) return null
  if (bucket === null) return fullBucket(rate)
  const { perSecond, burst } = rate
  if (bucket.bucketSize === burst && bucket.tokensPerInterval === perSecond) return bucket
  // The time until now counts at the rate of before.
  bucket.drip()
  bucket.bucketSize = burst
  bucket.tokensPerInterval = perSecond
  bucket.content = Math.min(bucket.content, burst)
  return bucket
}

function fullBucket({ perSecond, burst }: Rate): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: burst, tokensPerInterval: perSecond, interval: 1_000 })
  bucket.content = burst
  return bucket
}

interface Refusal {
  limit: TenantLimit
  message: string
  /** Milliseconds. */
  waitMs: number
}

/** Takes a token when the request is admitted. Null: admitted. */
function refusalOf(
  { inFlight, bucket }: TenantState,
  { rate, concurrency }: TenantLimits,
  workers: number,
): Refusal | null {
  if (concurrency !== null && inFlight >= Math.ceil(concurrency / workers))
    return { limit: 'concurrency', message: `${counted(concurrency, 'request')} at a time`, waitMs: 0 }
  if (bucket === null || rate === null || bucket.tryRemoveTokens(1)) return null
  return rateRefusal(rate, bucket.getWaitTime(1))
}

function rateRefusal({ perSecond }: Rate, waitMs: number): Refusal {
  return { limit: 'rate', message: `${counted(perSecond, 'request')} per second`, waitMs }
}

function tooManyRequests({ message, waitMs }: Refusal): StowageError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
  return new StowageError('too_many_requests', `The limit is ${message}. Try again after ${seconds} s`, {
    details: { retry_after: seconds },
  })
}
