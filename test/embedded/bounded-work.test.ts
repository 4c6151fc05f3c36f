import { once } from 'node:events'
import { createConnection } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PatternSet } from '../../src/embedded/filter/pattern-set.ts'
import { Pace } from '../../src/embedded/pace.ts'
import { countPoints, scrollPoints } from '../../src/embedded/reads/points.ts'
import { queryPoints } from '../../src/embedded/reads/search.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { MAXIMUM_BODY_BYTES } from '../../src/embedded/wire/http-body.ts'
import { printInSlices, printJson } from '../../src/embedded/wire/json.ts'
import { MAXIMUM_TEXT_LENGTH } from '../../src/embedded/wire/vector.ts'
import { send } from '../support/send.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'
import { collectionOf } from './support/collection.ts'
import { rest } from './support/rest.ts'

const POINTS = '/collections/c/points'
const match = (value: number) => ({ key: 'n', match: { value } })

describe('a request that is too large', () => {
  let server: EmbeddedServer
  beforeAll(async () => {
    server = await startEmbeddedServer()
    await rest(server.url, 'PUT', '/collections/c', { vectors: {}, sparse_vectors: { words: {} } })
    await rest(server.url, 'PUT', POINTS, { points: [{ id: 1, vector: {}, payload: { n: 1 } }] })
  })
  afterAll(() => server.close())

  it(
    'is refused with 413 by its bytes after inflation, as Qdrant words it',
    async () => {
      const body = Buffer.alloc(MAXIMUM_BODY_BYTES + 1, ' ')
      const scroll = `${POINTS}/scroll`
      for (const [bytes, headers] of [
        [body, {}],
        [gzipSync(Buffer.alloc(80 * 2 ** 20, ' '), { level: 1 }), { 'content-encoding': 'gzip' }],
      ] as const) {
        const answer = await send<{ status: unknown }>(server.url, 'POST', scroll, bytes, headers)
        expect(answer.status).toBe(413)
        expect(answer.json.status).toEqual({ error: 'JSON payload has exceeded limit (33554432 bytes).' })
      }
      const largest = Buffer.concat([Buffer.from('{}'), Buffer.alloc(MAXIMUM_BODY_BYTES - 2, ' ')])
      expect(
        (await send(server.url, 'POST', scroll, gzipSync(largest, { level: 1 }), { 'content-encoding': 'gzip' }))
          .status,
      ).toBe(200)
    },
    CHILD_PROCESS_MS,
  )

  it.each<[string, string, string, unknown, string]>([
    [
      'conditions',
      'POST',
      '/scroll',
      { filter: { should: Array.from({ length: 10_001 }, (_, n) => match(n)) } },
      '10000',
    ],
    [
      'conditions in several places',
      'POST',
      '/count',
      {
        filter: {
          must: [{ nested: { key: 'a', filter: { must: Array.from({ length: 5000 }, (_, n) => match(n)) } } }],
          must_not: [{ min_should: { conditions: Array.from({ length: 5000 }, (_, n) => match(n)), min_count: 1 } }],
        },
      },
      '10000',
    ],
    ['prefetches', 'POST', '/query', { prefetch: Array(257).fill({}), query: { fusion: 'rrf' } }, '256'],
    [
      'nested prefetches',
      'POST',
      '/query',
      {
        prefetch: Array(20).fill({ prefetch: Array(20).fill({}), query: { fusion: 'rrf' } }),
        query: { fusion: 'rrf' },
      },
      '256',
    ],
    ['searches', 'POST', '/query/batch', { searches: Array(1001).fill({}) }, '1000'],
    ['operations', 'POST', '/batch', { operations: Array(1001).fill({ delete: { points: [] } }) }, '1000'],
    [
      'text',
      'POST',
      '/query',
      { query: { text: 'a'.repeat(MAXIMUM_TEXT_LENGTH + 1), model: 'qdrant/bm25' }, using: 'words' },
      '8388608',
    ],
  ])('is refused by its number of %s, in the words of Qdrant’s strict mode', async (_, method, path, body, limit) => {
    const answer = await rest(server.url, method, POINTS + path, body)
    expect(answer.status).toBe(400)
    expect(answer.error).toMatch(
      new RegExp(`^Bad request: Limit exceeded \\d+ > ${limit} for ".*"\\. Help: Reduce the `, 'u'),
    )
  })

  it('is refused by its number of objects, members and lists', async () => {
    for (const part of ['{}', '[]', '1.0', '{"a":0}']) {
      const answer = await rest(server.url, 'POST', `${POINTS}/scroll`, `[${Array(1_000_001).fill(part).join(',')}]`)
      expect(answer.status).toBe(400)
      expect(answer.error).toBe('Format error in JSON body: more than 1000000 parts')
    }
  })

  it('is answered up to the limit of conditions', async () => {
    const should = Array.from({ length: 10_000 }, (_, n) => match(n))
    const found = await rest<{ points: unknown[] }>(server.url, 'POST', `${POINTS}/scroll`, { filter: { should } })
    expect(found.body.result.points).toHaveLength(1)
  })
})

describe('text filters', () => {
  it('find patterns where a naive search finds them', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 5 })
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 }),
        (words, text) => {
          expect(new PatternSet(words).isIn(text)).toBe(words.some(one => text.includes(one)))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('are linear in texts that repeat: 200,000 tokens, a phrase of 100,000, 100,000 words', async () => {
    const { engine, collection } = await collectionOf({ vectors: {} })
    await engine.update('c', 'create_index', {
      field_name: 'text',
      field_schema: { type: 'text', phrase_matching: true },
    })
    const text = 'a '.repeat(200_000)
    await engine.update('c', 'upsert', { points: [{ id: 1, vector: {}, payload: { text, free: text } }] })
    const words = Array.from({ length: 100_000 }, (_, i) => `b${i}`).join(' ')
    const units = `${'a '.repeat(100_000)}b`
    for (const condition of [
      { key: 'text', match: { phrase: units } },
      { key: 'text', match: { text_any: words } },
      { key: 'free', match: { text_any: words } },
      { key: 'free', match: { text: units } },
    ]) {
      expect(await countPoints(collection, { filter: { must: [condition] } })).toEqual({ count: 0 })
    }
    const phrase = { key: 'text', match: { phrase: 'a '.repeat(100_000) } }
    expect(await countPoints(collection, { filter: { must: [phrase] } })).toEqual({ count: 1 })
  })
})

describe('long work', () => {
  const COUNT = 4000

  /** A clock that goes on by one millisecond at each look. */
  function tickingPace(): Pace {
    let time = 0
    return new Pace({ now: () => time++ })
  }

  async function filled() {
    const schema = { vectors: { '': { size: 2, distance: 'Dot' } }, sparse_vectors: { words: {} } }
    const made = await collectionOf(schema)
    const points = Array.from({ length: COUNT }, (_, id) => ({
      id,
      vector: { '': [id, 1], words: { indices: [1], values: [id] } },
      payload: { n: id % 10 },
    }))
    return { ...made, points }
  }

  it('rests in proportion to the points it looks at', async () => {
    const { engine, collection, points } = await filled()
    const upserts = tickingPace()
    await engine.update('c', 'upsert', { points }, upserts)
    const rests: { [work: string]: number } = { upsert: upserts.rests }
    const filter = { must: [match(3)] }
    const works: { [work: string]: (pace: Pace) => Promise<unknown> } = {
      count: pace => countPoints(collection, { filter }, pace),
      scroll: pace => scrollPoints(collection, { filter, limit: COUNT }, pace),
      dense: pace => queryPoints(collection, { query: [1, 1] }, pace),
      sparse: pace => queryPoints(collection, { query: { indices: [1], values: [1] }, using: 'words' }, pace),
      everything: pace => queryPoints(collection, { limit: COUNT }, pace),
      mmr: pace =>
        queryPoints(collection, { query: { nearest: [1, 1], mmr: { candidates_limit: 100 } }, limit: 40 }, pace),
      print: pace => printInSlices(points, pace),
      'delete by filter': pace => engine.update('c', 'delete', { filter }, pace),
    }
    for (const [name, work] of Object.entries(works)) {
      const pace = tickingPace()
      await work(pace)
      rests[name] = pace.rests
    }
    // One look at the clock for 8 points, one rest for 8 looks or a little more.
    for (const [work, count] of Object.entries(rests)) expect(count, work).toBeGreaterThan(COUNT / 64 / 2)
  })

  it('prints in slices what it prints in one piece', async () => {
    const value = fc
      .jsonValue({ maxDepth: 6 })
      .map(value => ({ result: [value, value], none: undefined, status: 'ok' }))
    await fc.assert(
      fc.asyncProperty(value, async value => {
        expect((await printInSlices(value, tickingPace())).join('')).toBe(printJson(value))
      }),
    )
  })

  it('lets a short request overtake a long one', async () => {
    const server = await startEmbeddedServer()
    await rest(server.url, 'PUT', '/collections/c', { vectors: {} })
    const points = Array.from({ length: 1000 }, (_, id) => ({ id, vector: {}, payload: { n: -1 } }))
    await rest(server.url, 'PUT', POINTS, { points })
    const should = Array.from({ length: 3000 }, (_, n) => match(n))
    const answered: string[] = []
    const long = rest(server.url, 'POST', `${POINTS}/count`, { filter: { should } }).then(() => answered.push('long'))
    // The long request has begun when the connection after it is accepted.
    const socket = createConnection(server.port, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
    const short = rest(server.url, 'GET', '/collections').then(() => answered.push('short'))
    await Promise.all([long, short])
    expect(answered).toEqual(['short', 'long'])
    await server.close()
  })

  it('gives each point once and none that is gone, when points are deleted and put again meanwhile', async () => {
    const { engine, collection } = await collectionOf({ vectors: { size: 1, distance: 'Dot' } })
    const put = (ids: number[]) =>
      engine.update('c', 'upsert', { points: ids.map(id => ({ id, vector: [id], payload: { id } })) })
    const all = Array.from({ length: 400 }, (_, id) => id)
    await put(all)
    let rests = 0
    class WritingPace extends Pace {
      override async rest(): Promise<void> {
        rests++
        await engine.update('c', 'delete', { points: [rests, 399 - rests] })
        if (rests < 20) await put([rests, 399 - rests])
      }
    }
    let time = 0
    const pace = new WritingPace({ now: () => (time += 10) })
    const { points } = await queryPoints(collection, { query: [1], limit: 400, with_payload: true }, pace)
    const found = points as { id: number; payload: unknown }[]
    expect(rests).toBeGreaterThan(60)
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
    expect(found).toEqual(found.map(({ id }) => expect.objectContaining({ id, payload: { id } })))
    expect(found.length).toBeGreaterThan(200)
  })

  it('ends when its time is up or its client has gone, and a write then changes nothing', async () => {
    const { engine, collection, points } = await filled()
    let time = 0
    const late = new Pace({ timeout: 1, now: () => (time += 100) })
    await expect(engine.update('c', 'upsert', { points }, late)).rejects.toMatchObject({ status: 408 })
    const gone = new AbortController()
    gone.abort()
    const cancelled = new Pace({ signal: gone.signal, now: () => (time += 100) })
    await expect(engine.update('c', 'upsert', { points }, cancelled)).rejects.toMatchObject({ status: 499 })
    expect(collection.size).toBe(0)
  })
})
