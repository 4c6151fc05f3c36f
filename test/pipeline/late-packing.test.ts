import { describe, expect, it, vi } from 'vitest'
import type { Reranker } from '../../src/core/ports.ts'
import type { RetrievedList } from '../../src/core/types.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { rankAndPack } from '../../src/pipeline/rank-and-pack.ts'
import { RunRecord } from '../../src/pipeline/run-record.ts'
import { chunk, countWords, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const passages = (count: number, text: (id: number) => string) =>
  keywordLists(
    Array.from({ length: count }, (_, id) => ({
      score: 100 - id,
      chunk: chunk({ id, docId: `d${id}`, orderIndex: id, text: text(id) }),
    })),
  )
const usual = passages(20, id => `Bell ${id} hangs in tower ${id * 7} above gate ${id * 13}.`)

/** Ranks and packs; the tokenizer passes the deadline at its count number `at`. */
async function deadlineAtCount(lists: RetrievedList[], at: number, budgetTokens: number) {
  const deadline = new AbortController()
  const record = new RunRecord(() => performance.now())
  let counts = 0
  const packed = await rankAndPack(
    {
      query: 'bell tower',
      intent: 'exploratory',
      lists,
      plan: overridePlan(NAMED_PLANS.measured, { budgetTokens, rerank: { method: 'off' } }),
      reranker: null,
      fetchNeighbours: null,
      *count(text) {
        if (++counts === at) deadline.abort(new DOMException('deadline passed', 'TimeoutError'))
        // Longer than every grace.
        for (const end = performance.now() + (counts === at ? 120 : 0); performance.now() < end; );
        yield
        return countWords(text)
      },
      signal: deadline.signal,
      tenant: null,
      fetchParents: null,
    },
    record,
  )
  return { packed, record }
}

describe('the deadline passes', () => {
  it.each([30, 35])(
    'while the budget is filled, at count %i: what is packed is answered, and the rest says why',
    async at => {
      const { packed, record } = await deadlineAtCount(usual, at, 10_000)
      expect(record.degraded.map(({ code }) => code)).toEqual(['packing_partial'])
      expect(packed.packed.length).toBeGreaterThan(0)
      expect(packed.packed.length).toBeLessThan(20)
      expect(new Set(packed.dropped.map(({ reason }) => reason))).toEqual(new Set(['deadline']))
      expect(packed.packed.length + packed.dropped.length).toBe(20)
      expect(packed.tokens).toBe(countWords(packed.context))
    },
  )

  it('before ranking begins: usual passages are ranked and packed as ever', async () => {
    const late = await deadlineAtCount(usual, 1, 60)
    const early = await deadlineAtCount(usual, 0, 60)
    expect(late.packed.tokens).toBeGreaterThan(0)
    expect(late.packed.tokens).toBeLessThanOrEqual(60)
    expect(late.packed.packed[0]?.candidate.key).toBe(early.packed.packed[0]?.candidate.key)
  })

  it('while passages are reranked: 200 with the fused order, not 504', async () => {
    const reranker: Pick<Reranker, 'rerank'> = {
      rerank: ({ signal }) =>
        new Promise((_, reject) => {
          const giveUp = () => reject(signal.reason)
          if (signal.aborted) giveUp()
          else signal.addEventListener('abort', giveUp, { once: true })
        }),
    }
    const deps = dependencies(fakePorts({ store: scriptedStore(usual), reranker }), { deadlineMs: 20 })
    const response = await createPackContext(deps)({ query: 'bell', collection: 'docs', trace: true }, CALLER)
    expect(response.chunks.length).toBeGreaterThan(0)
    expect(response.degraded.map(({ code }) => code)).toContain('reranker_failed')
    expect(response.trace?.counts.retrieved).toBe(20)
  })

  it('long before: hostile texts are left unranked, and still one decision each', async () => {
    const hostile = passages(30, id => `${id} ${'The bell is rung at noon. '.repeat(5_000)}`)
    const deadline = AbortSignal.abort(new DOMException('deadline passed', 'TimeoutError'))
    const record = new RunRecord(() => performance.now())
    const packed = await rankAndPack(
      {
        query: 'bell',
        intent: 'exploratory',
        lists: hostile,
        plan: overridePlan(NAMED_PLANS.design, { budgetTokens: 500, rerank: { method: 'off' } }),
        reranker: null,
        fetchNeighbours: null,
        *count(text) {
          yield
          return countWords(text)
        },
        signal: deadline,
        tenant: null,
        fetchParents: null,
      },
      record,
    )
    expect(record.degraded.map(({ code }) => code)).toContain('ranking_partial')
    expect(packed.tokens).toBeLessThanOrEqual(500)
    expect(packed.tokens).toBeGreaterThan(0)
    const keys = [...packed.packed, ...packed.dropped].map(({ candidate: { key } }) => key)
    expect(new Set(keys).size).toBe(30)
    expect(keys.length).toBe(30)
  })

  it('before the languages of the candidates are known: the detail names each step that is left out', async () => {
    const record = new RunRecord(() => 0)
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1_000))
    const reranker: Reranker = {
      model: 'any',
      close: () => Promise.resolve(),
      rerank: ({ passages }) => Promise.resolve({ scores: passages.map(() => null), cached: 0 }),
    }
    await rankAndPack(
      {
        query: 'bell',
        intent: 'exploratory',
        lists: usual,
        plan: overridePlan(NAMED_PLANS.measured, { budgetTokens: 500 }),
        reranker,
        fetchNeighbours: null,
        *count(text) {
          yield
          return countWords(text)
        },
        signal: AbortSignal.abort(new DOMException('deadline passed', 'TimeoutError')),
        tenant: null,
        fetchParents: null,
      },
      record,
    ).finally(() => vi.restoreAllMocks())
    const { detail = '' } = record.degraded.find(({ code }) => code === 'ranking_partial') ?? {}
    expect(detail).toMatch(/^left out: languages, fuse, dedupe, answerability/u)
  })
})
