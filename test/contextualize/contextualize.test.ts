import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { onlyPayload } from '../../src/contexts/context-stamp.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { relay, startRecordingServer } from '../support/recording-server.ts'
import { send } from '../support/send.ts'
import {
  contextOf,
  createCollection,
  fakeWriter,
  faultsOf,
  hashEmbedder,
  pointsOf,
  type RawPoint,
  rawPoints,
  rollBackOnce,
  runOnce,
  seedPoints,
  temporaryFolder,
  withPlainVectors,
} from './support/live-world.ts'

let engine: EmbeddedServer
let place: ReturnType<typeof temporaryFolder>
let made = 0
let name = ''

beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())
beforeEach(() => {
  place = temporaryFolder()
  made += 1
  name = `c${made}`
})
afterEach(() => place.remove())

const CONTEXT_KEYS = ['context', 'context_quality', 'context_model', 'context_version', 'context_tokens']

/** The engine behind a server that ends in the middle of a batch: vectors are replaced, and points not marked. */
const startHalfServer = () =>
  startRecordingServer(async request => {
    if (!request.path.includes('points/batch')) return relay(engine.url, request)
    const { operations } = JSON.parse(request.body) as { operations: object[] }
    await relay(engine.url, { ...request, body: JSON.stringify({ operations: operations.slice(0, 1) }) })
    return { status: 500, body: '{"status":{"error":"killed"}}' }
  })

describe('contextualizing a live collection', () => {
  it('gives every point a context and the vectors that see it, and changes nothing else', async () => {
    await createCollection(engine.url, name, await seedPoints({ a: 130, b: 3 }))
    const before = await pointsOf(engine.url, name)
    const result = await runOnce(engine.url, name, place.folder)
    expect(result).toMatchObject({ points: 133, before: 0, stored: 133, left: 0, stoppedBy: null })
    expect(result.spending['fake-model']).toMatchObject({ contexts: 133, calls: 133, usage: { input: 13_300 } })
    expect(await faultsOf(engine.url, name, 'fake-1')).toEqual([])
    const after = await pointsOf(engine.url, name)
    const original = after.map(({ id, payload }) => [
      id,
      Object.fromEntries(Object.entries(payload).filter(([key]) => !CONTEXT_KEYS.includes(key))),
    ])
    expect(original).toEqual(before.map(({ id, payload }) => [id, payload]))
  })

  it('goes on when all points have a context and others have changed the titles of some', async () => {
    await createCollection(engine.url, name, await seedPoints({ a: 12 }))
    await runOnce(engine.url, name, place.folder)
    const renamed = { payload: { doc_title: 'Another title' }, points: [1, 2, 3, 4] }
    await send(engine.url, 'POST', `/collections/${name}/points/payload?wait=true`, renamed)
    expect(await runOnce(engine.url, name, place.folder)).toMatchObject({ before: 8, stored: 4, left: 0 })
    expect(await faultsOf(engine.url, name, 'fake-1')).toEqual([])
  })

  it('does nothing in a second run, and only what is missing after new points came', async () => {
    await createCollection(engine.url, name, await seedPoints({ a: 5 }))
    await runOnce(engine.url, name, place.folder)
    const raw = await rawPoints(engine.url, name)
    const second = fakeWriter()
    expect(await runOnce(engine.url, name, place.folder, { writer: second })).toMatchObject({ before: 5, stored: 0 })
    expect(second.asked).toEqual([])
    expect(await rawPoints(engine.url, name)).toBe(raw)
    const [fresh] = await withPlainVectors([
      { id: 77, payload: { doc_id: 'a', order_index: 5, text: 'a new one at the end' } },
    ])
    await send(engine.url, 'PUT', `/collections/${name}/points?wait=true`, { points: [fresh] })
    expect(await runOnce(engine.url, name, place.folder, { writer: second })).toMatchObject({ before: 5, stored: 1 })
    // The context of the new point is written from the whole document.
    expect(second.asked.map(({ document, chunk }) => [document.text.includes('a part 0'), chunk.text])).toEqual([
      [true, 'a new one at the end'],
    ])
  })

  it('keeps ids of 64 bits and vectors that it cannot encode', async () => {
    const id = 18446744073709551615n
    await send(engine.url, 'PUT', `/collections/${name}`, {
      vectors: { other: { size: 2, distance: 'Dot' }, dense: { size: 16, distance: 'Cosine' } },
    })
    const text = 'one text'
    const [dense] = await hashEmbedder().embedPassages([text])
    const body = `{"points":[{"id":${id},"payload":{"text":"${text}"},"vector":{"other":[3,4],"dense":${JSON.stringify(Array.from(dense ?? []))}}}]}`
    await send(engine.url, 'PUT', `/collections/${name}/points?wait=true`, body)
    expect(await runOnce(engine.url, name, place.folder)).toMatchObject({ stored: 1, left: 0 })
    const raw = await rawPoints(engine.url, name)
    expect(raw).toContain(`"id":${id}`)
    expect(raw).toContain('"other":[3.0,4.0]')
    expect(raw).toContain('"context":"Of ')
  })

  it('rolls back to the same bytes', async () => {
    await createCollection(engine.url, name, await seedPoints({ a: 120, b: 7 }))
    const before = await rawPoints(engine.url, name)
    await runOnce(engine.url, name, place.folder)
    expect(await rawPoints(engine.url, name)).not.toBe(before)
    const result = await rollBackOnce(engine.url, name, place.folder)
    expect(result).toEqual({ restored: 127, encoded: 0, payloadOnly: 0 })
    expect(versionless(await rawPoints(engine.url, name))).toBe(versionless(before))
  })

  it('recognises vectors by points that have them, also when all that is left without a context are parents', async () => {
    const parents = Array.from({ length: 9 }, (_, at) => ({
      ...{ id: at + 1, vector: {} },
      payload: { doc_id: 'a', is_parent: true, text: `Section ${at} of a, whole.` },
    }))
    const chunks = (await seedPoints({ a: 4 })).map(point => ({ ...point, id: 100 + Number(point.id) }))
    await createCollection(engine.url, name, [...parents, ...chunks])
    expect(await runOnce(engine.url, name, place.folder)).toMatchObject({ points: 4, stored: 4, left: 0 })
    expect(await runOnce(engine.url, name, place.folder)).toMatchObject({ before: 4, stored: 0, left: 0 })
    const stored = (await pointsOf(engine.url, name)).filter(({ id }) => Number(id) > 100)
    expect(stored.every(({ payload }) => typeof payload.context === 'string')).toBe(true)
  })

  it('goes on and rolls back after a request of which the server has made only the first half', async () => {
    await createCollection(engine.url, name, await seedPoints({ a: 12 }))
    const before = await rawPoints(engine.url, name)
    const half = await startHalfServer()
    await expect(runOnce(half.url, name, place.folder)).rejects.toThrow('killed')
    await half.close()
    expect(await rawPoints(engine.url, name)).not.toBe(before)
    expect(await runOnce(engine.url, name, place.folder)).toMatchObject({ stored: 12, left: 0 })
    expect(await faultsOf(engine.url, name, 'fake-1')).toEqual([])
    expect(await rollBackOnce(engine.url, name, place.folder)).toMatchObject({ restored: 12 })
    expect(versionless(await rawPoints(engine.url, name))).toBe(versionless(before))
  })

  it('rolls back what is half done, also when other points were written since, or all were written anew before', async () => {
    const points = (await seedPoints({ b: 12 })).map(point => ({ ...point, id: 100 + Number(point.id) }))
    const [other] = await seedPoints({ a: 1 })
    const half = await startHalfServer()
    await createCollection(engine.url, name, points)
    await expect(runOnce(half.url, name, place.folder)).rejects.toThrow('killed')
    await send(engine.url, 'PUT', `/collections/${name}/points?wait=true`, { points: [other] })
    let asked = 0
    const budget = () => (++asked > 1 ? null : () => {})
    const writer = fakeWriter({ concurrency: 1, version: 'fake-2' })
    const stopped = await runOnce(engine.url, name, place.folder, { writer, budget })
    expect(stopped).toMatchObject({ stored: 1, left: 12, stoppedBy: 'budget' })
    expect(await rollBackOnce(engine.url, name, place.folder)).toEqual({ restored: 13, encoded: 0, payloadOnly: 0 })
    const original = await rawPoints(engine.url, name)
    expect(rounded(await pointsOf(engine.url, name))).toEqual(rounded([other, ...points]))

    await runOnce(engine.url, name, place.folder)
    await send(engine.url, 'PUT', `/collections/${name}/points?wait=true`, { points: [other, ...points] })
    await expect(runOnce(half.url, name, place.folder)).rejects.toThrow('killed')
    await half.close()
    expect(await rollBackOnce(engine.url, name, place.folder)).toEqual({ restored: 13, encoded: 0, payloadOnly: 0 })
    expect(versionless(await rawPoints(engine.url, name))).toBe(versionless(original))
  })

  it('keeps short texts under a name that can also hold the name of a document, and rolls back', async () => {
    const points = await withPlainVectors([
      { id: 1, payload: { content: 'The valve opens at 7 bar.', source: 'a.md' } },
      { id: 2, payload: { content: 'It closes at 5 bar.', source: 'a.md' } },
    ])
    await createCollection(engine.url, name, points)
    const before = await rawPoints(engine.url, name)
    const long = fakeWriter({ write: async request => ({ ...contextOf(request), text: 'pressure '.repeat(60) }) })
    const result = await runOnce(engine.url, name, place.folder, { writer: long })
    expect(result).toMatchObject({ withoutText: 0, stored: 2, left: 0 })
    expect(await faultsOf(engine.url, name, 'fake-1')).toEqual([])
    expect(await rollBackOnce(engine.url, name, place.folder)).toEqual({ restored: 2, encoded: 0, payloadOnly: 0 })
    expect(versionless(await rawPoints(engine.url, name))).toBe(versionless(before))
  })

  it('refuses to replace a field of its owner that has the name of a context, and a rollback leaves it', async () => {
    const [first, ...others] = await seedPoints({ a: 3 })
    const own = { ...first, id: 1, payload: { ...first?.payload, context: 'what the owner wrote' } } as RawPoint
    await createCollection(engine.url, name, [own, ...others])
    const before = await rawPoints(engine.url, name)
    await expect(runOnce(engine.url, name, place.folder)).rejects.toThrow('point 1 has a payload field context')
    expect(await rollBackOnce(engine.url, name, place.folder)).toEqual({ restored: 0, encoded: 0, payloadOnly: 0 })
    expect(await rawPoints(engine.url, name)).toBe(before)
    // A client writes such a point while a run is on its way.
    await createCollection(engine.url, `${name}-late`, others)
    const late = fakeWriter({
      write: async request => {
        const payload = { ...others[0]?.payload, context: 'late' }
        const points = [{ ...others[0], payload }]
        await send(engine.url, 'PUT', `/collections/${name}-late/points?wait=true`, { points })
        return contextOf(request)
      },
    })
    await expect(runOnce(engine.url, `${name}-late`, place.folder, { writer: late })).rejects.toThrow('payload field')
    expect(await rawPoints(engine.url, `${name}-late`)).toContain('"context":"late"')
  })

  it('rolls back without former vectors, and texts that have changed, by encoding anew', async () => {
    await createCollection(engine.url, name, await seedPoints({ a: 6 }))
    const before = await pointsOf(engine.url, name)
    await runOnce(engine.url, name, place.folder)
    await send(engine.url, 'POST', `/collections/${name}/points/payload?wait=true`, {
      payload: { text: 'changed' },
      points: [2],
    })
    const lost = temporaryFolder()
    expect(await rollBackOnce(engine.url, name, lost.folder)).toEqual({ restored: 0, encoded: 6, payloadOnly: 0 })
    lost.remove()
    const [changed] = await withPlainVectors([{ id: 2, payload: { ...before[1]?.payload, text: 'changed' } }])
    const expected = before.map(point => (point.id === 2 ? changed : point))
    expect(rounded(await pointsOf(engine.url, name))).toEqual(rounded(expected))
  })
})

/** The embedded engine prints no version in a scroll; a real server may. */
const versionless = (raw: string): string => raw.replace(/"version":\d+,?/gu, '')

const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === 'number' ? Math.round(part * 1e5) / 1e5 : part)))

it('a rollback encodes vectors anew that see a context of before, also after one in the payload alone', async () => {
  await createCollection(engine.url, name, await seedPoints({ a: 5 }))
  const before = await pointsOf(engine.url, name)
  const ingested = temporaryFolder()
  await runOnce(engine.url, name, ingested.folder, { writer: fakeWriter({ version: 'one' }) })
  ingested.remove()
  const inPayload = { writer: fakeWriter({ version: onlyPayload('two') }), embedder: null, encoding: null }
  expect(await runOnce(engine.url, name, place.folder, inPayload)).toMatchObject({ stored: 5 })
  expect(await runOnce(engine.url, name, place.folder, inPayload)).toMatchObject({ before: 5, stored: 0 })
  const fresh = await withPlainVectors([{ id: 77, payload: { doc_id: 'b', order_index: 0, text: 'a new one' } }])
  await send(engine.url, 'PUT', `/collections/${name}/points?wait=true`, { points: fresh })
  const full = { writer: fakeWriter({ version: 'two' }) }
  expect(await runOnce(engine.url, name, place.folder, full)).toMatchObject({ before: 0, stored: 6 })
  expect(full.writer.asked).toHaveLength(1)
  expect(await faultsOf(engine.url, name, 'two')).toEqual([])
  expect(await rollBackOnce(engine.url, name, place.folder)).toMatchObject({ restored: 1, encoded: 5, payloadOnly: 0 })
  expect((await pointsOf(engine.url, name)).slice(0, 5)).toEqual(before)
})

it('a context in the payload alone may replace one that the vectors see, and they see it after a full run', async () => {
  await createCollection(engine.url, name, await seedPoints({ a: 5 }))
  const before = await pointsOf(engine.url, name)
  await runOnce(engine.url, name, place.folder, { writer: fakeWriter({ version: 'one' }) })
  const inPayload = { writer: fakeWriter({ version: onlyPayload('two') }), embedder: null, encoding: null }
  await runOnce(engine.url, name, place.folder, inPayload)
  const full = { writer: fakeWriter({ version: 'two' }) }
  expect(await runOnce(engine.url, name, place.folder, full)).toMatchObject({ before: 0, stored: 5 })
  expect(full.writer.asked).toEqual([])
  expect(await faultsOf(engine.url, name, 'two')).toEqual([])
  await rollBackOnce(engine.url, name, place.folder)
  expect(await pointsOf(engine.url, name)).toEqual(before)
})
