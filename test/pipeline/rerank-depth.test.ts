import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { rerank } from '../../src/pipeline/rerank/rerank.ts'
import { RunRecord } from '../../src/pipeline/run-record.ts'
import { candidate } from '../support/candidates.ts'

const POOL = Array.from({ length: 60 }, (_, at) => candidate({ id: at, text: `passage ${at}` }))

/** How many passages are scored behind a wait, and what is said of it. */
async function scoredBehind(waitMs: number, leastDepth: number | null) {
  const plan = overridePlan(NAMED_PLANS.measured, { rerank: { depth: 50, leastDepth, deadlineMs: 1500 } })
  const asked: string[] = []
  const reranker = {
    model: 'm',
    expectedWaitMs: () => waitMs,
    rerank: async ({ passages }: { passages: string[] }) => {
      asked.push(...passages)
      return { scores: passages.map(() => 0.5), cached: 0 }
    },
    close: async () => {},
  }
  const record = new RunRecord(() => 0)
  const { signal } = new AbortController()
  const found = await rerank(POOL, { query: 'q', plan, reranker, tenant: null, signal }, record)
  expect(found).toHaveLength(POOL.length)
  return { asked, degraded: record.degraded }
}

describe('the depth of reranking', () => {
  it.each([
    [0, 50],
    [30, 35],
    [60, 20],
    [600, 20],
  ])('behind a wait of %i ms is %i of 50', async (waitMs, depth) => {
    const { asked, degraded } = await scoredBehind(waitMs, 20)
    expect(asked).toHaveLength(depth)
    expect(degraded).toEqual(depth === 50 ? [] : [{ code: 'rerank_shallow', detail: `${depth}/50` }])
  })

  it('stays with no least depth, or one that is larger', async () => {
    expect((await scoredBehind(600, null)).asked).toHaveLength(50)
    expect((await scoredBehind(600, 80)).asked).toHaveLength(50)
  })

  it('never grows with the wait, and the best candidates stay', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 700 }), async (one, other) => {
        const [short, long] = [Math.min(one, other), Math.max(one, other)]
        const [more, fewer] = [(await scoredBehind(short, 20)).asked, (await scoredBehind(long, 20)).asked]
        expect(more.slice(0, fewer.length)).toEqual(fewer)
        expect(fewer.length).toBeGreaterThanOrEqual(20)
      }),
      { numRuns: 50 },
    )
  })
})
