import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { chunk, fill, upsert } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage()
  await fill(stowage.url, 'harbour', [
    chunk(1, 'The harbour pump is primed before the sluice is opened.'),
    chunk(2, 'The sluice warden reads the pressure gauge at the harbour every hour.'),
    { ...chunk(3, 'A lantern burns on the quay.'), dense: [1, 0, 0, 0] },
  ])
})
afterAll(() => stowage.close())

const QUESTION = { query: 'harbour sluice', collection: 'harbour' }

describe('a wrong request is refused by name, through the whole service', () => {
  const nested = (depth: number) => `${'{"must":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`
  test.each([
    ['query', '{"query":7,"collection":"harbour"}'],
    ['query', `{"query":"${'x'.repeat(1_000_000)}","collection":"harbour"}`],
    ['collection', '{"query":"q"}'],
    ['collection', '{"query":"q","collection":"\\ud800"}'],
    ['collection', '{"query":"q","collection":["harbour","x\\udc00"]}'],
    ['collection', '{"query":"q","collection":".."}'],
    ['collection', '{"query":"q","collection":["."]}'],
    ['filter', '{"query":"q","collection":"harbour","filter":[]}'],
    ['filter', '{"query":"q","collection":"harbour","filter":{"must":[{"key":"n","range":{"gt":-1e999}}]}}'],
    ['filter', `{"query":"q","collection":"harbour","filter":${nested(70)}}`],
    ['budget_tokens', '{"query":"q","collection":"harbour","budget_tokens":-1}'],
    ['budget_tokens', '{"query":"q","collection":"harbour","budget_tokens":10000001}'],
    ['model', '{"query":"q","collection":"harbour","model":""}'],
    ['limit', '{"query":"q","collection":"harbour","limit":0}'],
    ['vector', '{"query":"q","collection":"harbour","vector":[1e999,0,0,0]}'],
    ['vector', '{"query":"q","collection":"harbour","vector":[null,0,0,0]}'],
    ['vector', '{"query":"q","collection":"harbour","vector":["NaN",0,0,0]}'],
    ['vector', '{"query":"q","collection":"harbour","vector":[[1,0,0,0]]}'],
    ['session_id', '{"query":"q","collection":"harbour","session_id":""}'],
    ['format', '{"query":"q","collection":"harbour","format":"yaml"}'],
    ['order', '{"query":"q","collection":"harbour","order":"best"}'],
    ['trace', '{"query":"q","collection":"harbour","trace":1}'],
    ['deadline_ms', '{"query":"q","collection":"harbour","deadline_ms":0}'],
    ['budget', '{"query":"q","collection":"harbour","budget":100}'],
  ])('%s', async (field, body) => {
    const { status, json } = await stowage.ask(body)
    expect(status).toBe(400)
    expect(json.error.code).toBe('bad_request')
    expect(json.error.details?.map(fault => fault.field.split('.')[0])).toEqual([field])
  })

  it('a body that is not UTF-8', async () => {
    const broken = Buffer.concat([Buffer.from('{"query":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
    const { status, json } = await stowage.ask(broken)
    expect([status, json.error.code]).toEqual([400, 'bad_request'])
    expect(json.error.message).toMatch(/UTF-8/)
  })

  it.each(['a/b', '../harbour', '..', 'a\\b'])('a name that no collection can have: %j', async collection => {
    const { status, json } = await stowage.ask({ ...QUESTION, collection })
    expect([status, json.error.code]).toEqual([400, 'bad_request'])
    expect(json.error.message).toContain('collection')
  })

  it.each(['missing', '%2e%2e', 'harbour?x=1', 'ünï\u0000', ' '])('an unknown collection: %j', async collection => {
    const { status, json } = await stowage.ask({ ...QUESTION, collection })
    expect([status, json.error.code]).toEqual([404, 'collection_not_found'])
    expect(Object.keys(json)).toEqual(['error'])
  })

  it('one unknown collection among known ones', async () => {
    const { status, json } = await stowage.ask({ ...QUESTION, collection: ['harbour', 'missing'] })
    expect([status, json.error.code]).toEqual([404, 'collection_not_found'])
    expect(json.error.message).toContain('missing')
  })

  it('a filter that Qdrant does not know', async () => {
    const { status, json } = await stowage.ask({ ...QUESTION, filter: { must: [{ nonsense: 1 }] } })
    expect([status, json.error.code]).toEqual([400, 'bad_request'])
  })
})

describe('an odd request gets a clear answer', () => {
  it.each([3, 5])('a vector of %i dimensions before a collection of 4', async dimensions => {
    const { status, json } = await stowage.ask({ ...QUESTION, vector: Array(dimensions).fill(0.5) })
    expect(status).toBe(200)
    expect(json.degraded).toContainEqual({ code: 'list_missing', detail: expect.stringContaining(`${dimensions}`) })
    expect(json.answerable.verdict).not.toBe('not_in_documents')
    expect(json.chunks.length).toBeGreaterThan(0)
  })

  it('a vector of zeros', async () => {
    const { status, json } = await stowage.ask({ ...QUESTION, vector: [0, 0, 0, 0] })
    expect(status).toBe(200)
    for (const { score } of json.chunks) expect(score).toEqual(expect.any(Number))
  })

  it.each([0, 1, 5])('a budget of %i', async budget => {
    const { status, json } = await stowage.ask({ ...QUESTION, budget_tokens: budget })
    expect(status).toBe(200)
    expect(json).toMatchObject({ context: '', tokens: 0, budget_tokens: budget, chunks: [] })
    expect(json.degraded.map(({ code }) => code)).toContain('nothing_fits')
  })

  it('a budget of ten million', async () => {
    const { status, json } = await stowage.ask({ ...QUESTION, budget_tokens: 10_000_000 })
    expect(status).toBe(200)
    expect(json.chunks.map(({ id }) => id).sort()).toEqual([1, 2])
  })

  it.each(['?', '   ', '🦑', 'the of and', '\u0000', '<|endoftext|>', 'AND (OR "'])('the query %j', async query => {
    const { status, json } = await stowage.ask({ ...QUESTION, query })
    expect(status).toBe(200)
    expect(json.chunks).toEqual([])
  })

  it('an empty collection', async () => {
    await fill(stowage.url, 'empty', [])
    const { status, json } = await stowage.ask({ ...QUESTION, collection: 'empty' })
    expect(status).toBe(200)
    expect(json).toMatchObject({ context: '', tokens: 0, chunks: [] })
  })

  it('the same collection named twice counts once', async () => {
    const once = await stowage.ask(QUESTION)
    const twice = await stowage.ask({ ...QUESTION, collection: ['harbour', 'harbour'] })
    expect(twice.json.context).toBe(once.json.context)
  })
})

describe('odd points', () => {
  it('a point written twice is one chunk: what was written last', async () => {
    await fill(stowage.url, 'twice', [chunk(7, 'The anchor is rusty.'), chunk(7, 'The anchor is new.')])
    const { json } = await stowage.ask({ query: 'anchor', collection: 'twice' })
    expect(json.chunks.map(({ id, text }) => [id, text])).toEqual([[7, 'The anchor is new.']])
  })

  it('the same id in two collections stays two chunks', async () => {
    await fill(stowage.url, 'port', [chunk(7, 'The port anchor weighs two tons and hangs from the bow.')])
    await fill(stowage.url, 'starboard', [
      chunk(7, 'At starboard there is an anchor that nobody has lifted for years.'),
    ])
    const { json } = await stowage.ask({ query: 'anchor', collection: ['port', 'starboard'] })
    expect(json.chunks.map(({ collection }) => collection).sort()).toEqual(['port', 'starboard'])
  })

  it('u64 ids keep every digit, in the chunks and in the trace', async () => {
    const ids = ['9007199254740993', '9007199254740992', '18446744073709551615']
    await fill(
      stowage.url,
      'long-ids',
      ids.map((id, turn) => chunk(id, `Bell number ${turn} is rung on deck ${'abc'[turn]}.`)),
    )
    const { text } = await stowage.ask({ query: 'bell', collection: 'long-ids', trace: true })
    const [answer = '', trace = ''] = text.split('"trace":')
    for (const part of [answer, trace])
      expect([...part.matchAll(/"id":(\d+)/g)].map(([, id]) => id).sort()).toEqual([...ids].sort())
  })

  it('payloads without text, with another type under it, or nested deep', async () => {
    const deep: unknown = JSON.parse(`${'{"down":'.repeat(100)}1${'}'.repeat(100)}`)
    await fill(stowage.url, 'odd', [
      chunk(1, 'The mast is oak.'),
      { id: 2, payload: { text: 12, note: 'mast' } },
      { id: 3, payload: { text: '' } },
      { id: 4, payload: {} },
      chunk(5, 'The mast was repaired with iron bands in spring.', { deep, order_index: 'first', section_path: ['a'] }),
    ])
    const { status, json } = await stowage.ask({ query: 'mast 12', collection: 'odd' })
    expect(status).toBe(200)
    expect(json.chunks.map(({ id }) => id).sort()).toEqual([1, 5])
  })
})

describe('texts of monstrous size', () => {
  const SIZE = 100_000
  const monsters: [name: string, text: string][] = [
    ['one letter', `keel ${'a'.repeat(SIZE)}`],
    ['one long line of emoji', `keel ${'🦑'.repeat(SIZE / 2)}`],
    ['blanks', `keel ${' '.repeat(SIZE)}end`],
    ['full stops', `keel ${'. '.repeat(SIZE / 2)}`],
    ['line breaks', `keel ${'\n'.repeat(SIZE)}end`],
    ['table rules', `keel |${'---|'.repeat(SIZE / 4)}`],
  ]

  test.each(monsters)('100 kB of %s: packed whole, cut or left out, within the budget', async (name, text) => {
    const collection = `monster-${name.replaceAll(' ', '-')}`
    await fill(stowage.url, collection, [chunk(1, text), chunk(2, 'The keel was laid in winter.')])
    for (const budget of [50, 2_000, 10_000_000]) {
      const { status, json } = await stowage.ask({ query: 'keel', collection, budget_tokens: budget })
      expect(status).toBe(200)
      expect(json.tokens).toBeLessThanOrEqual(budget)
      expect(json.chunks.length).toBeGreaterThan(0)
    }
  })

  it('5 MB of prose in one point', async () => {
    const prose = 'The rope is tarred. It is coiled by the crane, and nobody may step over it. '.repeat(66_000)
    await fill(stowage.url, 'prose', [chunk(1, 'Another rope lies on the quay.'), chunk(2, 'A rope of hemp.')])
    await upsert(stowage.url, 'prose', [chunk(3, prose)])
    const { status, json } = await stowage.ask({ query: 'rope', collection: 'prose', budget_tokens: 500 })
    expect(status).toBe(200)
    expect(json.tokens).toBeLessThanOrEqual(500)
    expect(json.chunks.length).toBeGreaterThan(0)
  })

  it('others are answered while a monster is packed', async () => {
    await fill(stowage.url, 'swarm', [
      ...Array.from({ length: 12 }, (_, id) => chunk(id + 1, `keel ${id} ${'ab'.repeat(SIZE / 2)}`)),
    ])
    const monster = stowage.ask({ query: 'keel', collection: 'swarm', budget_tokens: 10_000_000 })
    const others = await Promise.all([
      ...Array.from({ length: 5 }, () => stowage.send('GET', '/collections')),
      ...Array.from({ length: 5 }, () => stowage.ask(QUESTION)),
    ])
    expect(others.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const { status, json } = await monster
    expect([status, json.chunks.length]).toEqual([200, 12])
  })
})
