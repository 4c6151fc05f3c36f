import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContextWriter } from '../../src/contexts/context.ts'
import { NO_USAGE } from '../../src/contexts/context.ts'
import { CONTEXT_FIELDS } from '../../src/contexts/payload-fields.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { allPoints, createFakeEmbedder, dependencies } from '../support/ingest-world.ts'

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

/** Writes `about <first word>`; counts its calls, and the most at a time. */
function fakeWriter(version = 'fake-1'): ContextWriter & { calls: string[]; most: number } {
  let inFlight = 0
  const writer = {
    ...{ model: 'fake', version, endpoint: null, concurrency: 3, calls: [] as string[], most: 0 },
    write: async ({ chunk }: Parameters<ContextWriter['write']>[0]) => {
      inFlight += 1
      writer.most = Math.max(writer.most, inFlight)
      writer.calls.push(chunk.text)
      await Promise.resolve()
      inFlight -= 1
      const usage = { ...NO_USAGE, input: 10, output: 2 }
      return {
        text: `about ${chunk.text.slice(0, 5)}`,
        quality: 0.5,
        model: 'fake',
        tokens: 2,
        usage,
        calls: 1,
        fallback: null,
      }
    },
  }
  return writer
}

const prose = (tag: string) =>
  Array.from({ length: 6 }, (_, i) => `The ${tag} number ${i} is set to ${i * 7} here.`).join(' ')
const documentOf = (last: string) => ({
  docId: 'guide',
  title: 'Guide',
  text: `# Guide\n\n${prose('valve')}\n\n## Tides\n\n${prose('gauge')}\n\n## Bells\n\n${prose(last)}`,
})
const run = async (collection: string, last: string, contexts: ContextWriter | null | undefined) => {
  const embedder = createFakeEmbedder()
  const world = { ...dependencies(engine.url, embedder), ...(contexts === undefined ? {} : { contexts }) }
  const summary = await ingest([documentOf(last)], world, { collection, chunkTokens: 30, batchSize: 4 })
  return { summary, embedder, points: await allPoints(engine.url, collection) }
}

describe('contexts at ingestion', () => {
  it('stores the context beside the text, and encodes it before the path', async () => {
    const writer = fakeWriter()
    const { summary, points, embedder } = await run('fresh', 'bell', writer)
    expect(writer.calls).toHaveLength(points.length)
    expect(writer.most).toBe(3)
    expect(summary.contexts).toEqual({
      ...{ model: 'fake', written: points.length, fallbacks: 0, postponed: 0, quality: 0.5 },
      usage: { ...NO_USAGE, input: 10 * points.length, output: 2 * points.length },
    })
    for (const { payload } of points) {
      const text = String(payload.text)
      expect(documentOf('bell').text).toContain(text)
      expect(payload).toMatchObject({
        ...{ context: `about ${text.slice(0, 5)}`, context_quality: 0.5, context_model: 'fake' },
        ...{ context_version: expect.stringMatching(/^fake-1:/), context_tokens: 2 },
      })
      expect(embedder.asked).toContain(`${payload.context}\n${payload.section_path}\n${text}`)
    }
  })

  it('asks again only for chunks that changed, for another writer, and for none when the document is unchanged', async () => {
    const first = fakeWriter()
    await run('again', 'bell', first)
    const unchanged = fakeWriter()
    expect((await run('again', 'bell', unchanged)).summary.written).toBe(0)
    expect(unchanged.calls).toEqual([])
    const changed = fakeWriter()
    await run('again', 'horn', changed)
    expect(changed.calls.length).toBeGreaterThan(0)
    expect(changed.calls.length).toBeLessThan(first.calls.length)
    const other = fakeWriter('fake-2')
    await run('again', 'horn', other)
    expect(other.calls).toHaveLength(first.calls.length)
  })

  it('asks again for the contexts that the rules wrote while the model could not be reached', async () => {
    const writer = fakeWriter()
    const away = {
      ...writer,
      write: async (...asked: Parameters<ContextWriter['write']>) => {
        const fallback = asked[0].chunk.text.includes('bell') ? 'rate_limited' : 'low_quality'
        return { ...(await writer.write(...asked)), model: 'rules', fallback }
      },
    }
    const { summary: before } = await run('waiting', 'bell', away)
    const back = fakeWriter()
    const { summary, points } = await run('waiting', 'bell', back)
    const bells = points.filter(({ payload }) => String(payload.text).includes('bell'))
    expect(bells.length).toBeGreaterThan(0)
    expect(bells.length).toBeLessThan(points.length)
    expect(back.calls).toHaveLength(bells.length)
    expect(before.contexts).toMatchObject({ fallbacks: points.length, postponed: bells.length })
    expect(summary.contexts).toMatchObject({ written: bells.length, fallbacks: 0 })
    expect(bells.every(({ payload }) => payload.context_model === 'fake')).toBe(true)
    expect((await run('waiting', 'bell', back)).summary.written).toBe(0)
  })

  it('takes contexts away when that is asked for', async () => {
    await run('away', 'bell', fakeWriter())
    const { summary, points } = await run('away', 'bell', null)
    expect(summary.contexts).toBeNull()
    expect(points.flatMap(({ payload }) => CONTEXT_FIELDS.filter(field => field in payload))).toEqual([])
    expect((await run('away', 'bell', null)).summary).toMatchObject({ written: 0, warnings: [] })
  })

  it('keeps the contexts of unchanged chunks when nothing is asked for, and says how many it writes without', async () => {
    const before = (await run('kept', 'bell', fakeWriter())).points
    expect((await run('kept', 'bell', undefined)).summary).toMatchObject({ written: 0, warnings: [] })
    const { summary, points } = await run('kept', 'horn', undefined)
    expect(summary.warnings).toEqual([
      expect.stringContaining(`but the ${summary.written} that this run writes have none`),
    ])
    const withContext = points.filter(({ payload }) => 'context' in payload)
    expect(withContext).toHaveLength(before.length - summary.written)
    expect(before).toEqual(expect.arrayContaining(withContext))
    expect((await run('kept', 'horn', fakeWriter())).points.every(({ payload }) => 'context' in payload)).toBe(true)
  })

  it('writes nothing when the writer cannot go on, and the next run goes on from there', async () => {
    const broken = { ...fakeWriter(), write: () => Promise.reject(new Error('the key was refused')) }
    await expect(run('broken', 'bell', broken)).rejects.toThrow('the key was refused')
    expect(await allPoints(engine.url, 'broken')).toEqual([])
    expect((await run('broken', 'bell', fakeWriter())).points.length).toBeGreaterThan(3)
  })
})
