import { describe, expect, it } from 'vitest'
import { isLocalEndpoint, KNOWN_PRICES, priceOf, readPriceTable } from '../../../src/contexts/spending/price-table.ts'
import { costOf, type PriceTable } from '../../../src/contexts/spending/prices.ts'

const OPENAI = 'https://api.openai.com/v1'
const NONE: PriceTable = new Map()

describe('the price of a model', () => {
  it('is that of the user, else that of a local endpoint, else the known one', () => {
    const own = readPriceTable('{"gpt-4o-mini": {"input": 1, "output": 2}}', 'file').prices
    expect(priceOf('gpt-4o-mini', OPENAI, own)).toEqual({ input: 1, cached: 1, cacheWritten: 1, output: 2 })
    expect(priceOf('gpt-4o-mini', OPENAI, NONE)).toBe(KNOWN_PRICES.get('gpt-4o-mini'))
    expect(priceOf('gpt-4o-mini-2024-07-18', OPENAI, own)?.input).toBe(1)
    expect(priceOf('claude-haiku-4-5-20251001', 'https://api.anthropic.com', NONE)?.output).toBe(5)
    expect(priceOf('claude-3-5-haiku-latest', 'https://api.anthropic.com', NONE)?.output).toBe(4)
    expect(priceOf('qwen3', 'http://localhost:11434/v1', NONE)?.input).toBe(0)
    expect(priceOf('gpt-4o-mini', 'http://ollama:11434/v1', own)?.input).toBe(1)
    expect(priceOf('rules', null, NONE)?.output).toBe(0)
    expect(priceOf('never-seen', OPENAI, NONE)).toBeUndefined()
  })

  it('counts each kind of token once', () => {
    const usage = { input: 1_000_000, cached: 2_000_000, cacheWritten: 4_000_000, output: 1_000_000 }
    expect(costOf(usage, KNOWN_PRICES.get('claude-haiku-4-5'))).toBeCloseTo(1 + 0.2 + 5 + 5, 9)
  })

  it.each([
    ['{', /^file: is not JSON: /u],
    ['[]', /^file=…: must be an object of models$/u],
    ['{"m": {"input": "1", "output": 2}}', /^file\.m\.input="1": must be a number of US dollars/u],
    ['{"m": {"input": -1, "output": 2}}', /^file\.m\.input=-1: must not be negative$/u],
    ['{"m": {"input": 1}}', /^file\.m\.output: must be a number/u],
    [
      '{"m": {"input": 1, "output": 1, "cash": 1}}',
      /^file\.m: unknown key cash.*known are: input, cached, cacheWritten, output$/u,
    ],
  ])('of a file %s is refused with its place', (text, fault) => {
    const { prices, faults } = readPriceTable(text, 'file')
    expect(prices.size).toBe(0)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(fault)
  })
})

describe('a local endpoint', () => {
  it.each([
    'http://127.0.0.1:1/v1',
    'http://localhost/v1',
    'http://ollama:11434',
    'http://10.1.2.3',
    'http://172.31.0.1',
    'http://192.168.1.1',
    'http://[::1]:1',
    'http://[fd00::1]',
    'http://a.localhost',
  ])('is %s', endpoint => expect(isLocalEndpoint(endpoint)).toBe(true))
  it.each([
    'https://api.openai.com/v1',
    'http://172.32.0.1',
    'http://11.0.0.1',
    'http://8.8.8.8',
    'http://[2001:db8::1]',
    'http://localhost.example.com',
    'nonsense',
  ])('is not %s', endpoint => expect(isLocalEndpoint(endpoint)).toBe(false))
})
