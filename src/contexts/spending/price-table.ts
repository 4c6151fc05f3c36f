import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { describeIssues, strictObject } from '../../core/schema-faults.ts'
import type { ModelPrice, PriceTable } from './prices.ts'

function price(input: number, cached: number, cacheWritten: number, output: number): ModelPrice {
  return { input, cached, cacheWritten, output }
}

/** List prices of 2026-06 in US dollars per million tokens, without discounts. Prices change: a run of some size needs `CONTEXT_PRICES_FILE`. */
export const KNOWN_PRICES: PriceTable = new Map([
  ['gpt-4o-mini', price(0.15, 0.075, 0.15, 0.6)],
  ['gpt-4o', price(2.5, 1.25, 2.5, 10)],
  ['claude-3-haiku', price(0.25, 0.03, 0.3, 1.25)],
  ['claude-3-5-haiku', price(0.8, 0.08, 1, 4)],
  ['claude-haiku-4-5', price(1, 0.1, 1.25, 5)],
  ['claude-sonnet-4', price(3, 0.3, 3.75, 15)],
  ['claude-sonnet-4-5', price(3, 0.3, 3.75, 15)],
])

const FREE = price(0, 0, 0, 0)
/** `gpt-4o-mini-2024-07-18`, `claude-haiku-4-5-20251001`, `claude-3-5-haiku-latest` */
const VERSION = /-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/u

/** The price of a model: that of its name, else of its name without a date. Local endpoints cost nothing, unless the table names the model. */
export function priceOf(model: string, endpoint: string | null, own: PriceTable): ModelPrice | undefined {
  const priceIn = (table: PriceTable) => table.get(model) ?? table.get(model.replace(VERSION, ''))
  return priceIn(own) ?? (endpoint === null || isLocalEndpoint(endpoint) ? FREE : priceIn(KNOWN_PRICES))
}

const amount = z.number('must be a number of US dollars per million tokens').min(0, 'must not be negative')
const modelPrice = strictObject({
  input: amount,
  cached: amount.optional(),
  cacheWritten: amount.optional(),
  output: amount,
}).transform(({ input, cached = input, cacheWritten = input, output }) => price(input, cached, cacheWritten, output))
const priceFile = z.record(z.string(), modelPrice, 'must be an object of models')

/**
 * Reads a table of prices: `{"MODEL": {"input": 1, "cached": 0.1, "cacheWritten": 1.25, "output": 5}}`. Without `cached` and
 * `cacheWritten`, such tokens cost as much as input.
 * @param place where the text stands, such as `CONTEXT_PRICES_FILE=prices.json`
 */
export function readPriceTable(text: string, place: string): { prices: PriceTable; faults: string[] } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { prices: new Map(), faults: [`${place}: is not JSON: ${(error as Error).message}`] }
  }
  const read = priceFile.safeParse(json)
  if (!read.success) return { prices: new Map(), faults: describeIssues(read.error, place, json) }
  return { prices: new Map(Object.entries(read.data)), faults: [] }
}

const PRIVATE = new BlockList()
PRIVATE.addSubnet('127.0.0.0', 8)
PRIVATE.addSubnet('10.0.0.0', 8)
PRIVATE.addSubnet('172.16.0.0', 12)
PRIVATE.addSubnet('192.168.0.0', 16)
PRIVATE.addSubnet('169.254.0.0', 16)
PRIVATE.addSubnet('::1', 128, 'ipv6')
PRIVATE.addSubnet('fc00::', 7, 'ipv6')
PRIVATE.addSubnet('fe80::', 10, 'ipv6')

/** Whether an endpoint is on this machine or in a private network, by its address or by a name without dots such as `ollama`. */
export function isLocalEndpoint(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const host = new URL(endpoint).hostname.replace(/^\[|\]$/gu, '')
  const family = isIP(host)
  if (family !== 0) return PRIVATE.check(host, family === 4 ? 'ipv4' : 'ipv6')
  return !host.includes('.') || host.endsWith('.localhost')
}
