import { describe, expect, it, vi } from 'vitest'
import type { Reranker } from '../../src/core/ports.ts'
import type { RetrievedList } from '../../src/core/types.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { fusionWeights } from '../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../../src/pipeline/plan/override-plan.ts'
import { rankAndPack } from '../../src/pipeline/rank-and-pack.ts'
import { RunRecord } from '../../src/pipeline/run-record.ts'
import { chunk, countWords } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const { measured, design } = NAMED_PLANS

describe('the weights of the fusion', () => {
  it.each<[string, PlanOverrides, boolean, number, number]>([
    ['are those of the lists', {}, false, 0.4, 0.6],
    ['go to the dense list', {}, true, 0.6, 0.4],
    ['go to it by the shift of the plan', { fusion: { denseShift: 0.1 } }, true, 0.5, 0.5],
    ['stay with a shift of 0', { fusion: { denseShift: 0 } }, true, 0.4, 0.6],
    ['end at 0', { fusion: { denseShift: 1 } }, true, 1, 0],
    ['shift by a share of their sum', { retrieval: { weights: { dense: 4, keyword: 6 } } }, true, 6, 4],
    ['keep a dense list out', { retrieval: { weights: { dense: 0, keyword: 1 } } }, true, 0, 1],
    ['keep the keyword lists out', { retrieval: { weights: { dense: 1, keyword: 0 } } }, true, 1, 0],
  ])('%s: %j', (_what, changes, leansOnDense, dense, keyword) => {
    const weights = fusionWeights(overridePlan(measured, changes), null, leansOnDense)
    expect(weights.dense).toBeCloseTo(dense)
    expect(weights.keyword).toBeCloseTo(keyword)
  })

  it('stay in the plan of the audit', () => {
    expect(fusionWeights(design, null, true)).toEqual(fusionWeights(design, null, false))
  })
})

const NEAR = 'Every gate of the harbour is opened at the first light of the day, when the keeper has rung the bell.'
const NAMED = 'Der Hafen wird von dem Wärter geöffnet, und die Glocke ist dann in der ganzen Stadt zu hören.'
/** One passage is the best of the dense list, the other of the keyword list. */
const listsOf = (near: string, named: string): RetrievedList[] => {
  const passages = [near, named].map((text, at) => chunk({ id: at + 1, docId: `doc-${at}`, text }))
  return (['dense', 'keyword'] as const).map((kind, best) => ({
    source: kind,
    kind,
    hits: passages.map((passage, at) => ({ score: at === best ? 1 : 0.1, chunk: passage })),
  }))
}
const ENGLISH = listsOf(
  NEAR,
  'The harbour master keeps a list of the ships that are in the harbour, and of those that have left.',
)
const GERMAN = listsOf(
  'Das Tor ist am Morgen offen, wenn der Mann auf dem Turm die Glocke mit der Hand schlägt.',
  NAMED,
)

/** The answer with its trace. The reranker has no opinion. */
async function answerTo(
  lists: RetrievedList[],
  query: string,
  over: { languages?: string[]; reranker?: Partial<Reranker>; vector?: number[] },
) {
  const ports = fakePorts({ store: scriptedStore(lists), ...(over.reranker && { reranker: over.reranker }) })
  if (ports.embedder !== null && over.languages) ports.embedder = { ...ports.embedder, languages: over.languages }
  const plan = overridePlan(measured, {
    answerability: { bonus: 0 },
    ...(over.reranker ? {} : { rerank: { method: 'off' } }),
  })
  return createPackContext(dependencies(ports, { plan }))(
    { query, collection: 'docs', budget_tokens: 400, trace: true, ...(over.vector && { vector: over.vector }) },
    CALLER,
  )
}
/** The first passage of the answer. */
const first = async (...asked: Parameters<typeof answerTo>) => (await answerTo(...asked)).chunks[0]?.id
const NO_OPINION: Partial<Reranker> = {
  languages: ['en'],
  rerank: async ({ passages }) => ({ scores: passages.map(() => 0.5), cached: 0 }),
}

describe('a question without a reranker', () => {
  it('is answered by the dense list before the keywords', async () => {
    expect(await first(ENGLISH, 'harbour master', {})).toBe(1)
    expect(await first(ENGLISH, 'harbour master', { languages: ['en'] })).toBe(1)
  })

  it('is answered by the keywords when the embedder does not read the passages', async () => {
    expect(await first(GERMAN, 'Hafen', { languages: ['en'] })).toBe(2)
    expect(await first(GERMAN, 'Hafen', { languages: ['en', 'de'] })).toBe(1)
    expect(await first(GERMAN, 'Hafen', {})).toBe(1)
  })

  it('and without a keyword list is answered by its words', async () => {
    expect(await first(ENGLISH.slice(0, 1), 'harbour master', {})).toBe(2)
  })

  it('has a reranker that does not read the passages', async () => {
    expect(await first(GERMAN, 'Hafen', { reranker: NO_OPINION })).toBe(1)
    expect(await first(ENGLISH, 'harbour master', { reranker: NO_OPINION })).toBe(2)
  })

  it.each<[string, Partial<Reranker>]>([
    ['fails', { rerank: async () => Promise.reject(new Error('out of memory')) }],
    ['is too busy', { expectedWaitMs: () => 60_000 }],
    ['is too late', { rerank: async ({ passages }) => ({ scores: passages.map(() => null), cached: 0 }) }],
  ])('has one that %s', async (_what, broken) => {
    const { chunks, trace } = await answerTo(ENGLISH, 'harbour master', { reranker: { ...NO_OPINION, ...broken } })
    expect(chunks[0]?.id).toBe(1)
    expect(trace?.stages.filter(({ name }) => name === 'fuse')).toHaveLength(1)
    expect(trace?.stages.find(({ name }) => name === 'rerank')?.changed).toBe(false)
    for (const { fused, lists } of trace?.candidates ?? [])
      expect(lists.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(fused ?? Number.NaN)
  })

  it('says once that the reranker did not answer, also without time for another fusion', async () => {
    const deadline = new AbortController()
    const clock = vi.spyOn(performance, 'now')
    const rerank = async () => {
      deadline.abort(new DOMException('deadline passed', 'TimeoutError'))
      // Every step takes longer than every grace.
      let now = performance.now()
      clock.mockImplementation(() => (now += 1_000))
      throw new Error('no answer')
    }
    const ports = fakePorts({ reranker: { ...NO_OPINION, rerank } })
    const record = new RunRecord(() => performance.now())
    await rankAndPack(
      {
        ...{ query: 'harbour master', intent: 'exploratory', lists: ENGLISH, plan: measured, reranker: ports.reranker },
        ...{ fetchNeighbours: null, fetchParents: null, signal: deadline.signal, tenant: null },
        *count(text) {
          yield
          return countWords(text)
        },
      },
      record,
    )
    clock.mockRestore()
    expect(record.degraded).toContainEqual({ code: 'reranker_failed', detail: 'no answer' })
    expect(record.degraded.filter(({ detail }) => detail.includes('rerank'))).toEqual([])
  })

  it('brings its own vector, whose model is not known', async () => {
    const { embedder } = fakePorts({})
    const vector = Array.from({ length: embedder?.dimensions ?? 0 }, () => 1)
    expect(await first(GERMAN, 'Hafen', { languages: ['en'], vector })).toBe(1)
  })
})
