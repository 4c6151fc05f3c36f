import type { TokenUsage } from '../context.ts'

/** US dollars for a million tokens. */
export type ModelPrice = Record<keyof TokenUsage, number>

/** Prices by the name of the model. */
export type PriceTable = ReadonlyMap<string, ModelPrice>

/** What a usage costs in US dollars; null for a model without a price, unless nothing was used. */
export function costOf(usage: TokenUsage, price: ModelPrice | undefined): number | null {
  const { input, cached, cacheWritten, output } = usage
  if (input + cached + cacheWritten + output === 0) return 0
  if (price === undefined) return null
  const millionths =
    input * price.input + cached * price.cached + cacheWritten * price.cacheWritten + output * price.output
  return millionths / 1_000_000
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    cacheWritten: a.cacheWritten + b.cacheWritten,
    output: a.output + b.output,
  }
}
