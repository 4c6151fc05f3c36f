import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { type Recorded, type Reply, relay, startRecordingServer } from '../support/recording-server.ts'
import { send } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'

const CONTRACTS = 150
const AXIAL = 140
const QUESTION = 'For how many years does the agreement with Axial bind us?'
const nameOf = (at: number) => (at === AXIAL ? 'axial' : `party${String.fromCharCode(97 + (at % 26))}${at}`)
/** At an angle to the question's vector [1, 0], so that a point with a larger step is found later. */
const vectorAt = (step: number) => [Math.cos(step / 400), Math.sin(step / 400)]

/** As LangChain writes agreements that are nearly alike: first a passage on the subject, and far behind those of all others the one that answers. */
const points = Array.from({ length: CONTRACTS }, (_, at) => {
  const metadata = { source: `/contracts/nda-${nameOf(at)}.txt`, half: at % 2 === 0 ? 'even' : 'odd' }
  return [
    {
      id: at + 1,
      vector: vectorAt(at === AXIAL ? 20 : at),
      payload: { content: `Preamble ${at * 7}: the parties agree.`, metadata },
    },
    { id: 1000 + at, vector: vectorAt(300 + at), payload: { content: `It binds for ${at + 2} years.`, metadata } },
  ]
}).flat()
const ANSWER = 1000 + AXIAL

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await send(engine.url, 'PUT', '/collections/contracts', { vectors: { size: 2, distance: 'Cosine' } })
  await send(engine.url, 'PUT', '/collections/contracts/points?wait=true', { points })
  await send(engine.url, 'PUT', '/collections/hybrid', {
    vectors: { dense: { size: 2, distance: 'Cosine' } },
    sparse_vectors: { words: {} },
  })
  const both = points.map(({ vector, ...point }) => {
    const words = { indices: [1, 2], values: [1, 1 / (1 + point.id)] }
    return { ...point, vector: { dense: vector, words } }
  })
  await send(engine.url, 'PUT', '/collections/hybrid/points?wait=true', { points: both })
})
afterAll(() => engine.close())

interface Answer {
  result: { points: { id: number; score: number }[] } | { points: { id: number }[] }[]
}

/** stowage before the engine; `reply` may answer in its place. */
async function open(
  environment: Record<string, string> = {},
  reply: (request: Recorded) => Reply | undefined = () => undefined,
) {
  const upstream = await startRecordingServer(async request => reply(request) ?? relay(engine.url, request))
  onTestFinished(() => upstream.close())
  const stowage = await openStowage({ QDRANT_URL: upstream.url, RETRIEVAL_TRACE: 'true', ...environment })
  onTestFinished(() => stowage.close())
  const search = async (
    body: object,
    { question = QUESTION, path = 'points/query', collection = 'contracts' } = {},
  ) => {
    const headers: Record<string, string> = question === '' ? {} : { 'x-stowage-query': question }
    const answer = await send<Answer>(stowage.url, 'POST', `/collections/${collection}/${path}`, body, headers)
    const { result } = answer.json
    const found = Array.isArray(result) ? result : [result]
    const trace = await stowage.send('GET', `/v1/traces/${answer.headers.get('x-stowage-trace-id')}`)
    return {
      ids: found.map(of => of.points.map(({ id }) => id)),
      degraded: answer.headers.get('x-stowage-degraded') ?? '',
      applied: answer.headers.get('x-stowage-applied') ?? '',
      trace: trace.json as Trace,
    }
  }
  return { search, requests: upstream.requests }
}

const QUERY = { query: [1, 0], limit: 3 }
const isNamed = ({ body }: Recorded) => body.includes('nda-axial')

describe("a search on Qdrant's paths whose question names a document", () => {
  it('finds what is far behind other documents, and the trace says why', async () => {
    const { search } = await open()
    const { ids, trace, degraded } = await search(QUERY)
    expect(ids[0]).toContain(ANSWER)
    expect(degraded).toBe('')
    expect(trace.named_documents).toEqual([{ collection: 'contracts', doc_id: '/contracts/nda-axial.txt' }])
    expect(trace.candidates.find(({ id }) => id === ANSWER)).toMatchObject({ decision: 'packed', origin: 'retrieved' })
  })

  it.each<[string, Record<string, string>, string]>([
    ['the rule is off', { RETRIEVAL_NAMED_DOCUMENTS: 'off' }, QUESTION],
    ['there is no question', {}, ''],
    ['the question names none', {}, 'For how many years does an agreement bind us?'],
  ])('is sent once when %s', async (_, environment, question) => {
    const { search, requests } = await open(environment)
    const { ids, trace } = await search(QUERY, { question })
    expect(ids[0]).not.toContain(ANSWER)
    expect(requests.filter(isNamed)).toEqual([])
    expect(trace).not.toHaveProperty('named_documents')
  })

  it("keeps the client's filter, threshold and page", async () => {
    const { search } = await open()
    const odd = { must: [{ key: 'metadata.half', match: { value: 'odd' } }] }
    expect((await search({ ...QUERY, filter: odd })).ids[0]).not.toContain(ANSWER)
    const even = { must: [{ key: 'metadata.half', match: { value: 'even' } }] }
    expect((await search({ ...QUERY, filter: even })).ids[0]).toContain(ANSWER)
    expect((await search({ ...QUERY, score_threshold: 0.9 })).ids[0]).not.toContain(ANSWER)

    const pages: number[] = []
    for (let offset = 0; offset < 2 * CONTRACTS; offset += 60)
      pages.push(...((await search({ query: [1, 0], limit: 60, offset })).ids[0] ?? []))
    expect(pages).toHaveLength(2 * CONTRACTS)
    expect(new Set(pages).size).toBe(2 * CONTRACTS)
    expect(pages.slice(0, 60)).toContain(ANSWER)
  })

  it('extends the dense list of a fusion, whose pages show each point once', async () => {
    const { search, requests } = await open()
    const dense = { query: [1, 0], using: 'dense', limit: 60 }
    const sparse = { query: { indices: [2], values: [1] }, using: 'words', limit: 60 }
    const fused = { prefetch: [sparse, dense], query: { fusion: 'rrf' } }
    const all: number[] = []
    for (let offset = 0; offset < 90; offset += 30)
      all.push(...((await search({ ...fused, limit: 30, offset }, { collection: 'hybrid' })).ids[0] ?? []))
    expect(all.slice(0, 30)).toContain(ANSWER)
    expect(new Set(all).size).toBe(all.length)
    expect(requests.filter(isNamed)).toHaveLength(3)
    const off = await open({ RETRIEVAL_NAMED_DOCUMENTS: 'off' })
    expect((await off.search({ ...fused, limit: 120 }, { collection: 'hybrid' })).ids[0]).not.toContain(ANSWER)
  })

  it('leaves fusions of several dense lists alone, in a batch too', async () => {
    const { search, requests } = await open()
    const fused = { prefetch: [QUERY, { ...QUERY, query: [1, 0.01] }], query: { fusion: 'rrf' }, limit: 3 }
    await search(fused)
    expect(requests.filter(isNamed)).toEqual([])
    const { ids } = await search({ searches: [QUERY, fused, QUERY] }, { path: 'points/query/batch' })
    expect(ids.map(found => found.includes(ANSWER))).toEqual([true, false, true])
    expect(requests.filter(isNamed)).toHaveLength(1)
  })

  it('is answered without it when Qdrant refuses, and is not sent again for a while', async () => {
    const refusal = { status: 400, body: '{"status":{"error":"Index required"}}' }
    const { search, requests } = await open({}, request => (isNamed(request) ? refusal : undefined))
    const first = await search(QUERY)
    expect(first).toMatchObject({
      degraded: 'named_documents_not_searched',
      ids: [[expect.anything(), expect.anything(), expect.anything()]],
    })
    expect(first.ids[0]).not.toContain(ANSWER)
    const sent = requests.filter(isNamed).length
    expect(await search(QUERY)).toMatchObject({ degraded: '', ids: first.ids })
    expect(requests.filter(isNamed)).toHaveLength(sent)
  })

  it('is answered without it when the collection does not say how it is indexed', async () => {
    let looks = 0
    const { search } = await open({}, ({ method }) => {
      if (method !== 'GET') return undefined
      looks += 1
      // The first look is for a limit on reads.
      return looks === 1 ? undefined : { status: 403, body: '{}' }
    })
    const { ids, degraded, applied } = await search(QUERY)
    expect(ids[0]).toHaveLength(3)
    expect(degraded).toBe('named_documents_not_searched')
    expect(applied).not.toBe('passthrough')
  })
})

describe('a search on Qdrant’s paths that is deeper than Qdrant allows', () => {
  const limitOf = ({ body }: Recorded) => Number(/"limit":(\d+)/.exec(body)?.[1] ?? 0)

  it.each([
    ['limits the hits of a search', { status: 400, body: '{"status":{"error":"Limit exceeded 200 > 100"}}' }],
    ['answers more than stowage reads', { status: 200, body: ' '.repeat(65 * 1024 * 1024) }],
  ])('is improved with less depth where Qdrant %s', async (_, refusal) => {
    const { search, requests } = await open({}, request => (limitOf(request) > 100 ? refusal : undefined))
    const { ids, applied, degraded } = await search(QUERY, { question: 'How many years is it?' })
    expect(ids[0]).toHaveLength(3)
    expect({ applied, degraded }).not.toMatchObject({ applied: 'passthrough' })
    const limits = () => requests.filter(({ method }) => method === 'POST').map(limitOf)
    expect(limits()).toEqual([200, 50])
    await search(QUERY, { question: 'How many years is it?' })
    expect(limits()).toEqual([200, 50, 50])
  })
})
