import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk, fillAll, type TestPoint } from '../support/points.ts'
import { send } from '../support/send.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const WORDS =
  'harbour pump valve pressure reset sluice warden gauge lantern keel bell rope tide mast crane ledger'.split(' ')
const wordsOf = (index: number, count: number) =>
  Array.from({ length: count }, (_, turn) => `${WORDS[(index * 7 + turn * (index + 3)) % WORDS.length]}${index}`).join(
    ' ',
  )
const dense = (index: number) => [1, Math.sin(index), Math.cos(index), index / 200]

let engine: EmbeddedServer
let stowage: Stowage
beforeAll(async () => {
  engine = await startEmbeddedServer()
  stowage = await openStowage({ QDRANT_URL: engine.url })
  // 20 texts, each stored under two documents.
  const twice = Array.from({ length: 40 }, (_, index) =>
    chunk(index + 1, `Berth ${wordsOf(index % 20, 12)}.`, { doc_id: `doc-${index}`, copy: index >= 20 }),
  )
  // 120 long texts: more than the pool, and more tokens than the budget of a context.
  const long = Array.from({ length: 120 }, (_, index) =>
    chunk(index + 1, wordsOf(index, 150), { doc_id: `doc-${index}` }),
  )
  const textless = Array.from(
    { length: 30 },
    (_, index): TestPoint => ({
      id: index + 1,
      payload: { city: index % 2 ? 'London' : 'Berlin', n: index },
    }),
  )
  await fillAll(engine.url, { twice, long, textless }, dense)
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
})

interface Points {
  result: { points: { id: number; score: number; payload?: { text?: string } }[] }
}

const search = (limit: number, more = '') =>
  `{"query":${JSON.stringify(dense(3))},"using":"dense","limit":${limit},"params":{"exact":true},"with_payload":true${more}}`

async function both(collection: string, body: string, api = 'query') {
  const path = `/collections/${collection}/points/${api}?timeout=600`
  const [direct, through] = await Promise.all([
    send<Points>(engine.url, 'POST', path, body),
    send<Points>(stowage.url, 'POST', path, body),
  ])
  return { direct, through }
}

const textsOf = ({ json }: { json: Points }) => json.result.points.map(({ payload }) => payload?.text)
const withoutTime = (text: string) => text.replace(/"time":[\d.e-]+/, '"time":0')

describe('an improved answer has as many points as Qdrant’s own', () => {
  it('duplicates are replaced by the next points while there are some', async () => {
    const { through } = await both('twice', search(20))
    expect(through.headers.get('x-stowage-applied')).toContain('dedupe')
    expect(new Set(textsOf(through)).size).toBe(20)
  })

  it('duplicates come last when there are no other points', async () => {
    const { direct, through } = await both('twice', search(33))
    expect(through.headers.get('x-stowage-applied')).toContain('dedupe')
    expect(textsOf(direct)).toHaveLength(33)
    expect(textsOf(through)).toHaveLength(33)
    expect(new Set(textsOf(through).slice(0, 20)).size).toBe(20)
    const scores = through.json.result.points.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it.each([10, 50, 100, 120])('a limit of %d is filled beyond the pool and the token budget', async limit => {
    const { direct, through } = await both('long', search(limit))
    expect(through.headers.get('x-stowage-applied')).not.toBe('passthrough')
    const ids = (answer: { json: Points }) => answer.json.result.points.map(({ id }) => id)
    expect(ids(direct)).toHaveLength(limit)
    expect(ids(through)).toHaveLength(limit)
    expect(new Set(ids(through)).size).toBe(limit)
  })

  it('an offset is filled, too', async () => {
    const { direct, through } = await both('twice', search(10, ',"offset":28'))
    expect(textsOf(direct)).toHaveLength(10)
    expect(textsOf(through)).toHaveLength(10)
  })
})

describe('points without passage text come back exactly as Qdrant answered', () => {
  const inLondon = ',"filter":{"must":[{"key":"city","match":{"text":"London"}}]}'
  const hybrid = `{"prefetch":[{"query":[0.1,0.2,0.3,0.4],"using":"dense"},{"query":[0.4,0.3,0.2,0.1],"using":"dense"}],"query":{"fusion":"dbsf"},"limit":7}`
  it.each([
    ['query', search(5)],
    ['query', search(5, inLondon)],
    ['query', hybrid],
    ['query/batch', `{"searches":[${search(5)},${hybrid},${search(3, inLondon)}]}`],
  ])('%s %s', async (api, body) => {
    const { direct, through } = await both('textless', body, api)
    expect(direct.status).toBe(200)
    expect(withoutTime(through.text)).toBe(withoutTime(direct.text))
    expect(through.headers.get('x-stowage-applied')).toBe('passthrough')
    expect(through.headers.get('x-stowage-degraded')).toMatch(/^(no_passage_text|improving_paused)$/)
  })

  it('a batch passes through as a whole when one of its searches finds only such points', async () => {
    const none = ',"filter":{"must":[{"is_empty":{"key":"text"}}]}'
    const { direct, through } = await both('twice', `{"searches":[${search(5)},${search(5, none)}]}`, 'query/batch')
    expect(direct.status).toBe(200)
    expect(through.headers.get('x-stowage-applied')).not.toBe('passthrough')
    const mixed = await openStowage({ QDRANT_URL: engine.url })
    await send(engine.url, 'PUT', '/collections/twice/points?wait=true', {
      points: [{ id: 99, vector: { dense: dense(3) }, payload: { n: 1 } }],
    })
    const path = '/collections/twice/points/query/batch?timeout=600'
    const passed = await send(mixed.url, 'POST', path, `{"searches":[${search(5)},${search(5, none)}]}`)
    expect(passed.headers.get('x-stowage-degraded')).toBe('no_passage_text')
    await mixed.close()
  })

  it('are asked for once per query after some queries', async () => {
    const fresh = await openStowage({ QDRANT_URL: engine.url })
    const reasons: (string | null)[] = []
    for (let turn = 0; turn < 7; turn += 1) {
      const { headers } = await send(fresh.url, 'POST', '/collections/textless/points/query?timeout=600', search(5))
      reasons.push(headers.get('x-stowage-degraded'))
    }
    expect(reasons).toEqual([...Array(5).fill('no_passage_text'), ...Array(2).fill('improving_paused')])
    await fresh.close()
  })
})
