import fc from 'fast-check'
import '../../support/seed.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import {
  createCollection,
  fakeWriter,
  faultsOf,
  hashEmbedder,
  pointsOf,
  rawPoints,
  rollBackOnce,
  runOnce,
  seedPoints,
  temporaryFolder,
  withPlainVectors,
} from '../../contextualize/support/live-world.ts'
import { listen } from '../../support/listen.ts'
import { createRecordingServer, relay } from '../../support/recording-server.ts'
import { send } from '../../support/send.ts'

let engine: EmbeddedServer
let made = 0

beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

/** A write of somebody else, before our request of this number. */
interface Foreign {
  before: number
  kind: 'upsert' | 'insert' | 'delete' | 'set_text'
  id: number
}

const foreign: fc.Arbitrary<Foreign> = fc.record({
  before: fc.integer({ min: 1, max: 14 }),
  kind: fc.constantFrom('upsert', 'insert', 'delete', 'set_text'),
  id: fc.integer({ min: 1, max: 12 }),
})

/** A text that is changed without its vectors leaves vectors of another text, and a rollback brings these back. */
const leavesVectorsOfTexts = ({ kind }: Foreign): boolean => kind !== 'set_text'

async function apply({ kind, id, before }: Foreign, collection: string): Promise<void> {
  const path = `/collections/${collection}/points`
  const text = `text ${before} of another writer for ${id}`
  if (kind === 'delete') await send(engine.url, 'POST', `${path}/delete?wait=true`, { points: [id] })
  else if (kind === 'set_text')
    await send(engine.url, 'POST', `${path}/payload?wait=true`, { payload: { text }, points: [id] })
  else {
    const own = { id: kind === 'insert' ? 100 + id : id, payload: { doc_id: 'a', order_index: id, text } }
    await send(engine.url, 'PUT', `${path}?wait=true`, { points: await withPlainVectors([own]) })
  }
}

/** The engine behind a server that lets something happen before or after each of our requests. */
async function between(happens: (count: number) => Promise<'lost' | 'refused' | 'answer lost' | null>) {
  const { server } = createRecordingServer(async (request, count) => {
    const fault = await happens(count)
    if (fault === 'lost') return null
    if (fault === 'refused') return { status: 507, body: '{"status":{"error":"No space left on device"}}' }
    const reply = await relay(engine.url, request)
    return fault === 'answer lost' ? { status: 507, body: '{"status":{"error":"late"}}' } : reply
  })
  return {
    url: await listen(server),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const DOCUMENTS = { a: 6, b: 6 }

describe('others who write meanwhile', () => {
  it('end in a collection whose every point has the context and the vectors of its text', async () => {
    const points = await seedPoints(DOCUMENTS)
    await fc.assert(
      fc.asyncProperty(fc.array(foreign, { maxLength: 8 }), async writes => {
        const name = `others${++made}`
        await createCollection(engine.url, name, points)
        const place = temporaryFolder()
        const done: Foreign[] = []
        const proxy = await between(async count => {
          for (const write of writes.filter(({ before }) => before === count)) {
            done.push(write)
            await apply(write, name)
          }
          return null
        })
        const result = await runOnce(proxy.url, name, place.folder)
        proxy.close()
        place.remove()
        // Those that come after the last look are for the next run.
        expect(result.stoppedBy).toBeNull()
        expect(await faultsOf(engine.url, name, 'fake-1')).toEqual([])
        const deleted = done.filter(({ kind }) => kind === 'delete')
        const ids = (await pointsOf(engine.url, name)).map(({ id }) => Number(id))
        for (const { id, before } of deleted)
          if (!done.some(other => other.kind === 'upsert' && other.id === id && other.before >= before))
            expect(ids).not.toContain(id)
      }),
      { numRuns: 40 },
    )
  })

  it('leave the vectors of their texts after a rollback too', async () => {
    const points = await seedPoints(DOCUMENTS)
    await fc.assert(
      fc.asyncProperty(
        fc.array(foreign.filter(leavesVectorsOfTexts), { maxLength: 5 }),
        fc.array(foreign, { maxLength: 3 }),
        async (during, after) => {
          const name = `back${++made}`
          await createCollection(engine.url, name, points)
          const place = temporaryFolder()
          const proxy = await between(async count => {
            for (const write of during) if (write.before === count) await apply(write, name)
            return null
          })
          await runOnce(proxy.url, name, place.folder)
          const contextual = new Set(
            (await pointsOf(engine.url, name)).filter(({ payload }) => 'context' in payload).map(({ id }) => id),
          )
          for (const write of after) {
            if (leavesVectorsOfTexts(write)) contextual.delete(write.id)
            if (leavesVectorsOfTexts(write) || contextual.has(write.id)) await apply(write, name)
          }
          await rollBackOnce(proxy.url, name, place.folder)
          proxy.close()
          place.remove()
          const stored = await pointsOf(engine.url, name)
          expect(stored.filter(({ payload }) => 'context' in payload || 'context_version' in payload)).toEqual([])
          const plain = await withPlainVectors(stored.map(({ id, payload }) => ({ id, payload })))
          expect(rounded(stored)).toEqual(rounded(plain))
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('a server that fails', () => {
  it('at any request, before or after it did its work, leaves a collection that the next run completes', async () => {
    const points = await seedPoints(DOCUMENTS)
    const undisturbed = `quiet${++made}`
    await createCollection(engine.url, undisturbed, points)
    const quiet = temporaryFolder()
    await runOnce(engine.url, undisturbed, quiet.folder)
    const expected = await rawPoints(engine.url, undisturbed)
    for (const fault of ['refused', 'answer lost'] as const) {
      for (let at = 1; at <= 10; at++) {
        const name = `fails${++made}`
        await createCollection(engine.url, name, points)
        const before = await rawPoints(engine.url, name)
        const place = temporaryFolder()
        const proxy = await between(async count => (count === at ? fault : null))
        const writer = fakeWriter()
        const failure = await runOnce(proxy.url, name, place.folder, { writer }).then(
          () => null,
          (error: Error) => error.message,
        )
        await runOnce(engine.url, name, place.folder, { writer })
        expect(await rawPoints(engine.url, name), `${fault} ${at}: ${failure}`).toBe(expected)
        // What had arrived was not asked for again.
        expect(writer.asked).toHaveLength(points.length)
        await rollBackOnce(engine.url, name, place.folder)
        expect(await rawPoints(engine.url, name), `${fault} ${at} rolled back`).toBe(before)
        proxy.close()
        place.remove()
      }
    }
    quiet.remove()
  })

  it('which is rolled back instead of completed, gives the same bytes as before', async () => {
    const points = await seedPoints(DOCUMENTS)
    for (let at = 4; at <= 10; at++) {
      const name = `half${++made}`
      await createCollection(engine.url, name, points)
      const before = await rawPoints(engine.url, name)
      const place = temporaryFolder()
      const proxy = await between(async count => (count === at ? 'answer lost' : null))
      await runOnce(proxy.url, name, place.folder).catch(() => {})
      // The server may have replaced the vectors of a batch and not its payloads.
      if (at === 7)
        await send(engine.url, 'POST', `/collections/${name}/points/payload/delete?wait=true`, {
          keys: ['context', 'context_version'],
          points: [1],
        })
      await rollBackOnce(engine.url, name, place.folder)
      expect(await rawPoints(engine.url, name), String(at)).toBe(before)
      proxy.close()
      place.remove()
    }
  })
})

describe('an embedder of another model', () => {
  it('is refused with the cosine that was found', async () => {
    const name = `foreign${++made}`
    await createCollection(engine.url, name, await seedPoints({ a: 4 }))
    const place = temporaryFolder()
    const embedder = {
      ...hashEmbedder(),
      embedPassages: async (texts: string[]) => hashEmbedder().embedPassages(texts.map(text => `x${text}`)),
    }
    await expect(runOnce(engine.url, name, place.folder, { embedder })).rejects.toThrow(
      /have a cosine of -?0\.\d+ with the stored ones/u,
    )
    place.remove()
  })
})

const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, part) => (typeof part === 'number' ? Math.round(part * 1e5) / 1e5 : part)))
