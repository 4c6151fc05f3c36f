import { describe, expect, it, onTestFinished } from 'vitest'
import { createQdrantAdmin } from '../../../src/adapters/qdrant/admin.ts'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import type { CollectionWriter } from '../../../src/ingest/target.ts'
import { type Recorded, type Reply, relay, startRecordingServer } from '../../support/recording-server.ts'

/** An engine behind a server that records; `reply` may answer in its place, null breaks the connection. */
async function record(
  reply: (request: Recorded, count: number) => Reply | null | undefined = () => undefined,
  path = '',
) {
  const engine = await startEmbeddedServer()
  const server = await startRecordingServer(async (request, count) => {
    const own = reply(request, count)
    return own === undefined ? relay(engine.url, { ...request, path: request.path.slice(path.length) }) : own
  })
  onTestFinished(() => engine.close())
  onTestFinished(() => server.close())
  return {
    admin: createQdrantAdmin({ url: server.url + path, apiKey: 'key' }),
    requests: server.requests,
    url: engine.url,
  }
}

async function openWriter(
  admin: ReturnType<typeof createQdrantAdmin>,
  denseSize: number | null = 2,
): Promise<CollectionWriter> {
  const writer = await admin.open('c', { denseSize, create: true })
  if (!writer) throw new Error('not opened')
  return writer
}

const uuid = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
const point = (i: number, content_hash = `h${i}`) => ({
  id: uuid(i),
  dense: Float32Array.from([1, i]),
  sparse: { indices: [i], values: [1] },
  payload: { doc_id: `d${i % 3}`, content_hash },
})

describe('createQdrantAdmin', () => {
  it('keeps the path of its URL and sends its key', async () => {
    const { admin, requests } = await record(undefined, '/behind/proxy')
    expect(await admin.server()).toMatchObject({ kind: 'qdrant', version: expect.stringMatching(/^1\./) })
    await openWriter(admin)
    for (const { path, headers } of requests) {
      expect(path.startsWith('/behind/proxy/')).toBe(true)
      expect(headers['api-key']).toBe('key')
    }
  })

  it('sends a write again after a broken connection, and gives up after the second', async () => {
    let broken = 1
    const { admin, requests } = await record(({ method, path }) => {
      if (method !== 'PUT' || !path.includes('/points') || broken === 0) return undefined
      broken -= 1
      return null
    })
    const writer = await openWriter(admin)
    await writer.upsert([point(1)])
    expect(requests.filter(({ method, path }) => method === 'PUT' && path.includes('/points'))).toHaveLength(2)
    expect(await writer.sample(10)).toEqual([point(1).payload])
    broken = 2
    await expect(writer.upsert([point(2)])).rejects.toMatchObject({
      name: 'StowageError',
      code: 'upstream_error',
    })
  })

  it.each([
    [401, 'Invalid API key', 'unauthorized'],
    [403, '{"status":{"error":"Forbidden: read only"}}', 'forbidden'],
    [429, '{"status":{"error":"slow down"}}', 'too_many_requests'],
    [500, '{"status":{"error":"boom"}}', 'upstream_error'],
  ])('gives a %i its meaning', async (status, body, code) => {
    const { admin, requests } = await record(() => ({ status, body, headers: { 'retry-after': '3' } }))
    await expect(admin.layout('c')).rejects.toMatchObject({ name: 'StowageError', code })
    expect(requests).toHaveLength(1)
  })

  it('adds the indexes that an interrupted run left out', async () => {
    let left = 3
    const { admin } = await record(({ path }) => {
      if (!path.includes('/index')) return undefined
      left -= 1
      return left < 0 ? { status: 500, body: '' } : undefined
    })
    await expect(openWriter(admin)).rejects.toMatchObject({ code: 'upstream_error' })
    left = 100
    expect((await openWriter(admin)).created).toBe(false)
    expect(Object.keys((await admin.layout('c'))?.indexes ?? {})).toHaveLength(9)
    expect(left).toBe(94)
  })

  it('makes a collection without dense vectors', async () => {
    const { admin } = await record()
    const writer = await openWriter(admin, null)
    await writer.upsert([{ ...point(1), dense: null }])
    expect(await admin.layout('c')).toMatchObject({ points: 1, dense: [], sparse: [{ name: 'sparse', idf: true }] })
    expect(await admin.layout('other')).toBeNull()
  })

  it('finds its own points over many pages, and leaves foreign ones alone', async () => {
    const { admin, requests, url } = await record()
    const writer = await openWriter(admin)
    await writer.upsert(Array.from({ length: 2500 }, (_, i) => point(i)))
    const foreign = [
      { id: 5, vector: {}, payload: { doc_id: 'd1', content_hash: 'x' } },
      { id: uuid(9999), vector: {}, payload: { doc_id: 'd1' } },
    ]
    await fetch(`${url}/collections/c/points?wait=true`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ points: foreign }),
    })
    const stored = await writer.stored({ must: [{ key: 'doc_id', match: { any: ['d0', 'd1'] } }] })
    expect(stored.size).toBe(1667)
    const unknown = {
      title: '',
      source: null,
      sourceFolder: null,
      document: null,
      contextVersion: null,
      isParent: false,
    }
    expect(stored.get(uuid(1))).toEqual({ docId: 'd1', contentHash: 'h1', ...unknown })
    expect(stored.has(uuid(9999))).toBe(false)
    expect(requests.filter(({ path }) => path.includes('/scroll'))).toHaveLength(2)

    await writer.remove([...stored.keys()])
    expect((await admin.layout('c'))?.points).toBe(2500 - 1667 + 2)
  })
})
