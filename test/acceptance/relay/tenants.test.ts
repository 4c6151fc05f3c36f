import http from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import { createFakeEndpoint } from '../../relay/support/fake-endpoint.ts'
import { scaled, vectorOf } from '../../relay/support/vectors.ts'
import { createStage } from '../../support/stage.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'

const TENANTS = ['acme', 'beta', 'gamma', 'delta']
/** Embeddings and searches; `TENANT_REQUESTS=10000` was run, too. */
const REQUESTS = Number(process.env.TENANT_REQUESTS ?? 600)
/** Fewer than there are questions, so that the memory is full. */
const VECTORS = Math.round(REQUESTS * 0.3)

const stage = createStage()
const endpoint = createFakeEndpoint()
const closing: (() => Promise<void>)[] = []
let stowage: Stowage

beforeAll(async () => {
  const engine = await startEmbeddedServer()
  const upstream = await stage.listen(endpoint.server)
  const limited = { rate_limit: { per_second: 1, burst: 1 } }
  const tenants = declareTenants({ ...Object.fromEntries(TENANTS.map(name => [name, {}])), slow: limited })
  const file = await openTenantsFile({ ...tenants, operators: [{ sha256: keyHash('operator-key') }] })
  stowage = await openStowage({
    QDRANT_URL: engine.url,
    TENANTS_FILE: file.path,
    EMBEDDINGS_RELAY_URL: upstream,
    EMBEDDINGS_RELAY_API_KEY: 'sk-lent',
    EMBEDDINGS_RELAY_VECTORS: String(VECTORS),
  })
  closing.push(
    () => stowage.close(),
    () => engine.close(),
    () => file.remove(),
    () => stage.close(),
  )
  const size = { size: 96, distance: 'Cosine' }
  const direct = (method: string, path: string, body: object) =>
    fetch(engine.url + path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  await direct('PUT', '/collections/docs', { vectors: size })
  const points = TENANTS.flatMap((tenant, of) =>
    Array.from({ length: 3 }, (_, at) => {
      const text = `${tenant} on keels, part ${at}`
      return { id: of * 10 + at, vector: Array.from(vectorOf(text)), payload: { tenant, text, doc_id: `${at}` } }
    }),
  )
  expect((await direct('PUT', '/collections/docs/points?wait=true', { points })).status).toBe(200)
})
afterAll(async () => {
  for (const close of closing) await close()
})

const embed = (input: string | string[], headers: Record<string, string>, path = '/v1/embeddings') =>
  stowage.send('POST', path, { model: 'm', input, texts: [input].flat() }, headers)

/** The question that stowage finds for a vector of a tenant. */
async function questionOf(vector: ArrayLike<number>, key: string): Promise<string | null> {
  const headers = { 'api-key': key }
  const body = { query: Array.from(vector), limit: 2 }
  const answer = await stowage.send('POST', '/collections/docs/points/query', body, headers)
  expect(answer.status, answer.text).toBe(200)
  const trace = await stowage.send('GET', `/v1/traces/${answer.headers.get('x-stowage-trace-id')}`, undefined, headers)
  const { query, query_source: source } = trace.json as Trace
  expect(source).toBe(query === null ? 'none' : 'relay')
  return query
}

describe('the relay of a tenant', () => {
  it('needs a key, and keeps it to itself', async () => {
    for (const headers of [
      {},
      { 'api-key': 'wrong' },
      { authorization: 'Bearer sk-of-openai' },
      { 'api-key': 'operator-key' },
    ]) {
      for (const path of ['/v1/embeddings', '/v2/embed', '/v1/chat/completions', '/v1/models'])
        expect((await embed('q', headers as Record<string, string>, path)).status, path).toBe(401)
    }
    expect(endpoint.asked).toEqual([])
  })

  it.each<[string, Record<string, string>, string | undefined]>([
    ['its own key of the provider', { 'api-key': 'acme', authorization: 'Bearer sk-own' }, 'Bearer sk-own'],
    ['no key of the provider', { 'api-key': 'acme' }, 'Bearer sk-lent'],
    ['its key as the bearer token', { authorization: 'Bearer acme' }, 'Bearer sk-lent'],
    ['its key in both', { 'api-key': 'acme', authorization: 'Bearer acme' }, 'Bearer sk-lent'],
    ['the key of another', { 'api-key': 'acme', authorization: 'bearer  beta' }, 'Bearer sk-lent'],
    ['the key of an operator', { 'api-key': 'acme', authorization: 'Bearer operator-key' }, 'Bearer sk-lent'],
    [
      'its key in another header',
      { 'api-key': 'acme', authorization: 'Bearer sk-own', 'x-copy': 'acme' },
      'Bearer sk-own',
    ],
  ])('with %s: no key of stowage goes on', async (_name, headers, authorization) => {
    expect((await embed('q', headers)).status).toBe(200)
    const seen = endpoint.asked.at(-1)?.headers ?? {}
    expect(seen.authorization).toBe(authorization)
    expect(JSON.stringify(seen)).not.toMatch(/acme|beta|operator-key/)
  })

  it('cannot choose the host to which the lent key goes', async () => {
    const before = endpoint.asked.length
    const { host } = new URL(stowage.url)
    const status = await new Promise(resolve => {
      const path = 'http://other.internal/v1/embeddings'
      const headers = { 'api-key': 'acme', 'content-type': 'application/json' }
      http
        .request({ host: host.split(':')[0], port: host.split(':')[1], method: 'POST', path, headers }, response => {
          resolve(response.resume().statusCode)
        })
        .end('{"input":"q"}')
    })
    expect(status).toBe(400)
    expect(endpoint.asked).toHaveLength(before)
  })

  it('is lent no key for what does not embed', async () => {
    await stowage.send('POST', '/v1/chat/completions', {}, { authorization: 'Bearer acme' })
    expect(endpoint.asked.at(-1)).toMatchObject({ path: '/v1/chat/completions' })
    expect(endpoint.asked.at(-1)?.headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(endpoint.asked.at(-1))).not.toContain('acme')
    await stowage.send('POST', '/v1/chat/completions', {}, { 'api-key': 'acme', authorization: 'Bearer sk-own' })
    expect(endpoint.asked.at(-1)?.headers.authorization).toBe('Bearer sk-own')
  })

  it('finds what the tenant itself embedded, and nothing of another', async () => {
    const text = 'Whose question?'
    await embed(text, { 'api-key': 'acme' })
    expect(await questionOf(vectorOf(text), 'acme')).toBe(text)
    expect(await questionOf(vectorOf(text), 'beta')).toBeNull()
    expect(await questionOf(scaled(vectorOf(text).map(value => value * 2)), 'beta')).toBeNull()
    // No header opens the memory of another.
    const answer = await stowage.send(
      'POST',
      '/collections/docs/points/query',
      { query: Array.from(vectorOf(text)) },
      { 'api-key': 'beta', 'x-stowage-api-key': 'acme' },
    )
    expect(answer.headers.get('x-stowage-degraded')).toContain('question_unknown')
  })

  it('keeps to the limits of the tenant, in the shape of stowage', async () => {
    const statuses = [await embed('q', { 'api-key': 'slow' }), await embed('q', { 'api-key': 'slow' }, '/api/embed')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 429])
    expect(statuses[1]?.json).toMatchObject({ error: { code: 'too_many_requests' } })
    expect(statuses[1]?.headers.get('retry-after')).toBe('1')
  })
})

/** On a busy machine a search can pass through (`busy`): nothing was looked up for it, so it is sent again. */
async function searchImproved(vector: ArrayLike<number>, key: string) {
  for (;;) {
    // With a timeout that no busy machine meets.
    const path = '/collections/docs/points/query?timeout=600'
    const answer = await stowage.send('POST', path, { query: Array.from(vector), limit: 1 }, { 'api-key': key })
    if (answer.headers.get('x-stowage-applied') !== 'passthrough') return answer
  }
}

it(`${REQUESTS} embeddings and searches of four tenants at once: each finds its own questions and none of another`, async () => {
  const random = seededRandom(7)
  const rounds = REQUESTS / 2
  const worker = async (share: number, of: number) => {
    for (let at = share; at < rounds; at += of) {
      const key = TENANTS[at % TENANTS.length] ?? ''
      // Two tenants ask the same question, with the same vector, now and then.
      const text = at % 10 === 0 ? `Shared ${at % 50}?` : `Question ${at} of ${key}?`
      const other = TENANTS[(at + 1) % TENANTS.length] ?? ''
      const embedded = await embed(
        text,
        { 'api-key': key },
        random() < 0.3 ? '/v1/embeddings?coding=gzip' : '/v1/embeddings',
      )
      if (embedded.status !== 200) throw new Error(embedded.text)
      const own = at % 2 === 0
      const vector = random() < 0.5 ? vectorOf(text) : vectorOf(text).map(value => value * 3)
      const answer = await searchImproved(vector, own ? key : other)
      const isUnknown = answer.headers.get('x-stowage-degraded')?.includes('question_unknown') ?? false
      const isShared = text.startsWith('Shared')
      if (answer.status !== 200 || (own ? isUnknown : !isUnknown && !isShared))
        throw new Error(
          `${answer.headers.get('x-stowage-applied')} ${answer.headers.get('x-stowage-degraded')} ${own ? 'own' : 'other'} ${text}: ${answer.status}`,
        )
    }
  }
  // Two of each tenant. With 32, some searches pass through and are sent again.
  const workers = 8
  await Promise.all(Array.from({ length: workers }, (_, share) => worker(share, workers)))
  const operator = await stowage.send('GET', '/v1/metrics', undefined, { 'api-key': 'operator-key' })
  const vectors = Number(/^stowage_relay_vectors (\d+)/m.exec(operator.text)?.[1])
  expect(vectors).toBeGreaterThan(VECTORS / 2)
  expect(vectors).toBeLessThanOrEqual(VECTORS)
})
