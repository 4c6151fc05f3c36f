import type { ContextRequest } from '../../contexts/context.ts'
import { costOf, type ModelPrice } from '../../contexts/spending/prices.ts'

/** Tokens of the instructions of a prompt; more than any shipped prompt has. */
const INSTRUCTION_TOKENS = 600
/** Longer documents are sent in segments. */
export const SEGMENT_TOKENS = 8_000
export const MOST_OUTPUT_TOKENS = 150
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

/** What a request can cost at most in US dollars: no cached token, the longest answer, and a second call. */
export function worstCaseOf(
  price: ModelPrice,
  countTokens: (text: string) => number,
): (request: ContextRequest) => number {
  const dearest = Math.max(price.input, price.cacheWritten)
  return ({ document, chunk }) => {
    const prompt = Math.min(countTokens(document.text), SEGMENT_TOKENS) + countTokens(chunk.text) + INSTRUCTION_TOKENS
    const usage = { input: prompt * CALLS, cached: 0, cacheWritten: 0, output: MOST_OUTPUT_TOKENS * CALLS }
    return costOf(usage, { ...price, input: dearest }) ?? 0
  }
}
