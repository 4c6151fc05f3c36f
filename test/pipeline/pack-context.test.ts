import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { PassageStore, RerankRequest, RerankResult } from '../../src/core/ports.ts'
import type { ContextRequest } from '../../src/pipeline/context-request.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { traceSchema } from '../../src/pipeline/trace/schema.ts'
import { chunk, keywordLists, retrievedLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'
import { vectorOf } from '../support/query-vectors.ts'
import { tenantOfName } from '../support/tenants.ts'

const unit = { embedQuery: async () => new Float32Array([1, 0, 0]) }
const ask = (over: Partial<ContextRequest> = {}): ContextRequest => ({
  query: 'What is the harbour tide?',
  collection: 'docs',
  trace: true,
  ...over,
})

const twoLists = [
  {
    source: 'dense',
    kind: 'dense' as const,
    hits: [
      { score: 0.9, chunk: chunk({ id: 1, orderIndex: 1, text: 'The harbour tide is a slow swell.' }) },
      { score: 0.2, chunk: chunk({ id: 2, docId: 'other', orderIndex: 0, text: 'A ledger of salt.' }) },
    ],
  },
  ...keywordLists([
    { score: 4, chunk: chunk({ id: 1, orderIndex: 1, text: 'The harbour tide is a slow swell.' }) },
    { score: 1, chunk: chunk({ id: 3, docId: 'third', orderIndex: 4, text: '' }) },
  ]),
]

describe('packContext', () => {
  it('holds to the trace schema, the counts and the budget whatever is retrieved', async () => {
    await fc.assert(
      fc.asyncProperty(
        retrievedLists,
        fc.constantFrom('measured' as const, 'design' as const),
        fc.constantFrom(0, 1, 40, 200, 10_000_000),
        async (lists, name, budget_tokens) => {
          const reranker = {
            rerank: async ({ passages }: { passages: string[] }) => ({
              scores: passages.map((_, i) => (i % 3 === 2 ? null : i / passages.length)),
              cached: 0,
            }),
          }
          const deps = dependencies(fakePorts({ store: scriptedStore(lists), embedder: unit, reranker }), {
            plan: NAMED_PLANS[name],
          })
          const response = await createPackContext(deps)(ask({ budget_tokens }), CALLER)
          const trace = traceSchema.parse(response.trace)
          const ids = new Set(lists.flatMap(({ hits }) => hits.map(({ chunk: { id } }) => id)))
          expect(response.tokens).toBeLessThanOrEqual(budget_tokens)
          expect(trace.counts.packed + trace.counts.dropped).toBe(trace.counts.retrieved)
          expect(trace.counts.retrieved).toBe(ids.size)
          expect(new Set(trace.candidates.map(({ id }) => id)).size).toBe(trace.candidates.length)
          for (const c of trace.candidates) expect(c.decision === 'dropped').toBe(c.reason !== null)
          expect(deps.recorded).toEqual([trace])
        },
      ),
      { numRuns: 150 },
    )
  })

  it('gives equal bytes for equal input', async () => {
    await fc.assert(
      fc.asyncProperty(retrievedLists, async lists => {
        const once = async () =>
          JSON.stringify(
            await createPackContext(dependencies(fakePorts({ store: scriptedStore(lists), embedder: unit })))(
              ask(),
              CALLER,
            ),
          )
        expect(await once()).toBe(await once())
      }),
      { numRuns: 50 },
    )
  })

  it('says which candidate had no text', async () => {
    const response = await createPackContext(
      dependencies(fakePorts({ store: scriptedStore(twoLists), embedder: unit })),
    )(ask(), CALLER)
    expect(response.trace?.candidates.find(({ id }) => id === 3)).toMatchObject({
      decision: 'dropped',
      reason: 'text_missing',
    })
  })

  it('fetches a neighbour and packs it behind the chunk that brought it', async () => {
    const store = scriptedStore(twoLists, [chunk({ id: 8, orderIndex: 2, text: 'It comes twice a day.' })])
    const response = await createPackContext(dependencies(fakePorts({ store, embedder: unit })))(ask(), CALLER)
    expect(response.chunks.map(({ id }) => id).slice(0, 2)).toEqual([1, 8])
    expect(response.trace?.candidates.find(({ id }) => id === 8)?.origin).toBe('neighbour')
    expect(response.context).toContain('slow swell.\nIt comes twice')
  })

  it('goes on without neighbours when the store refuses them', async () => {
    const store = { ...scriptedStore(twoLists), fetchPlaces: async () => Promise.reject(new Error('strict mode')) }
    const response = await createPackContext(dependencies(fakePorts({ store, embedder: unit })))(ask(), CALLER)
    expect(response.degraded).toContainEqual({ code: 'neighbours_unavailable', detail: 'strict mode' })
    expect(response.chunks.length).toBeGreaterThan(0)
  })

  it('goes on without a reranker that fails, and says so', async () => {
    const reranker = { rerank: async () => Promise.reject(new Error('model crashed')) }
    const response = await createPackContext(
      dependencies(fakePorts({ store: scriptedStore(twoLists), embedder: unit, reranker })),
    )(ask(), CALLER)
    expect(response.degraded.map(({ code }) => code)).toEqual(['reranker_failed'])
  })

  it('tells the reranker of the query before it searches, when the plan reranks', async () => {
    const calls: string[] = []
    const store = scriptedStore(twoLists)
    const ports = fakePorts({
      embedder: unit,
      store: {
        ...store,
        search: (...search) => {
          calls.push('search')
          return store.search(...search)
        },
      },
      reranker: {
        prepare: (query, tenant) => void calls.push(`prepare ${query} of ${tenant}`),
        rerank: async ({ passages }) => ({ scores: passages.map(() => 0.5), cached: 0 }),
      },
    })
    await createPackContext(dependencies(ports))(ask(), CALLER)
    expect(calls.slice(0, 2)).toEqual([`prepare ${ask().query} of ${CALLER.tenant}`, 'search'])
    calls.length = 0
    const plan = overridePlan(NAMED_PLANS.measured, { rerank: { method: 'off' } })
    await createPackContext(dependencies(ports, { plan }))(ask(), CALLER)
    expect(calls).toEqual(['search'])
  })

  it('says what was partly reranked', async () => {
    const reranker = { rerank: async () => ({ scores: [0.9, null], cached: 0 }) }
    const response = await createPackContext(
      dependencies(fakePorts({ store: scriptedStore(twoLists), embedder: unit, reranker })),
    )(ask(), CALLER)
    expect(response.degraded).toEqual([{ code: 'rerank_partial', detail: 'partial 1/2' }])
  })

  it('stops a reranker in time to fetch neighbours and to pack', async () => {
    const reranker = {
      rerank: ({ signal, passages }: RerankRequest) =>
        new Promise<RerankResult>(resolve => {
          signal.addEventListener('abort', () => resolve({ scores: passages.map(() => null), cached: 0 }))
        }),
    }
    const calls: boolean[] = []
    const store = {
      ...scriptedStore(twoLists),
      fetchPlaces: async (
        _collection: string,
        _places: unknown,
        _filter: unknown,
        { signal }: { signal: AbortSignal },
      ) => {
        calls.push(signal.aborted)
        return []
      },
    }
    const plan = overridePlan(NAMED_PLANS.measured, { rerank: { deadlineMs: 600_000 } })
    const packContext = createPackContext(dependencies(fakePorts({ store, embedder: unit, reranker }), { plan }))
    const response = await packContext(ask({ deadline_ms: 1_000 }), CALLER)
    expect(response.degraded).toEqual([{ code: 'rerank_partial', detail: 'partial 0/2' }])
    expect(calls).toEqual([false])
    expect(response.context).toContain('slow swell')
  })

  it('leaves reranking out for the tenant that fills the queue of the reranker, and not for another', async () => {
    const asked: (string | null | undefined)[] = []
    const reranker = {
      expectedWaitMs: (tenant?: string | null) => (tenant === 'flooding' ? 600_000 : 0),
      rerank: async ({ passages, tenant }: RerankRequest) => {
        asked.push(tenant)
        return { scores: passages.map(() => 0.5), cached: 0 }
      },
    }
    const packContext = createPackContext(
      dependencies(fakePorts({ store: scriptedStore(twoLists), embedder: unit, reranker })),
    )
    const flooding = await packContext(ask(), { ...CALLER, tenant: tenantOfName('flooding') })
    expect(flooding.degraded.map(({ code }) => code)).toEqual(['rerank_skipped'])
    const small = await packContext(ask(), { ...CALLER, tenant: tenantOfName('small') })
    expect(small.degraded).toEqual([])
    expect(asked).toEqual(['small'])
  })

  it('does not wait longer than its share for an embedder that ignores its signal', async () => {
    const embedder = { embedQuery: () => new Promise<Float32Array>(() => {}) }
    const store: Partial<PassageStore> = {
      ...scriptedStore([]),
      search: async ({ dense }) => {
        expect(await vectorOf(dense)).toBeNull()
        return { lists: twoLists, missing: [] }
      },
    }
    const response = await createPackContext(dependencies(fakePorts({ store, embedder })))(
      ask({ deadline_ms: 500 }),
      CALLER,
    )
    expect(response.degraded).toContainEqual({
      code: 'embedder_failed',
      detail: 'The query was not embedded in its share of the deadline.',
    })
    expect(response.context).toContain('slow swell')
  })

  it('leaves out the reranker and the embedder when their queues are too long', async () => {
    const expectedWaitMs = () => 600_000
    const packContext = createPackContext(
      dependencies(
        fakePorts({
          store: scriptedStore(twoLists),
          embedder: { expectedWaitMs },
          reranker: { expectedWaitMs },
        }),
      ),
    )
    const response = await packContext(ask(), CALLER)
    expect(response.context).toContain('slow swell')
    expect(response.degraded.map(({ code }) => code)).toEqual(['embedder_failed', 'rerank_skipped'])
  })

  it('uses an embedder that appears after the start', async () => {
    const ports = fakePorts({ store: scriptedStore(twoLists), embedder: null })
    const packContext = createPackContext(dependencies(ports))
    expect((await packContext(ask(), CALLER)).degraded.map(({ code }) => code)).toContain('embedder_unavailable')
    const later = fakePorts({ embedder: unit })
    Object.assign(ports, { embedder: later.embedder, unavailable: { embedder: null, reranker: 'none' } })
    expect((await packContext(ask(), CALLER)).degraded.map(({ code }) => code)).not.toContain('embedder_unavailable')
  })

  it('goes on by keywords when there is no embedder, and uses a vector that the request brings', async () => {
    const seen: unknown[] = []
    const store = {
      ...scriptedStore(twoLists),
      search: async (request: { dense: unknown }) => {
        seen.push(request.dense)
        return { lists: twoLists, missing: [] }
      },
    }
    const packContext = createPackContext(dependencies(fakePorts({ store, embedder: null })))
    const without = await packContext(ask(), CALLER)
    await packContext(ask({ vector: [0, 1, 0] }), CALLER)
    expect(without.degraded.map(({ code }) => code)).toContain('embedder_unavailable')
    expect(seen).toEqual([null, [0, 1, 0]])
  })

  it('answers an empty context, not an error, when nothing fits', async () => {
    const response = await createPackContext(
      dependencies(fakePorts({ store: scriptedStore(twoLists), embedder: unit })),
    )(ask({ budget_tokens: 3 }), CALLER)
    expect(response).toMatchObject({ context: '', tokens: 0, chunks: [] })
    expect(response.degraded.map(({ code }) => code)).toContain('nothing_fits')
  })

  it('turns its own deadline into a timeout error', async () => {
    const store = {
      ...scriptedStore([]),
      search: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }
    const asked = createPackContext(dependencies(fakePorts({ store, embedder: unit })))(ask({ deadline_ms: 1 }), CALLER)
    await expect(asked).rejects.toMatchObject({ code: 'upstream_timeout' })
    await expect(asked).rejects.toBeInstanceOf(StowageError)
  })

  it('freezes its plan', () => {
    const plan = overridePlan(NAMED_PLANS.measured, { budgetTokens: 5, packing: { sentenceCut: false } })
    expect(plan).toMatchObject({ budgetTokens: 5, packing: { sentenceCut: false, overflow: 'skip' } })
    expect(() => Object.assign(plan.packing, { sentenceCut: true })).toThrow()
    expect(NAMED_PLANS.measured.packing.sentenceCut).toBe(true)
  })
})
