import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chunk, fill, upsert } from '../../support/points.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'
import { describeWith } from '../support/programs.ts'
import { type Redis, startRedis } from '../support/redis.ts'
import { until } from '../support/wait.ts'
import { openReplicas, type Replica } from './support/replicas.ts'

describeWith('redis').each([
  ['compressed', {}],
  ['encrypted', { REDIS_ENCRYPTION_KEY: randomBytes(32).toString('hex') }],
])('two replicas with a Redis, values %s', (kind, more: Record<string, string>) => {
  let redis: Redis
  let world: Awaited<ReturnType<typeof openReplicas>>
  let a: Replica
  let b: Replica
  beforeAll(async () => {
    redis = await startRedis()
    world = await openReplicas(2, {
      REDIS_URL: redis.url,
      CACHE_TTL_MS: '600000',
      EMBEDDER: 'local',
      EMBEDDINGS_RELAY_URL: 'local',
      RERANKER: 'crossencoder',
      ...more,
    })
    const [first, second] = world.replicas
    if (!first || !second) throw new Error('two replicas are needed')
    a = first
    b = second
    await fill(world.engine.url, 'harbour', [
      chunk(1, 'The windlass lifts the anchor in four minutes.', { doc_id: 'd' }),
      chunk(2, 'A windlass wants grease before winter comes.', { doc_id: 'm' }),
      chunk(3, 'The lantern on the quay burns whale oil.', { doc_id: 'b' }),
    ])
  })
  afterAll(async () => {
    await world?.close()
    await redis?.close()
  })
  const stored = (replica: Replica, name: string, least: number) =>
    until(`${least} ${name} are stored`, async () => {
      const written = await replica.metric(`stowage_shared_writes_total{kind="${name}",result="done"}`)
      return (written ?? 0) >= least
    })

  test('give each other’s answers, until a write through either of them', async () => {
    const question = { query: 'windlass grease', collection: 'harbour', trace: true }
    const first = await a.ask(question)
    await stored(a, 'answers', 1)
    const second = await b.ask(question)
    expect([first.json.trace?.cache, second.json.trace?.cache]).toEqual(['miss', 'hit'])
    const { trace: _one, trace_id: _id, ...answer } = first.json
    expect(second.json).toMatchObject(answer)
    await upsert(a.url, 'harbour', [chunk(4, 'The windlass was greased yesterday.')])
    const third = await b.ask(question)
    expect(third.json.trace?.cache).toBe('miss')
    expect(third.json.context).toContain('greased yesterday')
  })

  test('compute the score of a pair once', async () => {
    const question = { query: 'whale oil lantern', collection: 'harbour', trace: true }
    const first = await a.ask({ ...question, budget_tokens: 900 })
    await stored(a, 'pairs', 2)
    const cached = 'stowage_rerank_pairs_total{result="cached"}'
    const before = (await b.metric(cached)) ?? 0
    const second = await b.ask({ ...question, budget_tokens: 901 })
    expect(second.json.chunks).toEqual(first.json.chunks)
    expect(await b.metric(cached)).toBe(before + (first.json.trace?.candidates.length ?? 0))
  })

  test('go on with a session', async () => {
    const ask = async (replica: Replica, query: string) => {
      const body = { query, collection: 'harbour', order: 'stable', session_id: 's' }
      return (await replica.ask(body)).json.context
    }
    const first = await ask(a, 'windlass')
    await stored(a, 'sessions', 1)
    const second = await ask(b, 'lantern windlass')
    expect(second.startsWith(first)).toBe(true)
    expect(second.length).toBeGreaterThan(first.length)
  })

  test('find the question of a vector that the other one has embedded', async () => {
    const embedded = await a.send('POST', '/v1/embeddings', { model: 'any', input: 'Which lamp burns oil?' })
    const { data } = embedded.json as { data: { embedding: number[] }[] }
    await stored(a, 'questions', 1)
    await a.send('PUT', '/collections/dense', { vectors: { size: 384, distance: 'Cosine' } })
    const vector = data[0]?.embedding
    const points = [1, 2].map(id => ({ id, vector, payload: { text: `Lamp ${id} burns oil.` } }))
    await a.send('PUT', '/collections/dense/points?wait=true', { points })
    const search = await b.send('POST', '/collections/dense/points/query', {
      query: vector,
      limit: 2,
      with_payload: true,
    })
    expect(search.headers.get('x-stowage-degraded') ?? '').toBe('')
    expect(await b.metric('stowage_relay_lookups_total{result="exact"}')).toBe(1)
  })

  test('leave no text and no key without a time to live', async () => {
    const lines = (await redis.command('KEYS', '*')).split('\r\n').filter(line => line.startsWith('stowage:'))
    // A probe is there for one second of five, and can be gone before its time to live is asked for.
    const keys = lines.filter(line => line !== 'stowage:probe')
    expect(new Set(keys.map(key => key.split(':')[2]))).toEqual(
      new Set(['answers', 'epochs', 'pairs', 'questions', 'sessions']),
    )
    for (const key of keys) {
      expect(Number((await redis.command('PTTL', key)).slice(1).split('\r')[0])).toBeGreaterThan(0)
      expect(key).not.toMatch(/windlass|harbour/u)
      if (kind === 'encrypted') expect(await redis.command('GET', key)).not.toMatch(/windlass|lamp|lantern|Lamp/u)
    }
  })
})

describeWith('redis')('the limit of a tenant', () => {
  test('is one for all replicas', async () => {
    const redis = await startRedis()
    const limited = { rate_limit: { per_second: 0.01, burst: 10 } }
    const file = await openTenantsFile(declareTenants({ acme: limited, other: limited }))
    const { replicas, close } = await openReplicas(3, { REDIS_URL: redis.url, TENANTS_FILE: file.path })
    const ask = async (key: string, at: number) => {
      const answer = await replicas[at % 3]?.ask({ query: 'q', collection: 'none' }, { 'api-key': key })
      return { status: answer?.status, retry: Number(answer?.headers.get('retry-after')) }
    }
    const answers = await Promise.all(Array.from({ length: 18 }, (_, at) => ask('acme', at)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(8)
    for (const { retry } of refused) expect(retry).toSatisfy((seconds: number) => seconds > 50 && seconds <= 100)
    expect((await ask('other', 0)).status).not.toBe(429)
    await close()
    await file.remove()
    await redis.close()
  })
})
