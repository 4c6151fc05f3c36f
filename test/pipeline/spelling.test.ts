import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { PassageStore, Reranker, SearchRequest } from '../../src/core/ports.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import { encodeKeywordQuery } from '../../src/text/terms/keyword-vectors.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts } from '../support/fake-ports.ts'

const TEXTS = ['The valley is green.', 'Isharoth of the valley guards the water.']
const MISSPELT = 'Who is Isjaroth of the valley?'
const CORRECTED = 'Who is Isharoth of the valley?'

/** The words that are no name. */
const isWord = (word: string) => word === 'valley'

type Search = (request: SearchRequest, nth: number) => string[]

/** A store that finds what the function says; it keeps what was searched. */
function storeOf(find: Search): PassageStore & { searched: SearchRequest[] } {
  const searched: SearchRequest[] = []
  return {
    searched,
    search: async request => {
      searched.push(request)
      const hits = find(request, searched.length).map((text, at) => ({
        score: 1 - at / 10,
        chunk: chunk({ id: text, docId: text, text, collection: request.collection }),
      }))
      return { lists: [{ source: 'keyword', kind: 'keyword', hits }], missing: [] }
    },
    fetchPlaces: async () => [],
    fetchParents: async () => [],
  }
}

interface Asked {
  query?: string
  plan?: Plan
  embedQuery?: (text: string) => Promise<Float32Array>
  vector?: number[]
  deadlineMs?: number
}

async function ask(store: PassageStore, { query = MISSPELT, embedQuery, vector, deadlineMs, plan }: Asked = {}) {
  const ports = {
    ...fakePorts({ store, embedder: embedQuery === undefined ? null : { embedQuery } }),
    isWord,
  }
  const all = dependencies(ports, { ...(plan && { plan }), ...(deadlineMs && { deadlineMs }) })
  const response = await createPackContext(all)({ query, collection: 'docs', ...(vector && { vector }) }, CALLER)
  return { response, trace: all.recorded[0] }
}

describe('a misspelt question', () => {
  it('is searched once more as it was probably meant, and the answer and the trace say so', async () => {
    const embedded: string[] = []
    const embedQuery = async (text: string) => {
      embedded.push(text)
      return new Float32Array([1, 0, 0])
    }
    const store = storeOf((_, nth) => (nth === 1 ? TEXTS : TEXTS.toReversed()))
    const { response, trace } = await ask(store, { embedQuery })
    expect(store.searched.map(({ sparse }) => sparse)).toEqual(
      [MISSPELT, CORRECTED].map(text => encodeKeywordQuery(text)),
    )
    expect(embedded).toEqual([MISSPELT, CORRECTED])
    expect(response.corrections).toEqual([{ word: 'isjaroth', correction: 'isharoth' }])
    expect(response.chunks[0]?.text).toBe('Isharoth of the valley guards the water.')
    expect(trace).toMatchObject({ query: MISSPELT, corrections: response.corrections })
    expect(trace?.stages.map(({ name }) => name).slice(0, 3)).toEqual(['intent', 'retrieve', 'spelling'])
  })

  it('keeps the vector of the request', async () => {
    const store = storeOf(() => TEXTS)
    await ask(store, { vector: [1, 0, 0] })
    expect(store.searched.map(({ dense }) => dense)).toEqual([
      [1, 0, 0],
      [1, 0, 0],
    ])
  })

  it.each<[string, Asked, Search]>([
    ['the plan says so', { plan: overridePlan(NAMED_PLANS.measured, { retrieval: { spelling: false } }) }, () => TEXTS],
    ['a passage has its words', {}, () => [...TEXTS, 'Isjaroth was another.']],
    ['nothing was found', {}, () => []],
    ['it is spelled correctly', { query: CORRECTED }, () => TEXTS],
  ])('is searched once when %s', async (_, asked, find) => {
    const store = storeOf(find)
    const { response, trace } = await ask(store, asked)
    expect(store.searched).toHaveLength(1)
    expect(response).not.toHaveProperty('corrections')
    expect(trace).not.toHaveProperty('corrections')
    expect(response.degraded.map(({ code }) => code)).not.toContain('spelling_not_corrected')
  })

  it('keeps the first search when the second one fails, lacks a list, finds nothing, or hangs', async () => {
    const failing = storeOf((_, nth) => {
      if (nth === 2) throw new StowageError('upstream_error', 'Qdrant answered 500')
      return TEXTS
    })
    const failed = await ask(failing)
    expect(failed.response.chunks).toHaveLength(2)
    expect(failed.response.degraded).toContainEqual({ code: 'spelling_not_corrected', detail: 'Qdrant answered 500' })
    expect(failed.response).not.toHaveProperty('corrections')

    const embedQuery = async (text: string) => {
      if (text === CORRECTED) throw new Error('too busy')
      return new Float32Array([1, 0, 0])
    }
    const halved = await ask(
      storeOf((_, nth) => (nth === 1 ? TEXTS : TEXTS.slice(1))),
      { embedQuery },
    )
    expect(halved.response.chunks).toHaveLength(2)
    expect(halved.response.degraded).toContainEqual({
      code: 'spelling_not_corrected',
      detail: 'embedder_failed: too busy',
    })

    const empty = await ask(storeOf((_, nth) => (nth === 1 ? TEXTS : [])))
    expect(empty.response.chunks).toHaveLength(2)

    const { search, ...store } = storeOf(() => TEXTS)
    let searches = 0
    const hanging: PassageStore = {
      ...store,
      search: (request, call) => {
        if (++searches === 1) return search(request, call)
        return new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason)))
      },
    }
    const deaf: PassageStore = {
      ...store,
      search: (request, call) =>
        ++searches === 1
          ? search(request, call)
          : new Promise((_, reject) => setTimeout(reject, 600, new Error('late'))),
    }
    for (const one of [hanging, deaf]) {
      searches = 0
      const { response } = await ask(one, { deadlineMs: 400 })
      expect(response.chunks).toHaveLength(2)
      expect(response.degraded.map(({ code }) => code)).toContain('spelling_not_corrected')
    }
  })
})

describe('a misspelt question of a search on a path of Qdrant', () => {
  it('ranks the points that were found as it was probably meant, and the trace says so', async () => {
    const asked: string[] = []
    const rerank: Reranker['rerank'] = async ({ query, passages }) => {
      asked.push(query)
      return { scores: passages.map(text => (text.includes('Isharoth') ? 0.9 : 0.1)), cached: 0 }
    }
    const all = dependencies({ ...fakePorts({ reranker: { rerank } }), isWord })
    const decision = decideByConfiguration(NAMED_PLANS.measured)({ tenant: null, sessionId: null })
    const lists = keywordLists(
      TEXTS.map((text, at) => ({ score: 1 - at / 10, chunk: chunk({ id: at, docId: text, text }) })),
    )
    const request = {
      collection: 'docs',
      query: MISSPELT,
      lists,
      limit: 2,
      fetchNeighbours: null,
      sessionId: null,
      decision,
    }
    const { chosen } = await createChoosePoints(all)(request, CALLER)
    expect(asked).toEqual([CORRECTED])
    expect(chosen.map(({ chunk: { id } }) => id)).toEqual([1, 0])
    expect(all.recorded[0]).toMatchObject({
      query: MISSPELT,
      corrections: [{ word: 'isjaroth', correction: 'isharoth' }],
    })
  })
})
