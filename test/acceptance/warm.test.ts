import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isShipped, SHIPPED_RERANKER } from '../support/model-folders.ts'
import { fill } from '../support/points.ts'
import { send } from '../support/send.ts'
import { run, startListening } from '../support/stowage-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

vi.setConfig({ testTimeout: CHILD_PROCESS_MS, hookTimeout: CHILD_PROCESS_MS })

const TITLES = ['keel', 'mast', 'rudder', 'anchor', 'sail']
const passage = (title: string, times = 1) => ({
  // Its keywords are found by this field, but the mapping names another one.
  text: title,
  body: `The ${title} of a ship is checked in spring. `.repeat(times),
  heading: `Ships > ${title}`,
})
const POINTS = [
  ...TITLES.map((title, at) => ({
    id: at + 1,
    dense: [1, at / 10, 0, 0],
    payload: passage(title, at === 0 ? 400 : 1),
  })),
  // The same passage once more, and a point without a text.
  { id: 6, dense: [1, 0, 1, 0], payload: passage('sail') },
  { id: 7, dense: [1, 0, 2, 0], payload: { heading: 'Ships' } },
]
const MAPPINGS = JSON.stringify({ ships: { text: 'body', section_path: 'heading' } })

describe.runIf(isShipped(SHIPPED_RERANKER))('stowage warm', () => {
  let back: Awaited<ReturnType<typeof startListening>>
  let folder: string
  let environment: Record<string, string>
  beforeAll(async () => {
    folder = temporaryFolder('stowage-warm')
    back = await startListening(['serve', '--port', '0'], { STOWAGE_DROPIN: 'passthrough' })
    environment = {
      RERANKER: 'crossencoder',
      RERANK_DISK_PATH: join(folder, 'passages'),
      QDRANT_URL: back.url,
      MAPPINGS,
    }
    await fill(back.url, 'ships', POINTS)
  })
  afterAll(async () => {
    await back.stop('SIGTERM')
  })

  const warm = (...line: string[]) => run(['warm', ...line], environment)
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile()).length

  it('reads each passage once, and a second run reads nothing', async () => {
    const first = await warm('--collection', 'ships', '--json')
    expect(first.err).not.toContain('warning')
    const summary = { collection: 'ships', passages: 6, known: 0, read: 6, withoutText: 1 }
    expect([first.code, JSON.parse(first.out)]).toEqual([
      0,
      { folder: join(folder, 'passages'), collections: [summary], warnings: [] },
    ])
    expect(files()).toBe(6)
    const again = await warm('--collection', 'ships')
    expect([again.code, again.out]).toEqual([
      0,
      `ships: 6 passages, 0 read now, 6 known before, 1 point without text\nin ${join(folder, 'passages')}\n`,
    ])
  })

  it('leaves nothing to read for contexts and searches of another process', async () => {
    const front = await startListening(['serve', '--port', '0'], environment)
    try {
      const context = await send(front.url, 'POST', '/v1/context', {
        query: 'Who checks keel, mast, rudder, anchor and sail?',
        collection: 'ships',
      })
      expect([context.status, context.text]).toEqual([200, expect.stringContaining('The mast of a ship')])
      const search = { query: [1, 0, 0, 0], using: 'dense', limit: 4, with_payload: true }
      const headers = { 'x-stowage-query': 'When is the rudder checked?' }
      const found = await send(front.url, 'POST', '/collections/ships/points/query', search, headers)
      expect([found.status, found.headers.get('x-stowage-applied')]).toEqual([200, expect.stringContaining('rerank')])
      const { text } = await send(front.url, 'GET', '/v1/metrics')
      const count = (source: string) =>
        Number(new RegExp(`^stowage_rerank_passages_total\\{source="${source}"\\} (\\d+)$`, 'mu').exec(text)?.[1])
      expect(count('unread')).toBe(0)
      expect(count('disk')).toBeGreaterThanOrEqual(5)
      expect(count('memory')).toBeGreaterThanOrEqual(4)
    } finally {
      await front.stop('SIGTERM')
    }
    expect(files()).toBe(6)
  })

  it.each([
    ['titles', 5, { section_path: 'Keys' }, ['Setup (version 2, v2) > Keys', 'Use > Keys']],
    ['files', 5, { doc_title: '' }, ['v2/setup', 'v2/use']],
    ['general titles', 3, { doc_title: 'README' }, ['README (version 2, v2 setup)', 'README (version 2, v2 use)']],
  ])(
    'reads the passages of documents that share a title or a file name with and without what their paths say: %s',
    async (name, passages, over, shown) => {
      const collection = name.replaceAll(' ', '-')
      const manuals = ['v1/setup', 'v2/setup', 'v2/use'].map((docId, at) => ({
        id: at + 1,
        dense: [1, at / 10, 0, 0],
        payload: {
          ...{ doc_id: docId, doc_title: docId.endsWith('use') ? 'Use' : 'Setup', ...over },
          text: `Each key of ${at} ships hangs on a board beside the wheel, and ${at + 3} are spare.`,
        },
      }))
      await fill(back.url, collection, manuals)
      const first = await warm('--collection', collection, '--json')
      expect(JSON.parse(first.out).collections).toMatchObject([{ passages, known: 0, read: passages }])
      const before = files()
      const front = await startListening(['serve', '--port', '0'], environment)
      try {
        const asked = { query: 'Where do the keys of ships hang in version 2?', collection }
        const { text } = await send(front.url, 'POST', '/v1/context', asked)
        const { context } = JSON.parse(text)
        for (const name of shown) expect(context).toContain(name)
      } finally {
        await front.stop('SIGTERM')
      }
      expect(files()).toBe(before)
    },
  )

  it.each([
    [{ RERANK_DISK_PATH: '' }, 'RERANK_DISK_PATH is not set', 2],
    [{ RERANKER: 'off' }, 'RERANKER=off', 2],
    [{ RERANK_MEMORY_MB: '0' }, 'RERANK_MEMORY_MB=0', 2],
    [{ RERANK_DISK_PATH: '/dev/null/passages' }, 'RERANK_DISK_PATH', 2],
    [{ QDRANT_URL: '' }, 'no place with collections: give --url, or set QDRANT_URL or EMBEDDED_PATH', 2],
    [{ QDRANT_URL: 'http://127.0.0.1:9' }, 'ECONNREFUSED', 1],
  ])('with %j it says what is wrong', async (wrong, message, code) => {
    const ended = await run(['warm', '--collection', 'ships'], { ...environment, ...wrong })
    expect([ended.code, ended.out, ended.err]).toEqual([code, '', expect.stringContaining(message)])
  })

  it('names a collection that is not there', async () => {
    const ended = await warm('--collection', 'boats')
    expect([ended.code, ended.out]).toEqual([1, ''])
    expect(ended.err).toContain('boats')
  })
})
