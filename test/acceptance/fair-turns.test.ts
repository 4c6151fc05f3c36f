import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { deferred } from '../support/deferred.ts'
import { chunk, fill } from '../support/points.ts'
import { relay, startRecordingServer } from '../support/recording-server.ts'
import { openStowage } from '../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../support/tenants-file.ts'

vi.setConfig({ testTimeout: 120_000 })

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await fill(engine.url, 'harbour', [{ ...chunk(1, 'The sluice is opened at dawn.'), dense: [1, 0, 0, 0] }])
})
afterAll(() => engine.close())

it('a tenant with one context waits for one of the flood of another, not for all of it', async () => {
  const free = deferred<void>()
  let held = false
  const qdrant = await startRecordingServer(async request => {
    if (held && request.path.endsWith('/batch')) await free.promise
    return relay(engine.url, request)
  })
  const file = await openTenantsFile(declareTenants({ a: {}, b: {} }))
  const stowage = await openStowage({ QDRANT_URL: qdrant.url, TENANTS_FILE: file.path })
  try {
    let order = 0
    const ask = async (tenant: string) => {
      const body = { query: 'sluice', collection: 'harbour', deadline_ms: 600_000 }
      const { status } = await stowage.ask(body, { 'api-key': tenant })
      return { status, place: order++ }
    }
    // The first request reads the profile of the collection, once for each key.
    await Promise.all([ask('a'), ask('b')])
    held = true
    order = 0
    const flood = Array.from({ length: 48 }, () => ask('a'))
    // The flood is in its places and its queue.
    while (stowage.waiting() < 48) await new Promise(resolve => setImmediate(resolve))
    const small = ask('b')
    while (stowage.waiting() < 49) await new Promise(resolve => setImmediate(resolve))
    free.resolve()
    const { status, place } = await small
    const floods = await Promise.all(flood)
    expect([status, ...new Set(floods.map(answer => answer.status))]).toEqual([200, 200])
    // Sixteen are in their places, and of the others one goes before it; answers that are ready together may change places.
    expect(place).toBeLessThan(32)
  } finally {
    await stowage.close()
    await qdrant.close()
    await file.remove()
  }
})
