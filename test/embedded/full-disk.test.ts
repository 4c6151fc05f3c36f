import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { FolderStore } from '../../src/embedded/storage/folder-store.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'
import { LimitedDisk } from './support/limited-disk.ts'
import { rest } from './support/rest.ts'

const SCHEMA = { vectors: { size: 2, distance: 'Dot' } }
const POINTS = '/collections/c/points'

const point = (id: number, text = 'x'.repeat(200)) => ({ id, vector: [id, 1], payload: { text, id } })

let folder: string
beforeEach(() => {
  folder = temporaryFolder('embedded')
})

async function countAt(url: string): Promise<number> {
  return (await rest<{ count: number }>(url, 'POST', `${POINTS}/count`, {})).body.result.count
}

describe('a full disk', () => {
  it('refuses writes with 507, serves and counts only what it took, and takes writes again when there is space', async () => {
    const disk = new LimitedDisk()
    const server = await startEmbeddedServer({ path: folder, disk })
    await rest(server.url, 'PUT', '/collections/c', SCHEMA)
    await rest(server.url, 'PUT', POINTS, { points: [point(1)] })
    disk.space = 100
    for (const [method, path, body] of [
      ['PUT', POINTS, { points: [point(2)] }],
      ['POST', `${POINTS}/delete`, { points: [1], note: 'x'.repeat(200) }],
      ['PUT', '/collections/d', { ...SCHEMA, metadata: { text: 'x'.repeat(200) } }],
    ] as const) {
      const refused = await rest(server.url, method, path, body)
      expect(refused.status).toBe(507)
      expect(refused.error).toContain('Service internal error: No space left on device')
    }
    expect(await countAt(server.url)).toBe(1)
    expect((await rest(server.url, 'GET', `${POINTS}/2`)).status).toBe(404)
    expect((await rest(server.url, 'GET', '/collections')).body.result).toEqual({ collections: [{ name: 'c' }] })
    disk.space = 10_000
    expect((await rest(server.url, 'PUT', POINTS, { points: [point(3)] })).status).toBe(200)
    await server.close()

    const again = await startEmbeddedServer({ path: folder })
    expect(await countAt(again.url)).toBe(2)
    await again.close()
    expect(readdirSync(folder)).toEqual(['log.jsonl'])
  })

  it('leaves no lock behind that it could not write, so the next start finds the folder free', {
    timeout: CHILD_PROCESS_MS,
  }, async () => {
    const module = new URL('../../src/files/folder-lock.ts', import.meta.url).href
    const script = `const { lockFolder } = await import(${JSON.stringify(module)})
      try { lockFolder(${JSON.stringify(folder)}) } catch (error) { console.log(error.code) }`
    // The shell lets no file grow, so each write to one fails, as on a full disk.
    const limited = `trap '' XFSZ; ulimit -f 0; exec "$@"`
    const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', script]
    const child = spawn('sh', ['-c', limited, 'sh', ...node], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [[said]] = await Promise.all([once(child.stdout, 'data'), once(child, 'exit')])
    expect(String(said)).toBe('EFBIG\n')
    const server = await startEmbeddedServer({ path: folder })
    await server.close()
  })

  it('opens a folder that it cannot shorten, and writes no line behind half a line', async () => {
    const first = await FolderStore.open(folder)
    await first.engine.createCollection('c', SCHEMA)
    await first.engine.update('c', 'upsert', { points: [point(1)] })
    await first.close()
    appendFileSync(join(folder, 'log.jsonl'), '{"kind":"resto')

    const disk = new LimitedDisk()
    disk.space = 5
    disk.stuck = true
    const said: string[] = []
    const full = await FolderStore.open(folder, { disk, report: sentence => said.push(sentence) })
    expect(full.engine.collection('c').size).toBe(1)
    await expect(full.engine.update('c', 'upsert', { points: [point(2)] })).rejects.toMatchObject({ status: 507 })
    expect(said.join()).toContain('writes are refused')
    disk.space = 10_000
    disk.stuck = false
    await full.engine.update('c', 'upsert', { points: [point(3)] })
    await full.close()
    expect(readFileSync(join(folder, 'log.jsonl.cut-1'), 'utf8')).toBe('{"kind":"resto')

    const last = await FolderStore.open(folder)
    expect([...last.engine.collection('c').inOrder()].map(({ id }) => id)).toEqual([1, 3])
    await last.close()
  })

  it(
    'of a real process loses nothing that was acknowledged and shows nothing that was refused',
    async () => {
      // The largest file of the process stands for the size of the disk.
      const script = `ulimit -f 64; exec "${process.execPath}" --import tsx "$0" "$1"`
      const server = join(import.meta.dirname, 'support/server-process.ts')
      const child = spawn('bash', ['-c', script, server, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const url = line.toString().trim()
      await rest(url, 'PUT', '/collections/c', SCHEMA)
      const acknowledged: number[] = []
      const refused: number[] = []
      for (let id = 0; id < 40; id++) {
        const { status } = await rest(url, 'PUT', POINTS, {
          points: [point(id, 'x'.repeat(id % 3 === 0 ? 100 : 5000))],
        })
        if (status === 200) acknowledged.push(id)
        else {
          expect(status).toBe(507)
          refused.push(id)
        }
      }
      expect(acknowledged.length).toBeGreaterThan(5)
      expect(refused.length).toBeGreaterThan(5)
      expect(await countAt(url)).toBe(acknowledged.length)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const store = await FolderStore.open(folder)
      expect([...store.engine.collection('c').inOrder()].map(({ id }) => id)).toEqual(acknowledged)
      await store.close()
    },
    CHILD_PROCESS_MS,
  )
})

describe('a damaged log', () => {
  it('is read up to its last good line; the rest is kept in a file beside it', async () => {
    const first = await FolderStore.open(folder)
    await first.engine.createCollection('c', SCHEMA)
    for (const id of [1, 2, 3]) await first.engine.update('c', 'upsert', { points: [point(id)] })
    await first.close()
    const lines = readFileSync(join(folder, 'log.jsonl'), 'utf8').split('\n')
    const third = lines.findIndex(line => line.includes('"id":2'))
    lines[third] = (lines[third] ?? '').replace('"payload"', '"pay\u0000')
    writeFileSync(join(folder, 'log.jsonl'), lines.join('\n'))

    const said: string[] = []
    const store = await FolderStore.open(folder, { report: sentence => said.push(sentence) })
    expect([...store.engine.collection('c').inOrder()].map(({ id }) => id)).toEqual([1])
    await store.close()
    expect(said[0]).toContain(`log.jsonl is damaged at line ${third + 1}`)
    const cut = lines.slice(third).join('\n')
    expect(said[1]).toContain(`the last ${Buffer.byteLength(cut)} bytes`)
    expect(readFileSync(join(folder, 'log.jsonl.cut-1'), 'utf8')).toBe(cut)
  })
})

it('reads a log of the version before, with requests that are refused today', async () => {
  const lines = [
    {
      kind: 'create_collection',
      collection: 'c',
      body: { ...SCHEMA, hnsw_config: { ef_construct: 0 }, shard_key: 'a' },
    },
    { kind: 'create_index', collection: 'c', body: { field_name: 'a', field_schema: 'word' } },
    { kind: 'upsert', collection: 'c', body: { points: [{ id: 1, vector: [1, 1] }] } },
    { kind: 'update_vectors', collection: 'c', body: { points: [{ id: 1, vector: {} }] } },
    { kind: 'delete_vectors', collection: 'c', body: { points: [1], vector: ['no'] } },
    { kind: 'set_payload', collection: 'c', body: { filter: {}, payload: { b: 1 }, shard_key: 'a' } },
  ]
  writeFileSync(join(folder, 'log.jsonl'), lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  const store = await FolderStore.open(folder)
  expect([...store.engine.collection('c').inOrder()]).toEqual([{ id: 1, payload: { b: 1 }, version: 4 }])
  await store.close()
  expect(readdirSync(folder)).toEqual(['log.jsonl'])
})

/** One write, and what it does to a map from id to payload. */
interface Write {
  kind: string
  body: object
  change(points: Map<number, object>): void
}

const id = fc.integer({ min: 0, max: 7 })
const tag = fc.constantFrom('a', 'b', 'c')
const hasTag = (value: string) => ({ must: [{ key: 'tag', match: { value } }] })
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(fc.uniqueArray(id, { minLength: 1, maxLength: 4 }), tag, fc.nat(60)).map(([ids, tag, size]) => {
    const payload = { tag, fill: 'x'.repeat(size) }
    return {
      kind: 'upsert',
      body: { points: ids.map(id => ({ id, vector: [id, 1], payload })) },
      change: (points: Map<number, object>) => {
        for (const id of ids) points.set(id, payload)
      },
    }
  }),
  tag.map(tag => ({
    kind: 'delete',
    body: { filter: hasTag(tag) },
    change: (points: Map<number, object>) => {
      for (const [id, payload] of points) if ((payload as { tag: string }).tag === tag) points.delete(id)
    },
  })),
  fc.tuple(tag, tag).map(([from, to]) => ({
    kind: 'set_payload',
    body: { filter: hasTag(from), payload: { tag: to } },
    change: (points: Map<number, object>) => {
      for (const [id, payload] of points) {
        if ((payload as { tag: string }).tag === from) points.set(id, { ...payload, tag: to })
      }
    },
  })),
)

/** Before a step: the bytes that are free from then on, or a crash, or a clean close, each followed by opening the folder again. */
const step = fc.record({
  write,
  space: fc.oneof(fc.nat(600), fc.constant(100_000)),
  stuck: fc.boolean(),
  reopen: fc.constantFrom('no', 'no', 'no', 'crash', 'close'),
})

it(
  'after any writes, failures, crashes and openings the state is that of the acknowledged writes',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
        const root = mkdtempSync(join(folder, 'run-'))
        let place = join(root, '0')
        const disk = new LimitedDisk()
        const open = () => FolderStore.open(place, { disk, report: () => {} })
        let store = await open()
        await store.engine.createCollection('c', SCHEMA)
        const model = new Map<number, object>()
        for (const [number, { write, space, stuck, reopen }] of steps.entries()) {
          disk.space = space
          disk.stuck = stuck
          if (reopen === 'close') await store.close()
          if (reopen === 'crash') {
            // What a killed process leaves behind, without its lock.
            const next = join(root, String(number + 1))
            cpSync(place, next, { recursive: true })
            await store.close()
            place = next
            rmSync(join(place, 'lock'))
          }
          if (reopen !== 'no') store = await open()
          try {
            await store.engine.update('c', write.kind, write.body)
            write.change(model)
          } catch (error) {
            expect(error).toMatchObject({ status: 507 })
          }
          const points = [...store.engine.collection('c').inOrder()].map(({ id, payload }) => [id, payload])
          expect(points).toEqual([...model].sort(([left], [right]) => left - right))
        }
        await store.close()
      }),
      { numRuns: 150 },
    )
  },
  CHILD_PROCESS_MS,
)
