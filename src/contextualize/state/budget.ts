import type { ContextRequest } from '../../contexts/context.ts'
import { costOf, type ModelPrice } from '../../contexts/spending/prices.ts'

/** A context that does not pass the check is asked for once more. */
const CALLS = 2

/** Reserves the worst case of a request. @returns what ends the reservation; null when the request could pass the limit */
export type Budget = (request: ContextRequest) => (() => void) | null

/**
 * Keeps what is spent, with the worst case of what is in flight, below a limit.
 * @param limit in US dollars
 * @param spent so far, without what is in flight
 */
export function createBudget(
  limit: number,
  spent: () => number,
  worstCase: (request: ContextRequest) => number,
): Budget {
  let inFlight = 0
  return request => {
    const cost = worstCase(request)
    if (spent() + inFlight + cost > limit) return null
    inFlight += cost
    return () => {
      inFlight -= cost
    }
  }
}

/**
 * What a request can cost at most in US dollars: no cached token, the longest answer, and a second call.
 * @param promptTokens of the longest prompt for a request
 * @param outputTokens of the longest answer
 */
export function worstCaseOf(
  price: ModelPrice,
  promptTokens: (request: ContextRequest) => number,
  outputTokens: number,
): (request: ContextRequest) => number {
  const dearest = Math.max(price.input, price.cacheWritten)
  return request => {
    const usage = { input: promptTokens(request) * CALLS, cached: 0, cacheWritten: 0, output: outputTokens * CALLS }
    return costOf(usage, { ...price, input: dearest }) ?? 0
  }
}
