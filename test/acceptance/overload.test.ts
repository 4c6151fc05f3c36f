import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { deferred } from '../support/deferred.ts'
import { chunk, fill } from '../support/points.ts'
import { relay, startRecordingServer } from '../support/recording-server.ts'
import { openStowage } from '../support/stowage.ts'

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await fill(engine.url, 'harbour', [{ ...chunk(1, 'The sluice is opened at dawn.'), dense: [1, 0, 0, 0] }])
})
afterAll(() => engine.close())

it('more requests than can be in time: each is answered or told when to come again, and the next burst is served', async () => {
  const free = deferred<void>()
  let held = false
  const qdrant = await startRecordingServer(async request => {
    if (held && request.path.endsWith('/batch')) await free.promise
    return relay(engine.url, request)
  })
  onTestFinished(() => qdrant.close())
  const stowage = await openStowage({ QDRANT_URL: qdrant.url })
  onTestFinished(() => stowage.close())
  const ask = (deadline_ms: number) => stowage.ask({ query: 'sluice', collection: 'harbour', deadline_ms })

  // The first request reads the profile of the collection.
  expect((await ask(600_000)).status).toBe(200)
  held = true
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

  free.resolve()
  for (const { status, json } of await Promise.all(patient)) expect([status, json.chunks?.length]).toEqual([200, 1])
  const again = await Promise.all(Array.from({ length: 24 }, () => ask(600_000)))
  expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
})
