import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import { createQdrantStore } from '../../src/adapters/qdrant/store.ts'
import { createPassthrough } from '../../src/http/passthrough/passthrough.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { createStage } from '../support/stage.ts'
import { serveImproving } from './support/improving.ts'

const stage = createStage()
const open: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
  await stage.close()
})

const LATE_MS = 100

/** The status of one fault by each way to Qdrant, and all texts that came with it. */
async function statusesOf(upstream: string) {
  const http = createQdrantHttp(upstream)
  const proxy = createPassthrough({ upstream: new URL(upstream), idleTimeoutMs: LATE_MS })
  open.push(() => http.close(), proxy.close)
  const store = createQdrantStore({ http })
  const search = { collection: 'c', filter: null, dense: [1], sparse: null, limit: 1, withVectors: false }
  const byStore = await store
    .search(search, { apiKey: null, condition: null, signal: AbortSignal.timeout(LATE_MS) })
    .catch((error: unknown) => error)
  const { url, events } = await serveImproving(stage, upstream, { proxy, deadlineMs: LATE_MS })
  const ask = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url + path, { method: 'POST', headers, body })
    return { status: response.status, message: await response.text() }
  }
  const byDropIn = await ask('/collections/c/points/query', '{"query":[1.0],"limit":1}')
  const byPassthrough = await ask('/collections/c/points/scroll', '{}')
  expect(events).toHaveLength(1)
  return { store: byStore, 'drop-in': byDropIn, passthrough: byPassthrough }
}

async function expectStatus(upstream: string, status: number) {
  const found = await statusesOf(upstream)
  expect(found).toMatchObject({ store: { status }, 'drop-in': { status }, passthrough: { status } })
  for (const { message } of Object.values(found) as { message: string }[])
    expect(message).not.toContain(new URL(upstream).host)
}

const onRequest = (reply: (socket: Socket) => void) => (socket: Socket) => void socket.on('data', () => reply(socket))

describe('the same fault has the same status in the store, the drop-in and the passthrough', () => {
  it('refused: 503, and so says the official client', async () => {
    const { url, server } = await stage.listenBytes(() => {})
    await new Promise(done => server.close(done))
    await expectStatus(url, 503)
    await expect(createQdrantAdmin({ url, apiKey: null }).layout('c')).rejects.toMatchObject({ status: 503 })
  })

  it.each<[string, (socket: Socket) => void]>([
    ['reset', socket => socket.resetAndDestroy()],
    ['hung up', socket => socket.end()],
    ['not HTTP', socket => socket.end('SSH-2.0-nope\r\n\r\n')],
  ])('%s: 502, and so says the official client', async (_name, reply) => {
    const { url } = await stage.listenBytes(onRequest(reply))
    await expectStatus(url, 502)
    await expect(createQdrantAdmin({ url, apiKey: null }).layout('c')).rejects.toMatchObject({ status: 502 })
  })

  it('late: 504', async () => {
    const { url } = await stage.listenBytes(() => {})
    await expectStatus(url, 504)
  })
})
