import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import type { Tenant } from '../../../src/tenants/tenant.ts'
import { deferred } from '../../support/deferred.ts'
import { listen } from '../../support/listen.ts'
import { send, sendOk } from '../../support/send.ts'
import { createStage } from '../../support/stage.ts'
import {
  contextOf,
  createCollection,
  fakeWriter,
  faultsOf,
  pointsOf,
  type RawPoint,
  rawPoints,
  runOnce,
  seedPoints,
  temporaryFolder,
  withPlainVectors,
} from '../support/live-world.ts'
import { type OnlineWorldOptions, openOnlineWorld } from './support/online-world.ts'

const stage = createStage()
const open: (() => Promise<void>)[] = []
let engine: EmbeddedServer
beforeEach(async () => {
  engine = await startEmbeddedServer()
})
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
  await stage.close()
  await engine.close()
})

/** stowage with the queue before an engine with the empty collection `c`. */
async function world(options: OnlineWorldOptions = {}) {
  await createCollection(engine.url, 'c', [])
  const opened = await openOnlineWorld(stage, engine.url, options)
  open.push(opened.close)
  const put = (points: unknown, path = '/collections/c/points?wait=true') => sendOk(opened.url, 'PUT', path, { points })
  return { ...opened, put }
}

const faults = (version: string) => expect.poll(() => faultsOf(engine.url, 'c', version), { timeout: 10_000 })
const models = async () => (await pointsOf(engine.url, 'c')).map(({ payload }) => payload.context_model)
const text = (points: RawPoint[]) =>
  JSON.stringify({ points }, (_key, value) => (typeof value === 'bigint' ? `big:${value}` : value)).replace(
    /"big:(\d+)"/gu,
    '$1',
  )

describe('contexts of new points', () => {
  it('are those of the rules at once, and those of the model later', async () => {
    const answers = deferred<void>()
    const model = fakeWriter({
      write: async request => {
        await answers.promise
        return contextOf(request)
      },
    })
    const rules = fakeWriter({ model: 'rules', version: 'rules-1', endpoint: null })
    const { put } = await world({ model, rules })
    await put(await seedPoints({ guide: 4, other: 2 }))
    await faults('rules-1').toEqual([])
    answers.resolve()
    await faults('fake-1').toEqual([])
    // The rules know the whole document, and are asked once for each point.
    expect(rules.asked).toHaveLength(6)
    expect(rules.asked[0]?.document.text).toContain('guide part 3')
  })

  it('see the whole document, also the part that was there before', async () => {
    const { put, rules } = await world()
    const [first, ...rest] = await seedPoints({ guide: 5 })
    await put([first])
    await faults('rules-1').toEqual([])
    await put(rest)
    await faults('rules-1').toEqual([])
    expect((rules as ReturnType<typeof fakeWriter>).asked.at(-1)?.document.text).toContain('guide part 0')
  })

  it('belong to the text that is there now', async () => {
    const { put } = await world({ model: fakeWriter() })
    const points = await seedPoints({ guide: 3 })
    await put(points)
    const changed = points.map(point => ({
      ...point,
      payload: { ...point.payload, text: `new ${point.payload.text}` },
    }))
    await put(await withPlainVectors(changed))
    await faults('fake-1').toEqual([])
  })

  it('follow a text that changes while the model writes', async () => {
    const seen = deferred<void>()
    const answers = deferred<void>()
    const model = fakeWriter({
      concurrency: 1,
      write: async request => {
        seen.resolve()
        await answers.promise
        return contextOf(request)
      },
    })
    const { put } = await world({ model })
    const points = await seedPoints({ guide: 3 })
    await put(points)
    await seen.promise
    const [first] = points
    if (first === undefined) throw new Error('no point')
    // Past stowage, so that only the check before the write can see it.
    const changed = await withPlainVectors([{ ...first, payload: { ...first.payload, text: 'The flap closes.' } }])
    await sendOk(engine.url, 'PUT', '/collections/c/points?wait=true', { points: changed })
    answers.resolve()
    await faults('fake-1').toEqual([])
  })

  it('are not written for points that have gone, and bring none back', async () => {
    const seen = deferred<void>()
    const answers = deferred<void>()
    const model = fakeWriter({
      write: async request => {
        seen.resolve()
        await answers.promise
        return contextOf(request)
      },
    })
    const { put, url, events } = await world({ model })
    await put(await seedPoints({ guide: 4 }))
    await seen.promise
    await sendOk(url, 'POST', '/collections/c/points/delete?wait=true', { points: [1, 3] })
    answers.resolve()
    await faults('fake-1').toEqual([])
    expect((await pointsOf(engine.url, 'c')).map(({ id }) => id)).toEqual([2, 4])
    expect(events.lost).toEqual([])
  })

  it('come for u64 ids, columns, operations and compressed bodies', async () => {
    const { url, events } = await world()
    const points = await seedPoints({ guide: 8 })
    const ids = [2n ** 64n - 1n, 2n ** 63n + 1n, 9007199254740993n, 'a0000000-0000-4000-8000-000000000001', 5, 6, 7, 8]
    const [a, b, c, d, e, f, g, h] = points.map((point, at) => ({ ...point, id: ids[at] ?? 0 }))
    const all = [a, b, c, d, e, f, g, h].filter(point => point !== undefined)
    const raw = (body: RawPoint[]) => text(body)
    await sendOk(url, 'PUT', '/collections/c/points?wait=true', raw(all.slice(0, 4)))
    const vectors = {
      dense: [e, f].map(point => point?.vector.dense),
      sparse: [e, f].map(point => point?.vector.sparse),
    }
    const columns = { batch: { payloads: [e?.payload, f?.payload], vectors, ids: [5, 6] } }
    await sendOk(url, 'PUT', '/collections/c/points?wait=true', columns)
    const operations = {
      operations: [{ delete: { points: [99] } }, { upsert: { points: [g] } }, { upsert: { points: [h] } }],
    }
    const zipped = gzipSync(JSON.stringify(operations))
    const gzip = { 'content-encoding': 'gzip' }
    const path = '/collections/c/points/batch?wait=true'
    // The engine does not read gzip; what stowage reads is what counts here.
    const { status } = await send(url, 'POST', path, zipped, gzip)
    if (status !== 200) await sendOk(url, 'POST', path, operations)
    await faults('rules-1').toEqual([])
    expect(events.noticed.flat()).toEqual(ids)
    expect(await rawPoints(engine.url, 'c')).toContain(String(2n ** 64n - 1n))
  })

  it('come for points that Qdrant writes after its answer', async () => {
    // Answers at once, and writes a little later, as Qdrant does without `wait=true`.
    const late: Promise<unknown>[] = []
    const front = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end('{"result":{"operation_id":1,"status":"acknowledged"},"status":"ok","time":0}')
      late.push(
        new Promise(resolve => setTimeout(resolve, 5)).then(() =>
          send(engine.url, request.method ?? '', `${request.url}?wait=true`, Buffer.concat(parts)),
        ),
      )
    })
    const address = await listen(front)
    open.push(async () => void front.close())
    const { put } = await world({ front: address })
    await put(await seedPoints({ guide: 3 }), '/collections/c/points')
    await Promise.all(late)
    await expect.poll(() => pointsOf(engine.url, 'c')).toHaveLength(3)
    await faults('rules-1').toEqual([])
  })

  it('are dropped when the queue is full, and counted; the points stay as the client wrote them', async () => {
    const blocked = deferred<void>()
    const rules = fakeWriter({
      ...{ model: 'rules', version: 'rules-1', endpoint: null },
      write: async request => {
        await blocked.promise
        return contextOf(request)
      },
    })
    const { put, online, events } = await world({ rules, mostPoints: 3 })
    const points = await seedPoints({ guide: 2, other: 8 })
    await put(points.slice(0, 2))
    await expect.poll(() => online.size).toBe(0)
    await put(points.slice(2))
    await expect.poll(() => events.lost).toHaveLength(1)
    expect(events.lost).toMatchObject([{ collection: 'c', points: 5, outcome: 'dropped', lane: 'rules' }])
    blocked.resolve()
    await expect.poll(async () => (await models()).filter(Boolean).length).toBe(5)
    const plain = (await pointsOf(engine.url, 'c')).filter(({ payload }) => payload.context_version === undefined)
    expect(plain.map(({ id }) => id)).toEqual([6, 7, 8, 9, 10])
    // What was dropped is what `stowage contextualize` finds.
    const place = temporaryFolder()
    const result = await runOnce(engine.url, 'c', place.folder, { writer: rules })
    place.remove()
    expect(result).toMatchObject({ before: 5, stored: 5, left: 0 })
  })

  it('wait while the endpoint refuses the key, and those of the rules go on', async () => {
    const refusal = new StowageError('bad_request', 'CONTEXT_API_KEY: the endpoint refused the key (401)')
    let isRefused = true
    const model = fakeWriter({
      write: async request => {
        if (isRefused) throw refusal
        return contextOf(request)
      },
    })
    const { put, online, events } = await world({ model })
    const [first, ...rest] = await seedPoints({ guide: 4 })
    await put([first])
    await expect.poll(() => online.pauses).toEqual([`c: ${refusal.message}`])
    expect(events.paused).toEqual([{ collection: 'c', detail: refusal.message }])
    await put(rest)
    await faults('rules-1').toEqual([])
    isRefused = false
    await faults('fake-1').toEqual([])
    await expect.poll(() => online.pauses).toEqual([])
    expect(events.paused.at(-1)).toEqual({ collection: 'c', detail: null })
  })

  it('are tried again after failures, and given up after many', async () => {
    let failures = 0
    const rules = fakeWriter({
      ...{ model: 'rules', version: 'rules-1', endpoint: null },
      write: async request => {
        if (failures++ < 3) throw new StowageError('upstream_unavailable', 'away')
        return contextOf(request)
      },
    })
    const { put, events } = await world({ rules: { ...rules, concurrency: 1 } })
    await put(await seedPoints({ guide: 2 }))
    await faults('rules-1').toEqual([])
    failures = Number.NEGATIVE_INFINITY
    expect(events.lost).toEqual([])
    await put(await withPlainVectors(await seedPoints({ more: 3 })))
    await expect.poll(() => events.lost, { timeout: 10_000 }).toMatchObject([{ points: 3, outcome: 'failed' }])
  })

  it('keep texts from an endpoint that a tenant does not allow', async () => {
    const model = fakeWriter()
    const of = (name: string): Tenant => ({
      ...{ name, reaches: () => true, upstreamKey: null, readOnly: false, allowedOperations: new Set<string>() },
      condition: { must: [{ key: 'tenant', match: { value: name } }] },
      stamp: { field: 'tenant', value: name },
      limits: { rate: null, concurrency: null },
    })
    const { put } = await world({ model, tenants: [of('open'), of('closed')] })
    const theirs = (await seedPoints({ guide: 2 }, { tenant: 'closed' })).map(point => ({
      ...point,
      id: Number(point.id) + 10,
      payload: { ...point.payload, text: `secret ${point.payload.text}` },
    }))
    await put([...(await seedPoints({ guide: 2 }, { tenant: 'open' })), ...(await withPlainVectors(theirs))])
    await faults('fake-1').toEqual([])
    expect(JSON.stringify(model.asked)).not.toContain('secret')
    expect(model.asked).toHaveLength(2)
  })

  it('end with the process: the batch in flight is finished, the rest is left as it is', async () => {
    const seen = deferred<void>()
    const answers = deferred<void>()
    const rules = fakeWriter({
      ...{ model: 'rules', version: 'rules-1', endpoint: null },
      write: async request => {
        seen.resolve()
        await answers.promise
        return contextOf(request)
      },
    })
    const { put, online, events } = await world({ rules })
    const points = await seedPoints({ guide: 2, other: 2 })
    await put(points.slice(0, 2))
    await seen.promise
    await put(points.slice(2, 3))
    const closing = online.close(60_000)
    // An upsert while stowage ends is answered as ever.
    await put(points.slice(3))
    answers.resolve()
    await closing
    expect((await models()).map(model => model !== undefined)).toEqual([true, true, false, false])
    await expect.poll(() => events.lost).toMatchObject([{ points: 1, outcome: 'dropped' }])
  })
})

describe('after the queue is empty', () => {
  it('the collection equals what stowage contextualize would have made of it', async () => {
    const upsert = fc.record({
      kind: fc.constantFrom('write', 'delete'),
      document: fc.nat({ max: 3 }),
      chunks: fc.integer({ min: 1, max: 4 }),
      text: fc.nat({ max: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(upsert, { minLength: 1, maxLength: 6 }), fc.nat(), async (steps, run) => {
        const [ours, theirs] = [`c-${run}-ours`, `${run}-theirs`]
        await createCollection(engine.url, ours, [])
        await createCollection(engine.url, theirs, [])
        const model = fakeWriter()
        const opened = await openOnlineWorld(stage, engine.url, { model })
        const place = temporaryFolder()
        try {
          for (const { kind, document, chunks, text } of steps) {
            const doomed = Array.from({ length: 4 }, (_, at) => document * 10 + at + 1)
            const plain = await seedPoints({ [`d${document}-${text}`]: chunks })
            const points = plain.map((point, at) => ({ ...point, id: document * 10 + at + 1 }))
            for (const name of [ours, theirs]) {
              // A document is replaced as a whole, because a context is written from the document as it is then.
              await sendOk(opened.url, 'POST', `/collections/${name}/points/delete?wait=true`, { points: doomed })
              if (kind === 'write') await sendOk(opened.url, 'PUT', `/collections/${name}/points?wait=true`, { points })
            }
          }
          await runOnce(engine.url, theirs, place.folder, { writer: model })
          const expected = await rawPoints(engine.url, theirs)
          await expect.poll(() => rawPoints(engine.url, ours), { timeout: 10_000 }).toBe(expected)
        } finally {
          await opened.close()
          place.remove()
          for (const name of [ours, theirs]) await sendOk(engine.url, 'DELETE', `/collections/${name}`)
        }
      }),
      { numRuns: 6 },
    )
  })
})
