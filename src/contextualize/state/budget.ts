import type { ContextRequest } from '../../contexts/context.ts'
import { costOf, type ModelPrice } from '../../contexts/spending/prices.ts'

/** Tokens of the instructions of a prompt; more than any shipped prompt has. */
const INSTRUCTION_TOKENS = 600
/** Longer documents are sent in segments. */
export const SEGMENT_TOKENS = 8_000
export const MOST_OUTPUT_TOKENS = 150
/** A context that does not pass the check is asked for once more. */
const CALLS = 2

/** Keeps what is spent, with the worst case of what is in flight, below a limit. */
export class Budget {
  readonly #limit: number
  readonly #spent: () => number
  readonly #worstCase: (request: ContextRequest) => number
  #inFlight = 0

  /** @param limit in US dollars @param spent so far, without what is in flight */
  constructor(limit: number, spent: () => number, worstCase: (request: ContextRequest) => number) {
    this.#limit = limit
    this.#spent = spent
    this.#worstCase = worstCase
  }

  /** Reserves the worst case of a request. @returns what ends the reservation; null when the request could pass the limit */
  reserve(request: ContextRequest): (() => void) | null {
    const cost = this.#worstCase(request)
    if (this.#spent() + this.#inFlight + cost > this.#limit) return null
    this.#inFlight += cost
    return () => {
      this.#inFlight -= cost
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
