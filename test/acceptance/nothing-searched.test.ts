import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk, fill } from '../support/points.ts'
import { type Recorded, type Reply, relay, startRecordingServer } from '../support/recording-server.ts'
import { sendOk } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'

const STOP_WORDS = 'what is it?'
let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await fill(engine.url, 'harbour', [{ ...chunk(1, 'The sluice is opened at dawn.'), dense: [1, 0, 0, 0] }])
  await sendOk(engine.url, 'PUT', '/collections/dense-only', { vectors: { size: 4, distance: 'Cosine' } })
})
afterAll(() => engine.close())

/** stowage in front of the engine; `reply` may answer in its place. */
async function openBefore(reply: (request: Recorded) => Reply | undefined = () => undefined) {
  const qdrant = await startRecordingServer(async request => {
    const own = reply(request)
    return own === undefined ? relay(engine.url, request) : own
  })
  onTestFinished(() => qdrant.close())
  const stowage = await openStowage({ QDRANT_URL: qdrant.url })
  onTestFinished(() => stowage.close())
  return stowage
}

describe('a query of stop words with a query vector', () => {
  it('is searched by its vector, and without a reranker nothing says that the documents do not answer it', async () => {
    const stowage = await openBefore()
    for (const query of [STOP_WORDS, '👍']) {
      const { json } = await stowage.ask({ query, collection: 'harbour', vector: [1, 0, 0, 0] })
      expect(json.chunks).toMatchObject([{ id: 1 }])
      expect(json.answerable).toMatchObject({ verdict: 'uncertain', reasons: ['reranker_missing', 'no_keyword_match'] })
    }
    const { json } = await stowage.ask({ query: 'zebra', collection: 'harbour', vector: [1, 0, 0, 0] })
    expect(json.answerable.verdict).toBe('not_in_documents')
  })
})

describe('a query of stop words without a query vector', () => {
  it('says that nothing was searched, whether Qdrant is well or not', async () => {
    let down = false
    const stowage = await openBefore(() => (down ? { status: 500, body: '' } : undefined))
    for (down of [false, true]) {
      const { status, json } = await stowage.ask({ query: STOP_WORDS, collection: 'harbour' })
      expect([status, json.chunks]).toEqual([200, []])
      expect(json.degraded.map(({ code }) => code)).toEqual(['no_search_terms'])
    }
  })

  it('is refused without the key, also after another caller had the key', async () => {
    const stowage = await openBefore(({ headers }) =>
      headers['api-key'] === 'good' ? undefined : { status: 401, body: 'Must provide an API key' },
    )
    const body = { query: STOP_WORDS, collection: 'harbour' }
    expect((await stowage.ask(body, { 'api-key': 'good' })).status).toBe(200)
    expect((await stowage.ask(body)).status).toBe(401)
    expect((await stowage.ask(body, { 'api-key': 'bad' })).status).toBe(401)
  })
})

describe('a collection of which no list can be searched', () => {
  it('is an error that names the dimensions of the query and of the collection, and the variable', async () => {
    const stowage = await openBefore()
    const answer = await stowage.ask({ query: 'sluice', collection: 'dense-only', vector: [1, 0, 0] })
    expect([answer.status, answer.json.error.code]).toEqual([422, 'unprocessable'])
    expect(answer.json.error.message).toMatch(/dense-only: .*query has 3 dimensions.*has 4.*EMBEDDING_MODEL/)
  })

  it.each(['sluice', STOP_WORDS])(
    'is an error that names its dimensions and the variable, without an embedder: %s',
    async query => {
      const stowage = await openBefore()
      const answer = await stowage.ask({ query, collection: 'dense-only' })
      expect([answer.status, answer.json.error.code]).toEqual([422, 'unprocessable'])
      expect(answer.json.error.message).toMatch(/dense-only: .*no vector.*4 dimensions.*EMBEDDER/)
    },
  )

  it('costs nothing but its passages when another collection can be searched', async () => {
    const stowage = await openBefore()
    const { status, json } = await stowage.ask({ query: 'sluice', collection: ['dense-only', 'harbour'] })
    expect([status, json.chunks.length]).toEqual([200, 1])
    expect(json.degraded.map(({ code }) => code)).toEqual(['list_missing', 'list_missing', 'collection_unsearched'])
  })

  it('never says that the documents do not answer, because not all were looked at', async () => {
    const stowage = await openBefore()
    const { json } = await stowage.ask({ query: 'xylophone', collection: ['dense-only', 'harbour'] })
    expect(json.answerable).toMatchObject({ verdict: 'uncertain', reasons: ['nothing_found', 'degraded'] })
  })
})

describe('a collection whose text is under a field that stowage does not know', () => {
  const question = { query: 'When does the sluice open?', vector: [1, 0, 0, 0] }
  beforeAll(async () => {
    const payload = { body: { html: 'The sluice is opened at dawn.' }, page: 'sluice' }
    await fill(engine.url, 'unmapped', [{ id: 1, payload, dense: [1, 0, 0, 0] }])
  })

  it('is named in `degraded`, and is no proof that the documents do not answer', async () => {
    const stowage = await openBefore()
    const { json } = await stowage.ask({ ...question, collection: 'unmapped' })
    expect(json.chunks).toEqual([])
    expect(json.degraded).toContainEqual({ code: 'no_passage_text', detail: 'unmapped' })
    expect(json.answerable).toMatchObject({ verdict: 'uncertain', reasons: ['nothing_found', 'degraded'] })
  })

  it('is named beside a collection that is read', async () => {
    const stowage = await openBefore()
    const { json } = await stowage.ask({ ...question, collection: ['harbour', 'unmapped'] })
    expect(json.chunks.length).toBe(1)
    expect(json.degraded.map(({ code, detail }) => [code, detail])).toEqual([['no_passage_text', 'unmapped']])
  })

  it('is not named when its field is mapped, or when it finds nothing', async () => {
    const mapped = await openStowage({ QDRANT_URL: engine.url, MAPPINGS: '{"unmapped":{"text":"body.html"}}' })
    onTestFinished(() => mapped.close())
    const { json } = await mapped.ask({ ...question, collection: 'unmapped' })
    expect([json.chunks.length, json.degraded]).toEqual([1, []])
    const stowage = await openBefore()
    const filter = { must: [{ key: 'page', match: { value: 'nothing' } }] }
    const empty = await stowage.ask({ ...question, collection: 'unmapped', filter })
    expect(empty.json.degraded).toEqual([])
  })
})

describe('a Qdrant that answers 200 in another shape', () => {
  const paths = [
    '/collections/harbour',
    '/collections/harbour/points/scroll',
    '/collections/harbour/points/query/batch',
  ]
  it.each(paths)('on %s: an error or a degradation, never an empty context alone', async path => {
    let body = ''
    const stowage = await openBefore(request => (request.path === path ? { status: 200, body } : undefined))
    const parts = [{}, [], null, 0, '', [[]], [{}], { points: null }, { points: {} }, { config: { params: {} } }]
    const layouts = [null, 7, 'x', [], { dense: {} }, { dense: { size: '4' } }].map(vectors => ({
      config: { params: { vectors } },
    }))
    const results = fc.oneof(fc.constantFrom(...parts, ...layouts), fc.jsonValue({ maxDepth: 3 }))
    await fc.assert(
      fc.asyncProperty(results, fc.boolean(), async (result, wrapped) => {
        body = JSON.stringify(wrapped ? { result, status: 'ok', time: 0 } : result) ?? ''
        const { status, json } = await stowage.ask({ query: 'sluice', collection: 'harbour' })
        const silent = status === 200 && json.chunks.length === 0 && json.degraded.length === 0
        expect(silent).toBe(false)
      }),
      { numRuns: 60 },
    )
  })
})
