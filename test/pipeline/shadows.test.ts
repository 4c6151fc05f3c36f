import { describe, expect, it, vi } from 'vitest'
import { createAnswerCache } from '../../src/adapters/answer-cache.ts'
import type { Reranker, RerankResult } from '../../src/core/ports.ts'
import type { Caller } from '../../src/pipeline/caller.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import type { ContextRequest } from '../../src/pipeline/context-request.ts'
import { createPackContext, type PackContextDependencies } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { OfferShadow, ShadowRun, TracedContext, TraceOwner } from '../../src/pipeline/services.ts'
import { type Trace, traceSchema } from '../../src/pipeline/trace/schema.ts'
import { createShadowQueue } from '../../src/rollout/shadow/queue.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { shadowing } from '../support/decisions.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'
import { tenantOfName } from '../support/tenants.ts'

const CONTROL_PLAN = overridePlan(NAMED_PLANS.measured, { rerank: { method: 'off' } })
/** The shadow reranks, the answer does not: what the reranker does, it does to the shadow. */
const RERANKED = { rerank: { method: 'crossencoder' as const } }
const WORDS = 'harbour tide lantern ledger gate stone keeper salt oar bell'.split(' ')
const LISTS = keywordLists(
  WORDS.map((word, at) => ({
    score: 10 - at,
    chunk: chunk({
      id: at,
      docId: `d${at}`,
      orderIndex: at,
      text: `The ${word} is described here, at length, as number ${at}.`,
    }),
  })),
)
const CONTEXT: ContextRequest = {
  query: 'Where is the tide?',
  collection: 'docs',
  trace: true,
  session_id: 's',
  budget_tokens: 60,
}

const reversing = async ({ passages }: { passages: string[] }): Promise<RerankResult> => ({
  scores: passages.map((_, at) => at / passages.length),
  cached: 0,
})

/** Both pipelines over the same ports. Shadows go to the queue that `offerShadow` names, or to a real one. */
function open(
  reranker: Partial<Reranker>,
  over: Partial<PackContextDependencies> & { decide?: PackContextDependencies['decide'] } = {},
) {
  const ran: string[] = []
  const searches: unknown[] = []
  const owners: TraceOwner[] = []
  const store = scriptedStore(LISTS)
  const ports = fakePorts({
    embedder: null,
    reranker,
    store: {
      ...store,
      search: (request, call) => {
        searches.push({ condition: call.condition, apiKey: call.apiKey })
        return store.search(request, call)
      },
    },
  })
  const built = dependencies(ports, { decide: shadowing(RERANKED, CONTROL_PLAN), ...over })
  const traces = {
    ...built.traces,
    record: (trace: Trace, owner: TraceOwner) => {
      built.recorded.push(trace)
      owners.push(owner)
    },
  }
  const queue = createShadowQueue({
    traces,
    onRan: ({ outcome, overlap }) => void ran.push(overlap === null ? outcome : `${outcome} ${overlap.toFixed(2)}`),
    onQueued() {},
  })
  const all = { ...built, traces, offerShadow: over.offerShadow ?? queue.offer }
  return {
    ...queue,
    ran,
    owners,
    searches,
    recorded: built.recorded,
    packContext: createPackContext(all),
    choosePoints: createChoosePoints(all),
    decide: all.decide,
  }
}

type Opened = ReturnType<typeof open>

const points = ({ choosePoints, decide }: Opened, caller: Caller = CALLER) =>
  choosePoints(
    {
      collection: 'docs',
      query: 'Where is the tide?',
      lists: LISTS,
      limit: 4,
      fetchNeighbours: null,
      sessionId: 's',
      decision: decide({ tenant: caller.tenant, sessionId: 's' }),
    },
    caller,
  )

async function ranAll({ ran }: Opened, count: number): Promise<void> {
  while (ran.length < count) await new Promise(resolve => setImmediate(resolve))
}

describe('a shadow', () => {
  it('is a second trace beside that of the answer, with its own plan, under the same request', async () => {
    const opened = open({ rerank: reversing })
    await opened.packContext(CONTEXT, { ...CALLER, apiKey: 'key' })
    await points(opened, { ...CALLER, apiKey: 'key' })
    await ranAll(opened, 2)
    const [context, ...others] = opened.recorded
    const shadows = opened.recorded.filter(({ shadow_of }) => shadow_of !== null)
    // Two runs in the background end in any order.
    expect(shadows.map(({ trace_id, shadow_of }) => [trace_id, shadow_of]).sort()).toEqual([
      ['trace-1-shadow', 'trace-1'],
      ['trace-2-shadow', 'trace-2'],
    ])
    for (const shadow of shadows) {
      const control = [context, ...others].find(trace => trace?.trace_id === shadow.shadow_of)
      traceSchema.parse(shadow)
      expect(shadow.assignment).toEqual({ experiment: 'look', variant: 'other', unit: 'request', share: null })
      expect(control?.assignment).toBeNull()
      expect([control?.plan.rerank.method, shadow.plan.rerank.method]).toEqual(['off', 'crossencoder'])
      expect(shadow.plan_fingerprint).not.toBe(control?.plan_fingerprint)
      expect(shadow).toMatchObject({
        endpoint: control?.endpoint,
        query: control?.query,
        session_id: 's',
        cache: 'off',
      })
      expect(shadow.candidates.some(({ rerank }) => rerank !== null)).toBe(true)
      expect(shadow.budget.tokens).toBe(control?.budget.tokens)
    }
    expect(opened.ran).toEqual([expect.stringMatching(/^compared 0\.\d\d$/), expect.stringMatching(/^compared/)])
    expect(opened.owners).toHaveLength(4)
    expect(new Set(opened.owners.map(({ apiKey }) => apiKey))).toEqual(new Set(['key']))
    // The context searches again, the search ranks the lists that it has.
    expect(opened.searches).toHaveLength(2)
  })

  it.each<[string, Partial<Reranker>]>([
    ['throws', { rerank: () => Promise.reject(new Error('bug')) }],
    ['hangs', { rerank: () => new Promise(() => {}) }],
    ['works', { rerank: reversing }],
  ])('that %s changes no byte of an answer, and no trace of it', async (_case, reranker) => {
    const without = open(reranker, { offerShadow: () => {} })
    const withShadow = open(reranker)
    for (const ask of [
      (opened: Opened) => opened.packContext(CONTEXT, CALLER),
      (opened: Opened) => opened.packContext({ ...CONTEXT, order: 'stable' }, CALLER),
      async (opened: Opened) => ({ ...(await points(opened)), duplicates: [] }),
    ]) {
      const expected = JSON.stringify(await ask(without))
      expect(JSON.stringify(await ask(withShadow))).toBe(expected)
      await new Promise(resolve => setImmediate(resolve))
    }
    const answers = (opened: Opened) => opened.recorded.filter(({ shadow_of }) => shadow_of === null)
    expect(JSON.stringify(answers(withShadow))).toBe(JSON.stringify(answers(without)))
    withShadow.close()
  })

  it('reads with the key and the condition of its request, after the client has left', async () => {
    const prepare = vi.fn()
    const opened = open({ rerank: reversing, prepare })
    const gone = new AbortController()
    const tenant = tenantOfName('acme')
    await opened.packContext(CONTEXT, { apiKey: 'upstream', tenant, signal: gone.signal })
    gone.abort()
    await ranAll(opened, 1)
    expect(opened.ran[0]).toMatch(/^compared/)
    // Nothing is hurried for it: the workers belong to requests of clients.
    expect(prepare).not.toHaveBeenCalled()
    expect(opened.searches).toEqual(Array(2).fill({ condition: tenant.condition, apiKey: 'upstream' }))
    expect(opened.owners.map(owner => owner.tenant?.name)).toEqual(['acme', 'acme'])
  })

  it('is not run for a cached answer, a failed one, or a request without one', async () => {
    const offered: ShadowRun[] = []
    const offerShadow: OfferShadow = run => void offered.push(run)
    const limits = { ttlMs: 60_000, maxEntries: 9, maxBytes: 1e6, now: () => 0 }
    const { session_id: _session, ...request } = CONTEXT
    const cached = open({ rerank: reversing }, { offerShadow, cache: createAnswerCache<TracedContext>(limits) })
    for (let i = 0; i < 3; i++) await cached.packContext(request, CALLER)
    expect(offered).toHaveLength(1)
    await expect(cached.packContext(CONTEXT, { ...CALLER, signal: AbortSignal.abort() })).rejects.toThrow()
    const plain = open({ rerank: reversing }, { offerShadow, decide: dependencies(fakePorts()).decide })
    await plain.packContext(CONTEXT, CALLER)
    await points(plain)
    expect(offered).toHaveLength(1)
  })

  it('does not change what its session remembers', async () => {
    const opened = open({ rerank: reversing })
    const first = await opened.packContext({ ...CONTEXT, order: 'stable' }, CALLER)
    await ranAll(opened, 1)
    const second = await opened.packContext({ ...CONTEXT, order: 'stable' }, CALLER)
    expect(second.chunks.map(({ id }) => id)).toEqual(first.chunks.map(({ id }) => id))
    opened.close()
  })

  it('of a search finds the neighbours that were fetched for the answer, and asks for no others', async () => {
    const neighbour = chunk({ id: 77, docId: 'd0', orderIndex: 1, text: 'What follows.', sectionPath: 'Doc > Section' })
    const fetching = { reunification: { expansion: 1, fetch: true, scope: 'document' as const } }
    const plan = overridePlan(CONTROL_PLAN, fetching)
    const opened = open({ rerank: reversing }, { decide: shadowing({ ...RERANKED, ...fetching }, plan) })
    let asked = 0
    const decision = opened.decide({ tenant: null, sessionId: null })
    const fetchNeighbours = async () => {
      asked++
      return [neighbour]
    }
    await opened.choosePoints(
      { collection: 'docs', query: 'Where?', lists: LISTS, limit: 20, fetchNeighbours, sessionId: null, decision },
      CALLER,
    )
    await ranAll(opened, 1)
    expect(asked).toBe(1)
    expect(opened.recorded.map(trace => trace.candidates.some(({ id }) => id === 77))).toEqual([true, true])
  })
})
