import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropIrrelevant } from '../../../src/pipeline/confidence/fill.ts'
import {
  type ContextRequest,
  contextRequestSchema,
  contextResponseSchema,
} from '../../../src/pipeline/context-request.ts'
import { createPackContext } from '../../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../../src/pipeline/plan/override-plan.ts'
import { candidate, retrievedLists } from '../../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../../support/fake-ports.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const fill = fc.constantFrom('all' as const, 'relevant' as const)
const QUESTION = { query: 'What is the harbour tide?', collection: 'docs' }
/** Scores between the extremes, and passages without one. */
const reranker = {
  rerank: async ({ passages }: { passages: string[] }) => ({
    scores: passages.map(({ length }, at) => (at % 3 === 2 ? null : (length % 50) / 50)),
    cached: 0,
  }),
}

/** The answer over scripted lists. */
async function answer(
  lists: Parameters<typeof scriptedStore>[0],
  over: Partial<ContextRequest>,
  plan = NAMED_PLANS.measured,
) {
  const embedder = { embedQuery: async () => new Float32Array([1, 0, 0]) }
  const ports = fakePorts({ store: scriptedStore(lists), embedder, reranker })
  const packed = await createPackContext(dependencies(ports, { plan }))({ ...QUESTION, trace: true, ...over }, CALLER)
  contextResponseSchema.parse(packed)
  return packed
}

describe('leaving out what is not relevant', () => {
  it('keeps what is relevant enough in its order, and the best one unless it is below the least relevance', () => {
    fc.assert(
      fc.property(fc.array(share, { maxLength: 10 }), share, fill, (values, minRelevance, how) => {
        const all = values.map((value, at) => candidate({ id: at }, value))
        const relevanceOf = ({ value }: { value: number }) => ({ relevance: value / 20, kind: 'words' as const })
        const { kept, dropped } = dropIrrelevant(all, relevanceOf, { fill: how, minRelevance: minRelevance / 20 })
        const least = Math.min(0.01, 0.1 * Math.max(0, ...values.map(value => value / 20)))
        const stays = all.filter(
          (one, at) => one.value >= minRelevance && (how === 'all' || at === 0 || one.value / 20 >= least),
        )
        expect(kept).toEqual(stays)
        expect(kept.length + dropped.length).toBe(all.length)
        for (const drop of dropped)
          expect(drop.reason).toBe(drop.candidate.value < minRelevance ? 'below_threshold' : 'filler')
      }),
    )
  })

  it('changes no byte of a context that was not asked for less', async () => {
    await fc.assert(
      fc.asyncProperty(retrievedLists, fc.integer({ min: 0, max: 300 }), async (lists, budget_tokens) => {
        const plain = await answer(lists, { budget_tokens })
        const explicit = await answer(lists, { budget_tokens, fill: 'all', min_relevance: 0 })
        expect(explicit.context).toBe(plain.context)
        const reasons = plain.trace?.candidates.map(({ reason }) => reason)
        expect(reasons).not.toContain('filler')
        expect(reasons).not.toContain('below_threshold')
      }),
      { numRuns: 10 },
    )
  })

  it('packs no filler but the best passage, and the trace names the others', async () => {
    await fc.assert(
      fc.asyncProperty(retrievedLists, async lists => {
        const all = await answer(lists, {})
        const relevant = await answer(lists, { fill: 'relevant' })
        expect(relevant.chunks.length === 0).toBe(all.chunks.length === 0)
        expect(relevant.answerable).toEqual(all.answerable)
        for (const { reason, evidence } of relevant.trace?.candidates ?? []) {
          if (reason !== 'filler') continue
          const [, found, least] = /^relevance ([\d.e-]+), least ([\d.e-]+)$/u.exec(evidence?.detail ?? '') ?? []
          expect(Number(found)).toBeLessThanOrEqual(Number(least))
          expect(Number(least)).toBeLessThanOrEqual(0.01)
        }
      }),
      { numRuns: 10 },
    )
  })

  it('holds for every chunk of an answer, by both names of the request and by the plan', async () => {
    await fc.assert(
      fc.asyncProperty(retrievedLists, share, async (lists, least) => {
        const asked = await answer(lists, { min_relevance: least })
        for (const { relevance } of asked.chunks) expect(relevance).toBeGreaterThanOrEqual(least)
        expect(asked.trace?.counts.packed).toBe(asked.chunks.length)
        expect((await answer(lists, { score_threshold: least })).context).toBe(asked.context)
        const plan = overridePlan(NAMED_PLANS.measured, { packing: { minRelevance: least } })
        expect((await answer(lists, {}, plan)).context).toBe(asked.context)
        expect((await answer(lists, { min_relevance: 0 }, plan)).context).toBe((await answer(lists, {})).context)
        // The budget holds everything.
        expect(asked.degraded.map(({ code }) => code)).not.toContain('nothing_fits')
      }),
      { numRuns: 10 },
    )
  })

  it('is asked for by one name, and wrong values are named', () => {
    const faultsOf = (over: object) => contextRequestSchema.safeParse({ ...QUESTION, ...over }).error?.issues ?? []
    expect(faultsOf({ min_relevance: 0.2, fill: 'relevant' })).toEqual([])
    expect(faultsOf({ score_threshold: 0.2 })).toEqual([])
    expect(faultsOf({ min_relevance: 0.2, score_threshold: 0.2 }).map(({ path }) => path)).toEqual([
      ['score_threshold'],
    ])
    expect(faultsOf({ min_relevance: 1.1 }).map(({ path }) => path)).toEqual([['min_relevance']])
    expect(faultsOf({ fill: 'some' }).map(({ path }) => path)).toEqual([['fill']])
  })
})
