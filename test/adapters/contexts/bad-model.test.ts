import { describe, expect, it } from 'vitest'
import { createRulesWriter } from '../../../src/contexts/rules/rules-writer.ts'
import { countTokens } from '../../contexts/support/requests.ts'
import { goodContext, requestsOf, runOverChunks } from './support/bad-run.ts'

describe.each(['openai', 'anthropic'] as const)('a run with a bad model behind %s', kind => {
  it('ends with the context of the model or of the rules for each chunk, within the limit, and counts what was used', async () => {
    const requests = requestsOf(60)
    const faults = {
      tooMany: 0.1,
      serverError: 0.05,
      refusal: 0.1,
      wrongLanguage: 0.05,
      empty: 0.05,
      notJson: 0.05,
      errorInside: 0.05,
    }
    const { contexts, stats } = await runOverChunks(kind, requests, { faults })
    const rules = createRulesWriter({ countTokens })
    for (const [at, request] of requests.entries()) {
      const { text, fallback, calls } = contexts[at] ?? {}
      const byRules = await rules.write(request, new AbortController().signal)
      expect(text).toBe(fallback === null ? goodContext(request.chunk.text) : byRules.text)
      expect(calls).toBeLessThanOrEqual(2)
    }
    const fallbacks = contexts.filter(({ fallback }) => fallback !== null).length
    expect(fallbacks).toBeGreaterThan(0)
    expect(fallbacks).toBeLessThan(20)
    expect(stats.mostInFlight).toBeLessThanOrEqual(10)
    expect(stats.inFlight).toBe(0)
    const sum = (key: 'input' | 'cached' | 'cacheWritten' | 'output') =>
      contexts.reduce((total, { usage }) => total + usage[key], 0)
    expect([sum('input'), sum('cached'), sum('cacheWritten'), sum('output')]).toEqual([
      ...[stats.inputTokens, stats.cachedTokens, stats.cacheWrittenTokens, stats.outputTokens],
    ])
  })
})
