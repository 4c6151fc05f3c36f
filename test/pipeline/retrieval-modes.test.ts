import { describe, expect, it } from 'vitest'
import type { PassageStore, SearchRequest } from '../../src/core/ports.ts'
import { RETRIEVAL_MODES, type RetrievalMode, type RetrievedList } from '../../src/core/types.ts'
import type { ContextRequest } from '../../src/pipeline/context-request.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { chunk } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts } from '../support/fake-ports.ts'

/** What a collection has: a list with hits, a list without hits, or no such list. */
const LIST = ['hits', 'empty', 'none'] as const
type List = (typeof LIST)[number]
interface World {
  dense: List
  keyword: List
  embedder: 'works' | 'fails' | 'none'
  terms: boolean
}

const listOf = (kind: 'dense' | 'keyword', state: List): RetrievedList => ({
  source: kind,
  kind,
  hits:
    state === 'hits'
      ? [{ score: 1, chunk: chunk({ id: kind, docId: kind, text: `A harbour of the ${kind} list.` }) }]
      : [],
})

/** A collection that answers as Qdrant does: a list is searched when it is there and the request has a vector for it. */
function collectionOf({ dense, keyword }: World): PassageStore & { asked: SearchRequest[] } {
  const asked: SearchRequest[] = []
  return {
    asked,
    fetchPlaces: async () => [],
    fetchParents: async () => [],
    search: async request => {
      asked.push(request)
      const vector = request.dense && 'vector' in request.dense ? await request.dense.vector : request.dense
      const lists: RetrievedList[] = []
      const missing: string[] = []
      if (request.dense !== null && dense === 'none') missing.push('dense: the collection has no dense vectors')
      else if (vector !== null) lists.push(listOf('dense', dense))
      if (request.sparse !== null && keyword === 'none') missing.push('keyword: the collection has no sparse vectors')
      else if (request.sparse !== null) lists.push(listOf('keyword', keyword))
      return { lists, missing }
    },
  }
}

const embedders = {
  works: { embedQuery: async () => new Float32Array([1, 0, 0]) },
  fails: { embedQuery: async () => Promise.reject(new Error('out of memory')) },
  none: null,
}

function ask(world: World, request: Partial<ContextRequest>) {
  const store = collectionOf(world)
  const pack = createPackContext(dependencies(fakePorts({ store, embedder: embedders[world.embedder] })))
  const query = world.terms ? 'harbour' : 'what is the'
  return { store, answer: pack({ query, collection: 'docs', trace: true, ...request }, CALLER) }
}

const worlds: World[] = LIST.flatMap(dense =>
  LIST.flatMap(keyword =>
    (['works', 'fails', 'none'] as const).flatMap(embedder =>
      [true, false].map(terms => ({ dense, keyword, embedder, terms })),
    ),
  ),
)

/** The lists with an answer, by the definition of a mode: its own, or the other one when its own is not there or is empty. */
function expected(world: World, mode: RetrievalMode): { used: RetrievalMode | null; ids: string[] } {
  const dense = world.embedder === 'works' ? world.dense : 'none'
  const keyword = world.terms ? world.keyword : 'none'
  const there = (list: List) => list !== 'none'
  const ids = (kinds: string[]) => kinds.filter(kind => (kind === 'dense' ? dense : keyword) === 'hits')
  if (mode === 'hybrid') {
    const used = there(dense) ? (there(keyword) ? 'hybrid' : 'semantic') : there(keyword) ? 'lexical' : null
    return { used, ids: ids(['dense', 'keyword']) }
  }
  const [own, other] = mode === 'semantic' ? [dense, keyword] : [keyword, dense]
  const [ownKind, otherKind] = mode === 'semantic' ? ['dense', 'keyword'] : ['keyword', 'dense']
  const otherMode = mode === 'semantic' ? 'lexical' : 'semantic'
  if (own === 'hits' || (own === 'empty' && other !== 'hits')) return { used: mode, ids: ids([ownKind]) }
  return there(other) ? { used: otherMode, ids: ids([otherKind]) } : { used: null, ids: [] }
}

describe('retrieval modes', () => {
  it.each(RETRIEVAL_MODES)('%s searches its list, else the other one, and says which', async mode => {
    for (const world of worlds) {
      const { used, ids } = expected(world, mode)
      const answer = await ask(world, { mode }).answer.catch((error: Error) => error)
      // Without any list there is no answer, except for a query without terms, where there is nothing to search by.
      if (answer instanceof Error) {
        expect(used).toBeNull()
        continue
      }
      expect(answer.mode).toEqual({ asked: mode, used })
      expect(answer.trace?.mode).toEqual(answer.mode)
      expect(answer.chunks.map(({ id }) => id).sort()).toEqual(ids.sort())
      const said = answer.degraded.some(({ code }) => code === 'mode_unavailable')
      expect(said).toBe(mode !== 'hybrid' && used !== null && used !== mode)
    }
  })

  it('a hybrid search of a collection without a keyword list is whole, unless the embedder fails', async () => {
    const world: World = { dense: 'hits', keyword: 'none', embedder: 'works', terms: true }
    const { degraded } = await ask(world, {}).answer
    expect(degraded.map(({ code }) => code)).toEqual(['reranker_unavailable'])
    await expect(ask({ ...world, embedder: 'fails' }, {}).answer).rejects.toThrow('out of memory')
  })

  it('a lexical search does not embed the query, and a semantic one has no keyword list', async () => {
    const world: World = { dense: 'hits', keyword: 'hits', embedder: 'fails', terms: true }
    const lexical = ask(world, { mode: 'lexical' })
    expect((await lexical.answer).degraded.map(({ code }) => code)).toEqual(['reranker_unavailable'])
    expect(lexical.store.asked.map(({ dense, sparse }) => [dense === null, sparse === null])).toEqual([[true, false]])
    const semantic = ask(world, { mode: 'semantic', vector: [1, 0, 0] })
    const { trace } = await semantic.answer
    expect(semantic.store.asked.map(({ dense, sparse }) => [dense === null, sparse === null])).toEqual([[false, true]])
    expect(trace?.candidates.flatMap(({ lists }) => lists.map(({ source }) => source))).toEqual(['dense'])
  })

  it.each([' ', ' \n\t'])(
    'a query of white space, %j, has no vector to search by, unless the request gives one',
    async query => {
      const store = collectionOf({ dense: 'hits', keyword: 'hits', embedder: 'works', terms: true })
      const pack = createPackContext(dependencies(fakePorts({ store, embedder: embedders.works })))
      const answer = await pack({ query, collection: 'docs' }, CALLER)
      expect([answer.chunks, store.asked]).toEqual([[], []])
      expect(answer.degraded.map(({ code }) => code)).toContain('no_search_terms')
      expect(answer.answerable.verdict).toBe('uncertain')
      const byVector = await pack({ query, collection: 'docs', vector: [1, 0, 0] }, CALLER)
      expect(byVector.chunks.map(({ id }) => id)).toEqual(['dense'])
    },
  )

  it('only the collection without the list is searched by the other one', async () => {
    const whole = collectionOf({ dense: 'hits', keyword: 'hits', embedder: 'works', terms: true })
    const bare = collectionOf({ dense: 'hits', keyword: 'none', embedder: 'works', terms: true })
    const store: PassageStore = {
      fetchPlaces: async () => [],
      fetchParents: async () => [],
      search: (request, call) => (request.collection === 'whole' ? whole : bare).search(request, call),
    }
    const pack = createPackContext(dependencies(fakePorts({ store, embedder: embedders.works })))
    const answer = await pack({ query: 'harbour', collection: ['whole', 'bare'], mode: 'lexical' }, CALLER)
    expect([whole.asked.length, bare.asked.length]).toEqual([1, 2])
    expect(answer.mode).toEqual({ asked: 'lexical', used: 'hybrid' })
    expect(answer.degraded.find(({ code }) => code === 'mode_unavailable')?.detail).toBe(
      'lexical was asked, semantic was used: keyword: the collection has no sparse vectors',
    )
  })
})
