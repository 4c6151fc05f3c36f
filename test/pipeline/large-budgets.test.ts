import { describe, expect, it } from 'vitest'
import type { PassageStore } from '../../src/core/ports.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../../src/pipeline/plan/override-plan.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts } from '../support/fake-ports.ts'

/** Passages of about 40 words that are not alike. */
const CHUNKS = Array.from({ length: 700 }, (_, id) =>
  chunk({
    id,
    docId: `d${id}`,
    orderIndex: id,
    text: `Bell ${Array.from({ length: 40 }, (_, word) => `w${id}x${word}`).join(' ')}.`,
  }),
)
const listsOf = (limit: number) =>
  keywordLists(CHUNKS.slice(0, limit).map((found, at) => ({ score: 1_000 - at, chunk: found })))

/** Packs a context out of 700 chunks; `limits` are those of the searches. */
async function packed(budgetTokens: number, overrides: PlanOverrides = {}, collection: string | string[] = 'docs') {
  const limits: number[] = []
  const search: PassageStore['search'] = async ({ limit }) => {
    limits.push(limit)
    return { lists: listsOf(limit), missing: [] }
  }
  const plan = overridePlan(overridePlan(NAMED_PLANS.measured, { rerank: { method: 'off' } }), overrides)
  const pack = createPackContext(dependencies(fakePorts({ store: { search } }), { plan }))
  const request = { query: 'bell', collection, budget_tokens: budgetTokens, trace: true }
  const { tokens, trace } = await pack(request, CALLER)
  return { limits, tokens, trace: trace as Trace }
}

const OFF = { retrieval: { tokensPerCandidate: null } }
const inPool = ({ candidates }: Trace) => candidates.filter(({ reason }) => reason !== 'below_pool').length

describe('a large budget', () => {
  it.each([
    [1_000, 50],
    [5_000, 50],
    [5_100, 51],
    [20_000, 200],
    [1_000_000, 500],
  ])('of %i tokens has a pool of %i candidates, and asks each list for as many', async (budget, candidates) => {
    const { limits, trace } = await packed(budget)
    expect(new Set(limits)).toEqual(new Set([candidates]))
    expect(inPool(trace)).toBe(candidates)
    expect(inPool((await packed(budget, OFF)).trace)).toBe(50)
  })

  it('divides the hits among the collections', async () => {
    const { limits } = await packed(40_000, {}, ['one', 'two', 'three', 'four'])
    expect(limits).toEqual([100, 100, 100, 100])
    expect((await packed(8_000, {}, ['one', 'two'])).limits).toEqual([50, 50])
  })

  it('is filled, where the pool of small budgets leaves it nearly empty, and never exceeded', async () => {
    const [wide, narrow] = [await packed(8_000), await packed(8_000, OFF)]
    expect(narrow.tokens).toBeLessThan(3_000)
    expect(wide.tokens).toBeGreaterThan(1.5 * narrow.tokens)
    expect(wide.tokens).toBeLessThanOrEqual(8_000)
  })

  it('keeps a pool and lists that are larger already', async () => {
    const { limits, trace } = await packed(8_000, { retrieval: { pool: 300, weights: { k: 300 } } })
    expect([limits[0], inPool(trace)]).toEqual([300, 300])
  })

  it('does not widen the pool of points, which have no budget', async () => {
    const traces: Trace[] = []
    const plan = overridePlan(NAMED_PLANS.measured, { rerank: { method: 'off' } })
    const all = dependencies(fakePorts(), { plan })
    const choosePoints = createChoosePoints({ ...all, traces: { ...all.traces, record: trace => traces.push(trace) } })
    await choosePoints(
      {
        collection: 'docs',
        query: 'bell',
        lists: listsOf(120),
        limit: 10,
        fetchNeighbours: null,
        sessionId: null,
        decision: decideByConfiguration(plan)({ tenant: null, sessionId: null }),
      },
      CALLER,
    )
    expect(traces.map(inPool)).toEqual([50])
  })
})
