import { expect, it, onTestFinished } from 'vitest'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { createHealth } from '../../src/wiring/health.ts'
import { type Reply, startRecordingServer } from '../support/recording-server.ts'

async function check(reply: () => Reply | null, path = '') {
  const server = await startRecordingServer(reply)
  const http = createQdrantHttp(server.url + path)
  onTestFinished(() => http.close())
  onTestFinished(() => server.close())
  const health = createHealth(http, { unavailable: { embedder: null, reranker: 'no model' } })
  return { ...(await health.ready()), requests: server.requests, host: new URL(server.url).host }
}

it('asks below the prefix of the URL; a missing model does not count', async () => {
  const { ready, checks, requests } = await check(() => ({ body: 'all shards are ready' }), '/behind/proxy/')
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /behind/proxy/readyz'])
  expect([ready, checks]).toEqual([
    true,
    [
      { name: 'qdrant', ok: true },
      { name: 'embedder', ok: true },
      { name: 'reranker', ok: false, detail: 'no model' },
    ],
  ])
})

it('shows a refused file of tenants to everybody, without a fault of it', async () => {
  const server = await startRecordingServer(() => ({ body: 'all shards are ready' }))
  const http = createQdrantHttp(server.url)
  onTestFinished(() => http.close())
  onTestFinished(() => server.close())
  const models = { unavailable: { embedder: null, reranker: null } }
  const tenantsCheck = async (refusal: string[] | null) => {
    const { ready, checks } = await createHealth(http, models, { tenants: { refusal } }).ready()
    expect(ready).toBe(true)
    return checks[3]
  }
  expect(await tenantsCheck(null)).toEqual({ name: 'tenants', ok: true })
  const refused = await tenantsCheck(['tenants.acme=5: must be a mapping'])
  expect(refused).toMatchObject({ name: 'tenants', ok: false })
  expect(JSON.stringify(refused)).not.toContain('acme')
})

it.each([
  ['answers 503', () => ({ status: 503, body: '' })],
  ['closed the connection', () => null],
])('is not ready when Qdrant %s, and names no address', async (text, reply) => {
  const { ready, checks, host } = await check(reply)
  expect(ready).toBe(false)
  expect(checks[0]).toMatchObject({ name: 'qdrant', ok: false, detail: expect.stringContaining(text) })
  expect(JSON.stringify(checks)).not.toContain(host)
})

it('is ready when Qdrant lives but refuses the question', async () => {
  expect((await check(() => ({ status: 404, body: '' }))).ready).toBe(true)
})
