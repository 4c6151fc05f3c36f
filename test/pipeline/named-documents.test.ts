import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { PassageStore, SearchRequest } from '../../src/core/ports.ts'
import { finish } from '../../src/core/steps.ts'
import type { Chunk, RetrievedHit } from '../../src/core/types.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import { namedDocuments } from '../../src/pipeline/retrieval/named-documents.ts'
import { chunk, keywordLists, passageText } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts } from '../support/fake-ports.ts'

const QUESTION = 'How long does the agreement with Axial bind us?'
const BINDING = 'Both parties are bound for nine years.'

/** Agreements that are nearly alike. The best hits of all of them say nothing of the question but its subject. */
const PARTIES = ['axial', 'borealis', 'cobalt', 'deltora', 'ember', 'fjordic']
const firsts = PARTIES.map(party =>
  agreement(party, `The receiving party of copy ${party.length} keeps all drawings secret.`),
)

function agreement(party: string, text: string): Chunk {
  return chunk({ id: `${party}: ${text}`, docId: `/nda/${party}.txt`, docTitle: '', docName: `nda ${party}`, text })
}

const hitsOf = (chunks: readonly Chunk[]): RetrievedHit[] => chunks.map((chunk, at) => ({ chunk, score: 1 - at / 100 }))
const named = (query: string, chunks: readonly Chunk[], most = 3) => finish(namedDocuments(query, chunks, most))

describe('namedDocuments', () => {
  it('takes a document by a word that its name has and others have not', () => {
    expect(named(QUESTION, firsts)).toEqual(['/nda/axial.txt'])
    expect(named('How does Ember compare with Cobalt?', firsts)).toEqual(['/nda/cobalt.txt', '/nda/ember.txt'])
    expect(named('How does Ember compare with Cobalt?', firsts, 1)).toHaveLength(1)
  })

  it('reads titles, and the words of names in camel case', () => {
    const titles = ['CopAxialHolding', 'CopBorealisHolding', 'A guide to cobalt']
    const titled = titles.map((docTitle, at) => chunk({ id: at, docId: `${at}`, docTitle, text: `Copy ${at}.` }))
    expect(named(QUESTION, titled)).toEqual(['0'])
    expect(named('what does cobalt need', titled)).toEqual(['2'])
  })

  it('reads the words of the path beside a general title', () => {
    const titled = firsts.map(one => ({ ...one, docTitle: 'Mutual Agreement' }))
    expect(named(QUESTION, titled)).toEqual(['/nda/axial.txt'])
    const byTitle = PARTIES.map((docTitle, at) => chunk({ id: at, docId: docTitle, docTitle, text: `Copy ${at}.` }))
    expect(named(QUESTION, byTitle)).toEqual(['axial'])
  })

  it.each([
    ['all names hold', 'Which nda is the oldest one?', firsts],
    ['no name holds', 'How long does the agreement with Zenith bind us?', firsts],
    [
      'passages of other documents hold, too',
      QUESTION,
      [...firsts, agreement('gale', 'It follows the agreement with Axial.')],
    ],
    ['stands in stop words alone', 'What is it about?', firsts],
  ])('takes none by a word that %s', (_, query, chunks) => {
    expect(named(query, chunks)).toEqual([])
  })

  it('prefers the document that more words of the question name', () => {
    const years = ['2019', '2020', '2021'].map(year => agreement(`axial ${year}`, `Copy of ${year.length} pages.`))
    expect(named('the nda of Axial of 2020', [...firsts.slice(1), ...years])[0]).toBe('/nda/axial 2020.txt')
  })

  it('names documents that were found, at most as many as asked once', () => {
    const found = fc.array(fc.record({ doc: fc.integer({ min: 0, max: 9 }), name: passageText, text: passageText }), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(passageText, found, fc.integer({ min: 1, max: 4 }), (query, rows, most) => {
        const chunks = rows.map(({ doc, name, text }, id) => chunk({ id, docId: `d${doc}`, docTitle: name, text }))
        const documents = named(query, chunks, most)
        expect(documents.length).toBeLessThanOrEqual(most)
        expect(new Set(documents).size).toBe(documents.length)
        for (const id of documents) expect(chunks.map(({ docId }) => docId)).toContain(id)
      }),
    )
  })

  it('survives titles of any size and shape', () => {
    const odd = ['x'.repeat(100_000), '\uD800', '', '\u0000', 'é'.repeat(1000)]
    const chunks = odd.map((docTitle, id) => chunk({ id, docId: `d${id}`, docTitle, text: docTitle }))
    for (const query of odd) expect(named(query, chunks).length).toBeLessThanOrEqual(3)
    expect(named(QUESTION, [{ ...agreement('axial', 'a'), docId: 'x'.repeat(100_000) }, ...firsts.slice(1)])).toEqual(
      [],
    )
  })
})

interface Asked {
  query?: string
  plan?: Plan
  deadlineMs?: number
}

/** A store with one answer for the first search, and one for the search in documents. */
function storeOf(within: (request: SearchRequest) => Chunk[] | Promise<Chunk[]>) {
  const searched: SearchRequest[] = []
  const store: PassageStore = {
    search: async request => {
      searched.push(request)
      const found = request.documents === undefined ? firsts : await within(request)
      const here = found.map(one => ({ ...one, collection: request.collection }))
      return {
        lists: keywordLists(hitsOf(here).map(hit => ({ ...hit, score: hit.score / searched.length }))),
        missing: [],
        isForeign: request.collection !== 'ingested',
      }
    },
    fetchPlaces: async () => [],
    fetchParents: async () => [],
  }
  return { store, searched }
}

async function ask(store: PassageStore, { query = QUESTION, plan, deadlineMs }: Asked = {}, collection = ['docs']) {
  const ports = fakePorts({ store, embedder: null })
  const all = dependencies(ports, { ...(plan && { plan }), ...(deadlineMs && { deadlineMs }) })
  const response = await createPackContext(all)({ query, collection }, CALLER)
  const [trace] = all.recorded
  return { response, trace, texts: response.chunks.map(({ text }) => text) }
}

const codes = ({ degraded }: { degraded: { code: string }[] }) => degraded.map(({ code }) => code)

describe('a question that names a document', () => {
  it('is searched once more in it, and the trace says so', async () => {
    const { store, searched } = storeOf(() => [agreement('axial', BINDING)])
    const { texts, trace } = await ask(store)
    expect(searched.map(({ documents }) => documents)).toEqual([undefined, ['/nda/axial.txt']])
    expect(searched[1]).toMatchObject({ sparse: searched[0]?.sparse, filter: searched[0]?.filter })
    expect(texts).toContain(BINDING)
    expect(trace?.named_documents).toEqual([{ collection: 'docs', doc_id: '/nda/axial.txt' }])
    expect(trace?.stages.map(({ name }) => name).slice(0, 3)).toEqual(['intent', 'retrieve', 'named_documents'])
    expect(trace?.stages[2]).toMatchObject({ in: 6, out: 7, changed: true })
  })

  it('keeps each point once, with the score of the first search', async () => {
    const { store } = storeOf(() => firsts.slice(0, 1))
    const { trace } = await ask(store)
    expect(trace?.candidates).toHaveLength(6)
    expect(trace?.stages[2]).toMatchObject({ name: 'named_documents', in: 6, out: 6, changed: false })
    const axial = trace?.candidates.find(({ doc_id }) => doc_id === '/nda/axial.txt')
    expect(axial?.lists.find(({ source }) => source === 'keyword')).toMatchObject({ rank: 1, score: 1 })
  })

  it.each<[string, Asked]>([
    ['the plan says so', { plan: overridePlan(NAMED_PLANS.measured, { retrieval: { namedDocuments: null } }) }],
    ['it names none', { query: 'How long does an agreement bind us?' }],
  ])('is searched once when %s', async (_, asked) => {
    const { store, searched } = storeOf(() => [])
    const { response, trace } = await ask(store, asked)
    expect(searched).toHaveLength(1)
    expect(trace).not.toHaveProperty('named_documents')
    expect(codes(response)).not.toContain('named_documents_not_searched')
  })

  it('is not searched once more in a collection of `stowage ingest`, whose vectors and keywords know the name', async () => {
    const { store, searched } = storeOf(() => [agreement('axial', BINDING)])
    const { trace } = await ask(store, {}, ['ingested'])
    expect(searched).toHaveLength(1)
    expect(trace?.named_documents).toBeUndefined()
  })

  it('is searched in the documents of each collection, and one that fails costs the others nothing', async () => {
    const { store, searched } = storeOf(({ collection }) => {
      if (collection === 'old') throw new StowageError('upstream_error', 'Qdrant answered 500')
      return [agreement('axial', BINDING)]
    })
    const { response, texts, trace } = await ask(store, {}, ['old', 'docs'])
    expect(searched.map(({ collection }) => collection).sort()).toEqual(['docs', 'docs', 'old', 'old'])
    expect(texts).toContain(BINDING)
    expect(trace?.named_documents).toEqual([{ collection: 'docs', doc_id: '/nda/axial.txt' }])
    expect(response.degraded).toContainEqual({ code: 'named_documents_not_searched', detail: 'Qdrant answered 500' })
  })

  it('is answered by what was found first when the search has nothing, fails, or hangs', async () => {
    const empty = await ask(storeOf(() => []).store)
    expect(empty.trace?.candidates).toHaveLength(6)
    expect(empty.trace).not.toHaveProperty('named_documents')
    expect(codes(empty.response)).not.toContain('named_documents_not_searched')

    const { search, ...others } = storeOf(() => []).store
    const hanging: PassageStore = {
      ...others,
      search: (request, call) =>
        request.documents === undefined
          ? search(request, call)
          : new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason))),
    }
    const late = await ask(hanging, { deadlineMs: 400 })
    expect(late.trace?.candidates).toHaveLength(6)
    expect(codes(late.response)).toContain('named_documents_not_searched')
  })
})
