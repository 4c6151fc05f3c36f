import { setTimeout as pause } from 'node:timers/promises'
import { RateLimiter } from 'limiter'
import { LRUCache } from 'lru-cache'
import type { AskModel } from '../../contexts/model-writer.ts'
import { contentHash } from '../../text/fingerprint.ts'
import { abortable } from './abortable.ts'
import { MOST_OUTPUT_TOKENS } from './endpoint-options.ts'

export interface PacingOptions {
  /** Most requests in flight. */
  concurrency: number
  /** Null for no limit. */
  requestsPerMinute: number | null
  /** Of prompts and the most output; null for no limit. */
  tokensPerMinute: number | null
  countTokens: (text: string) => number
  /** Waits for milliseconds; rejects at an abort. */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}

/**
 * Calls of a model within its limits. Of all calls about one document the first goes alone: an endpoint can read its prompt cache only
 * after it has begun to answer the call that filled it.
 */
export function paced(ask: AskModel, options: PacingOptions): AskModel {
  const { countTokens, sleep = (milliseconds, signal) => pause(milliseconds, null, { signal }) } = options
  const takeTurn = createTurns(options.concurrency)
  const limits = [options.requestsPerMinute, options.tokensPerMinute].map(perMinute =>
    perMinute === null ? null : createMinuteLimit(perMinute, sleep),
  )
  const [requests = null, tokens = null] = limits
  return firstAlone(async (prompt, signal) => {
    const leave = await takeTurn(signal)
    try {
      await requests?.(1, signal)
      await tokens?.(countTokens(prompt.prefix) + countTokens(prompt.suffix) + MOST_OUTPUT_TOKENS, signal)
      return await ask(prompt, signal)
    } finally {
      leave()
    }
  })
}

/** At most so many at a time, in the order of their calls. */
function createTurns(most: number): (signal: AbortSignal) => Promise<() => void> {
  const waiting = new Set<() => void>()
  let taken = 0
  // A turn that is left goes to the next one in the queue, so that no newcomer takes it between.
  const leave = () => {
    const [next] = waiting
    if (next === undefined) taken--
    else {
      waiting.delete(next)
      next()
    }
  }
  return async signal => {
    signal.throwIfAborted()
    if (taken < most) {
      taken++
      return leave
    }
    let enter = () => {}
    const entered = new Promise<void>(resolve => {
      enter = resolve
    })
    waiting.add(enter)
    try {
      await abortable(entered, signal)
      return leave
    } catch (error) {
      // The turn can have come together with the abort.
      if (!waiting.delete(enter)) leave()
      throw error
    }
  }
}

/** A limit per minute. Calls wait in their order; one that is larger than the limit waits for a whole minute's worth. */
function createMinuteLimit(
  perMinute: number,
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>,
): (count: number, signal: AbortSignal) => Promise<void> {
  const limiter = new RateLimiter({ tokensPerInterval: perMinute, interval: 'minute' })
  let last: Promise<void> = Promise.resolve()
  const take = async (count: number, signal: AbortSignal) => {
    while (!limiter.tryRemoveTokens(count)) await sleep(Math.max(1, limiter.getWaitTime(count)), signal)
  }
  return (count, signal) => {
    const taken = last.then(() => take(Math.min(count, perMinute), signal))
    last = taken.catch(() => {})
    return abortable(taken, signal)
  }
}

/** No endpoint caches shorter prompts: OpenAI from 1,024 tokens, Anthropic from 1,024 to 4,096 by model. In UTF-16 code units. */
const SHORTEST_CACHED = 2_000
/** Endpoints keep a prompt for five minutes or longer after its last use. */
const CACHED_MS = 5 * 60_000
const MOST_PREFIXES = 10_000

/** Lets the first call with a prefix end before the others begin. When it fails, the next one is the first. */
function firstAlone(ask: AskModel): AskModel {
  const cached = new LRUCache<string, true>({ max: MOST_PREFIXES, ttl: CACHED_MS, updateAgeOnGet: true })
  const first = new Map<string, Promise<unknown>>()
  return async (prompt, signal) => {
    if (prompt.prefix.length < SHORTEST_CACHED) return ask(prompt, signal)
    const key = contentHash(prompt.prefix)
    for (let before = first.get(key); before !== undefined && !cached.has(key); before = first.get(key)) {
      const ended = before.catch(() => {})
      await abortable(ended, signal)
    }
    if (cached.get(key)) return ask(prompt, signal)
    const asked = ask(prompt, signal)
    first.set(key, asked)
    try {
      const reply = await asked
      cached.set(key, true)
      return reply
    } finally {
      first.delete(key)
    }
  }
}
