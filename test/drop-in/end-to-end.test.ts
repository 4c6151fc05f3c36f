import { QdrantClient } from '@qdrant/js-client-rest'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { choosing, chosen, STAGES_OR_NONE, serveImproving } from './support/improving.ts'

const WORDS =
  'harbour pump valve pressure reset sluice warden gauge lantern keel bell rope tide mast crane ledger quay anchor'.split(
    ' ',
  )
const DOCUMENTS = 8
const CHUNKS = 6
const DIMENSIONS = 6

/** A small world: documents of a few chunks each, every chunk with a place, a text, and both kinds of vectors. */
const world = Array.from({ length: DOCUMENTS * CHUNKS }, (_, index) => {
  const words = Array.from(
    { length: 12 },
    (_, turn) => WORDS[(index * 7 + turn * turn * (index + 1)) % WORDS.length] ?? '',
  )
  const angle = Array.from({ length: DIMENSIONS }, (_, axis) => Math.sin(index * 1.7 + axis * 2.3))
  return {
    id: index === 0 ? 18446744073709551615n : BigInt(index),
    text: `Chunk ${index}: ${words.join(' ')}.`,
    docId: `doc-${Math.floor(index / CHUNKS)}`,
    orderIndex: index % CHUNKS,
    dense: angle,
  }
})

const upsertBody = `{"points":[${world.map(
  ({ id, text, docId, orderIndex, dense }) =>
    `{"id":${id},"vector":{"dense":${JSON.stringify(dense)},"sparse":{"text":${JSON.stringify(text)},"model":"qdrant/bm25"}},` +
    `"payload":{"text":${JSON.stringify(text)},"doc_id":"${docId}","order_index":${orderIndex},"weight":5.0,"serial":18446744073709551614}}`,
)}]}`

const withoutTime = (text: string) => text.replace(/"time":[\d.e-]+/, '"time":0')
const idsOf = (text: string) => [...text.matchAll(/"id":("[^"]+"|\d+)/g)].map(match => match[1] ?? '')
const scoresOf = (text: string) => [...text.matchAll(/"score":([^,}]+)/g)].map(match => match[1] ?? '')

let engine: EmbeddedServer
let improving: Stowage
let passing: Stowage
const stage = createStage()

beforeAll(async () => {
  engine = await startEmbeddedServer()
  improving = await openStowage({ QDRANT_URL: engine.url })
  passing = await openStowage({ QDRANT_URL: engine.url, STOWAGE_DROPIN: 'passthrough' })
  const created = await send(
    improving.url,
    'PUT',
    '/collections/world',
    JSON.stringify({
      vectors: { dense: { size: DIMENSIONS, distance: 'Cosine' } },
      sparse_vectors: { sparse: { modifier: 'idf' } },
    }),
  )
  expect(created.status).toBe(200)
  expect(await send(improving.url, 'PUT', '/collections/world/points?wait=true', upsertBody)).toMatchObject({
    status: 200,
  })
})

afterAll(async () => {
  await stage.close()
  await improving.close()
  await passing.close()
  await engine.close()
})

/** Patient: what a busy machine takes for an improvement is not what these tests are about. */
const QUERY_PATH = '/collections/world/points/query?timeout=600'
const dense = (index: number) => JSON.stringify(world[index]?.dense)
const hybrid = (index: number, more = '') =>
  `{"prefetch":[{"query":${dense(index)},"using":"dense","limit":12},{"query":{"text":${JSON.stringify(world[index]?.text)},"model":"qdrant/bm25"},"using":"sparse","limit":12}],"query":{"fusion":"rrf"}${more}}`

describe('the whole service before the embedded engine', () => {
  it('improves a hybrid query: applied steps, a trace, Qdrant’s points', async () => {
    const { status, headers, text } = await send(
      improving.url,
      'POST',
      QUERY_PATH,
      hybrid(9, ',"limit":5,"with_payload":["text","weight"]'),
    )
    expect(status).toBe(200)
    expect(headers.get('x-stowage-applied')).toMatch(/\bfuse\b.*\bpack\b/)
    const trace = await fetch(`${improving.url}/v1/traces/${headers.get('x-stowage-trace-id')}`)
    expect(await trace.json()).toMatchObject({ endpoint: 'points', collections: ['world'], query: world[9]?.text })
    expect(idsOf(text)).toHaveLength(5)
    for (const payload of text.matchAll(/"payload":(\{[^}]*\})/g))
      expect(payload[1]).toMatch(/^\{"text":"Chunk [^"]*","weight":5.0\}$/)
  })

  it('numbers the points in the trace as they stand in the answer, also where those of one document are apart', async () => {
    for (const index of [3, 9, 14, 20, 31, 40]) {
      const { headers, text } = await send(improving.url, 'POST', QUERY_PATH, hybrid(index, ',"limit":8'))
      const answer = await fetch(`${improving.url}/v1/traces/${headers.get('x-stowage-trace-id')}`)
      const trace = (await answer.text()).replace(/"id":(\d+)/g, '"id":"$1"')
      const packed = (JSON.parse(trace).candidates as { id: string; position: number | null }[])
        .filter(({ position }) => position !== null)
        .sort((a, b) => Number(a.position) - Number(b.position))
      expect(packed.map(({ id }) => id)).toEqual(idsOf(text))
    }
  })

  it('keeps every digit of a u64 id and the spelling of 5.0', async () => {
    const body = `{"query":${dense(0)},"using":"dense","limit":1,"with_payload":true}`
    const improved = await send(improving.url, 'POST', QUERY_PATH, body, { 'x-stowage-query': 'harbour' })
    expect(improved.headers.get('x-stowage-applied')).toMatch(/fuse/)
    const direct = await send(engine.url, 'POST', QUERY_PATH, body)
    expect(withoutTime(improved.text)).toBe(withoutTime(direct.text))
    expect(improved.text).toContain('"id":18446744073709551615,')
    expect(improved.text).toMatch(/"weight":5.0,"serial":18446744073709551614/)
  })

  it('says that it found no query text, and improves without', async () => {
    const { headers, text } = await send(
      improving.url,
      'POST',
      QUERY_PATH,
      `{"query":${dense(3)},"using":"dense","limit":4}`,
    )
    expect(headers.get('x-stowage-degraded')?.split(',')).toContain('no_query_text')
    expect(headers.get('x-stowage-applied')).not.toBe('passthrough')
    expect(idsOf(text)).toHaveLength(4)
  })

  it('prefetches out whatever the filter prefetches out, in the lists and among the neighbours', async () => {
    const filter = '{"must":[{"key":"order_index","match":{"any":[0,2,4]}},{"key":"doc_id","match":{"value":"doc-1"}}]}'
    for (const body of [
      hybrid(8, `,"limit":6,"filter":${filter}`),
      `{"prefetch":{"query":${dense(8)},"using":"dense","filter":${filter}},"query":{"fusion":"dbsf"},"limit":6}`,
    ]) {
      const { headers, text } = await send(improving.url, 'POST', QUERY_PATH, body)
      expect(headers.get('x-stowage-applied')).not.toBe('passthrough')
      expect(idsOf(text).sort()).toEqual(['10', '6', '8'])
    }
  })

  it('brings neighbours as points of their own', async () => {
    const body = `{"query":${dense(14)},"using":"dense","limit":2,"params":{"exact":true},"filter":{"must_not":[{"has_id":[1]}]},"with_vector":["dense"],"with_payload":["text"]}`
    const alone = await serveImproving(stage, engine.url, {
      decide: decideByConfiguration(overridePlan(NAMED_PLANS.measured, { retrieval: { pool: 1 } })),
      choosePoints: async ({ lists, fetchNeighbours }) => {
        const hit = lists[0]?.hits[0]
        const places = [hit?.chunk].flatMap(chunk =>
          chunk ? [{ docId: chunk.docId, orderIndex: (chunk.orderIndex ?? 0) + 1 }] : [],
        )
        const neighbours = (await fetchNeighbours?.(places)) ?? []
        return chosen([...(hit ? [hit] : []), ...neighbours.map(chunk => ({ chunk }))])
      },
    })
    const { text } = await send(alone.url, 'POST', QUERY_PATH, body, { 'x-stowage-query': 'a question' })
    expect(idsOf(text)).toEqual(['14', '15'])
    const [first, second] = scoresOf(text)
    expect(Number(second)).toBeLessThanOrEqual(Number(first))
    expect([...text.matchAll(/"vector":\{"dense":\[/g)]).toHaveLength(2)
  })

  it.each([
    ['{"query":7,"using":"dense"}'],
    ['{"query":{"recommend":{"positive":[3],"negative":[4]}},"using":"dense","with_payload":true}'],
    ['{"query":{"order_by":"weight"}}'],
    ['{"prefetch":[{"query":[0,0,0,0,0,1],"using":"dense","limit":9}],"query":[1,0,0,0,0,0],"using":"dense"}'],
    ['{"query":[1,2],"using":"dense"}'],
    ['{"query":[1,2,3,4,5,6],"using":"nope"}'],
    ['{"query":[1,2,3,4,5,6],"using":"dense","limit":0}'],
    ['{"query":[1,2,3,4,5,6],"using":"dense","filter":{"must":[{"nope":1}]}}'],
    ['{"prefetch":[{"query":[1,2,3,4,5,6],"using":"dense"}],"query":{"rrf":{"weights":[1,2]}}}'],
    ['{"query":'],
  ])('prefetches %s to Qdrant, whose answer it does not touch', async body => {
    const direct = await send(engine.url, 'POST', QUERY_PATH, body)
    const through = await send(improving.url, 'POST', QUERY_PATH, body)
    expect(through.headers.get('x-stowage-applied')).toBe('passthrough')
    expect(through.headers.get('x-stowage-degraded')).toMatch(/^(query_not_understood|upstream_refused)$/)
    expect({ status: through.status, text: withoutTime(through.text) }).toEqual({
      status: direct.status,
      text: withoutTime(direct.text),
    })
  })

  it('answers an unknown collection as Qdrant does', async () => {
    const direct = await send(engine.url, 'POST', '/collections/nope/points/query', hybrid(1))
    const through = await send(improving.url, 'POST', '/collections/nope/points/query', hybrid(1))
    expect(through).toMatchObject({ status: 404 })
    expect(withoutTime(through.text)).toBe(withoutTime(direct.text))
  })

  it('with the flag off adds nothing at all', async () => {
    const direct = await send(engine.url, 'POST', QUERY_PATH, hybrid(2))
    const through = await send(passing.url, 'POST', QUERY_PATH, hybrid(2))
    expect(withoutTime(through.text)).toBe(withoutTime(direct.text))
    expect([...through.headers.keys()].filter(name => name.startsWith('x-stowage'))).toEqual([])
  })
})

describe('every improved answer', () => {
  const shape = fc.record({
    index: fc.nat(world.length - 1),
    limit: fc.integer({ min: 1, max: 20 }),
    offset: fc.integer({ min: 0, max: 5 }),
    fusion: fc.constantFrom('{"fusion":"rrf"}', '{"fusion":"dbsf"}', '{"rrf":{"k":10,"weights":[2,0.5]}}'),
    docs: fc.option(fc.uniqueArray(fc.nat(DOCUMENTS - 1), { minLength: 1 })),
    keys: fc.uniqueArray(fc.constantFrom('text', 'doc_id', 'weight', 'nope'), { minLength: 1 }),
    header: fc.option(fc.constantFrom('reset the pump', 'What is a sluice?', 'E-17')),
  })

  it('holds points that the filter admits, each once, within the limit, scores never rising, keys as selected', async () => {
    await fc.assert(
      fc.asyncProperty(shape, async ({ index, limit, offset, fusion, docs, keys, header }) => {
        const filter =
          docs === null
            ? ''
            : `,"filter":{"must":[{"key":"doc_id","match":{"any":${JSON.stringify(docs.map(doc => `doc-${doc}`))}}}]}`
        const body = hybrid(
          index,
          `,"limit":${limit},"offset":${offset},"with_payload":${JSON.stringify(keys)}${filter}`,
        ).replace('{"fusion":"rrf"}', fusion)
        const { status, headers, text } = await send(
          improving.url,
          'POST',
          QUERY_PATH,
          body,
          header === null ? {} : { 'x-stowage-query': encodeURIComponent(header) },
        )
        expect(status).toBe(200)
        expect(headers.get('x-stowage-applied')).not.toBe('passthrough')
        const ids = idsOf(text)
        expect(ids.length).toBeLessThanOrEqual(limit)
        expect(new Set(ids).size).toBe(ids.length)
        const byId = new Map(world.map(chunk => [String(chunk.id), chunk]))
        for (const id of ids) {
          const doc = Number(byId.get(id)?.docId.slice(4) ?? -1)
          expect(docs === null ? doc >= 0 : docs.includes(doc)).toBe(true)
        }
        const points: { score: number; payload: object }[] = JSON.parse(text).result.points
        points.forEach((point, place) => {
          expect(point.score).toBeLessThanOrEqual(points[place - 1]?.score ?? Number.POSITIVE_INFINITY)
          expect(Object.keys(point.payload).sort()).toEqual(keys.filter(key => key !== 'nope').sort())
        })
      }),
      { numRuns: 30 },
    )
  })

  it('carries the very scores that Qdrant gives when nothing is chosen differently', async () => {
    const plain = await serveImproving(stage, engine.url, {
      decide: decideByConfiguration(overridePlan(NAMED_PLANS.measured, { retrieval: { pool: 1 } })),
      choosePoints: choosing(hits => hits),
    })
    for (const fusion of ['{"fusion":"rrf"}', '{"rrf":{"k":61}}', '{"rrf":{"weights":[3.0,0.7]}}']) {
      for (const index of [0, 5, 17, 40]) {
        const asking = (limit: number) => hybrid(index, `,"limit":${limit}`).replace('{"fusion":"rrf"}', fusion)
        const direct = await send(engine.url, 'POST', QUERY_PATH, asking(12))
        const through = await send(plain.url, 'POST', QUERY_PATH, asking(60))
        expect(through.headers.get('x-stowage-applied')).toBe('fuse,pack')
        const [expected, actual] = [direct, through].map(({ text }) => scoresOf(text).map(Number))
        // The embedded engine fuses in float64; the last digits are held to Qdrant's own in score-handout.test.ts.
        expect(expected).toHaveLength(12)
        expected?.forEach((score, place) => void expect(actual?.[place]).toBeCloseTo(score, 5))
      }
    }
    const single = `{"query":${dense(7)},"using":"dense","limit":10,"with_payload":true}`
    expect(withoutTime((await send(plain.url, 'POST', QUERY_PATH, single)).text)).toBe(
      withoutTime((await send(engine.url, 'POST', QUERY_PATH, single)).text),
    )
  })
})

describe.each(['improve', 'passthrough'])('the official client through stowage (%s)', mode => {
  const stowage = () => (mode === 'improve' ? improving : passing)
  const name = `client-${mode}`

  it('creates, upserts, searches in every way, scrolls and deletes', async () => {
    const client = new QdrantClient({
      url: stowage().url,
      checkCompatibility: false,
      headers: { 'x-stowage-query': 'reset%20the%20pump' },
    })
    await client.createCollection(name, {
      vectors: { dense: { size: DIMENSIONS, distance: 'Cosine' } },
      sparse_vectors: { sparse: { modifier: 'idf' } },
    })
    const points = world.slice(1).map(({ id, text, docId, orderIndex, dense }) => ({
      id: Number(id),
      vector: { dense, sparse: { text, model: 'qdrant/bm25' } },
      payload: { text, doc_id: docId, order_index: orderIndex },
    }))
    expect(await client.upsert(name, { wait: true, points })).toMatchObject({ status: 'completed' })
    stowage().answered.length = 0

    const query = points[20]?.vector.dense ?? []
    const prefetch = [
      { query, using: 'dense', limit: 20 },
      { query: { text: 'reset the pump', model: 'qdrant/bm25' }, using: 'sparse', limit: 20 },
    ]
    const fused = await client.query(name, { prefetch, query: { fusion: 'rrf' }, limit: 5, with_payload: true })
    expect(fused.points).toHaveLength(5)
    expect(fused.points.every(({ payload }) => typeof payload?.text === 'string')).toBe(true)
    const [batched] = await client.queryBatch(name, { searches: [{ query, using: 'dense', limit: 3 }] })
    expect(batched?.points).toHaveLength(3)
    expect(await client.search(name, { vector: { name: 'dense', vector: query }, limit: 3 })).toHaveLength(3)
    const [searched] = await client.searchBatch(name, {
      searches: [{ vector: { name: 'dense', vector: query }, limit: 2, with_payload: ['doc_id'] }],
    })
    expect(searched?.map(({ payload }) => Object.keys(payload ?? {}))).toEqual([['doc_id'], ['doc_id']])
    const applied = stowage().answered.map(({ applied }) => applied)
    for (const steps of applied)
      expect(steps).toEqual(mode === 'improve' ? expect.stringMatching(STAGES_OR_NONE) : null)
    expect(applied).toHaveLength(4)

    const { points: scrolled } = await client.scroll(name, { limit: 100 })
    expect(scrolled).toHaveLength(points.length)
    await client.delete(name, { wait: true, points: [1, 2] })
    expect(await client.count(name)).toEqual({ count: points.length - 2 })
    await expect(client.query(name, { query: [1, 2], using: 'dense' })).rejects.toMatchObject({ status: 400 })
    await client.deleteCollection(name)
    await expect(client.query(name, { query, using: 'dense' })).rejects.toMatchObject({ status: 404 })
  })
})
