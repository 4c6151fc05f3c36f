import { describe, expect, it } from 'vitest'
import { goodContext, requestsOf, runOverChunks } from '../../adapters/contexts/support/bad-run.ts'
import type { LlmFault } from '../../support/llm-server.ts'

/** After these the client has an answer, good or bad. */
const FILLS_THE_CACHE: readonly (LlmFault | null)[] = [null, 'slow', 'refusal', 'wrongLanguage', 'empty']

describe.each(['openai', 'anthropic'] as const)('a run over 1,000 chunks with a bad model behind %s', kind => {
  it('loses no chunk, keeps the limit, fills each cache once, and is the same in any order', async () => {
    const requests = requestsOf(1_000)
    const { contexts, stats } = await runOverChunks(kind, requests)
    expect(contexts).toHaveLength(1_000)
    for (const [at, { chunk }] of requests.entries()) {
      const { text, fallback } = contexts[at] ?? {}
      if (fallback === null) expect(text).toBe(goodContext(chunk.text))
      else expect(text).not.toBe('')
    }
    expect(stats.mostInFlight).toBeLessThanOrEqual(10)
    expect(Object.keys(stats.faults).sort()).toEqual([
      'cut',
      'empty',
      'errorInside',
      'notJson',
      'refusal',
      'serverError',
      'slow',
      'tooMany',
      'wrongLanguage',
    ])
    // Of each document one call ends before the next one begins.
    for (const document of new Set(stats.requests.map(asked => asked.document))) {
      const ofDocument = stats.requests.filter(asked => asked.document === document)
      const firstAnswer = Math.min(
        ...ofDocument.map(({ ended, fault }) =>
          FILLS_THE_CACHE.includes(fault) ? (ended ?? 0) : Number.POSITIVE_INFINITY,
        ),
      )
      const untilFirst = ofDocument.filter(({ began }) => began < firstAnswer)
      for (const [at, { began }] of untilFirst.entries()) expect(began).toBeGreaterThan(untilFirst[at - 1]?.ended ?? -1)
    }
    const again = await runOverChunks(kind, requests.toReversed(), { slowMs: 1 })
    expect(again.contexts.toReversed().map(({ text, fallback }) => [text, fallback])).toEqual(
      contexts.map(({ text, fallback }) => [text, fallback]),
    )
  })
})
