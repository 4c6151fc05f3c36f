import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
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

/** stowage before a Qdrant whose searches wait, from `hold` on, until they are let go. */
async function openHeld(environment: Record<string, string> = {}) {
  const free = deferred<void>()
  let held = false
  const qdrant = await startRecordingServer(async request => {
    if (held && request.path.endsWith('/batch')) await free.promise
    return relay(engine.url, request)
  })
  onTestFinished(() => qdrant.close())
  const stowage = await openStowage({ QDRANT_URL: qdrant.url, ...environment })
  onTestFinished(() => stowage.close())
  const ask = (deadline_ms: number, headers: Record<string, string> = {}) =>
    stowage.ask({ query: 'sluice', collection: 'harbour', deadline_ms }, headers)
  const hold = () => {
    held = true
  }
  return { ask, hold, letGo: () => free.resolve(), waiting: stowage.waiting }
}

it('more requests than can be in time: each is answered or told when to come again, and the next burst is served', async () => {
  const { ask, hold, letGo } = await openHeld()
  // The first request reads the profile of the collection.
  expect((await ask(600_000)).status).toBe(200)
  hold()
  const patient = Array.from({ length: 24 }, () => ask(600_000))
  const hurried = await Promise.all(Array.from({ length: 24 }, () => ask(200)))
  const refused = hurried.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, headers, json } of hurried) {
    expect([503, 504]).toContain(status)
    if (status === 504) continue
    expect(json.error.code).toBe('overloaded')
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  }

  letGo()
  for (const { status, json } of await Promise.all(patient)) expect([status, json.chunks?.length]).toEqual([200, 1])
  const again = await Promise.all(Array.from({ length: 24 }, () => ask(600_000)))
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
})

it('a tenant with one context waits for one of the flood of another, not for all of it', async () => {
  const file = await openTenantsFile(declareTenants({ a: {}, b: {} }))
  onTestFinished(() => file.remove())
  const held = await openHeld({ TENANTS_FILE: file.path })
  let order = 0
  const ask = async (tenant: string) => {
    const { status } = await held.ask(600_000, { 'api-key': tenant })
    return { status, place: order++ }
  }
  // The first request reads the profile of the collection, once for each key.
  await Promise.all([ask('a'), ask('b')])
  held.hold()
  order = 0
  const flood = Array.from({ length: 48 }, () => ask('a'))
  // The flood is in its places and its queue.
  while (held.waiting() < 48) await new Promise(resolve => setImmediate(resolve))
  const small = ask('b')
  while (held.waiting() < 49) await new Promise(resolve => setImmediate(resolve))
  held.letGo()
  const { status, place } = await small
  const floods = await Promise.all(flood)
  expect([status, ...new Set(floods.map(answer => answer.status))]).toEqual([200, 200])
  // Sixteen are in their places, and of the others one goes before it; answers that are ready together may change places.
  expect(place).toBeLessThan(32)
})
