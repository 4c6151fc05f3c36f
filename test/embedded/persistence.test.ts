import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'
import { rest as send } from './support/rest.ts'

const SCHEMA = {
  vectors: { dense: { size: 4, distance: 'Cosine' } },
  sparse_vectors: { words: { modifier: 'idf' } },
}

interface Stored {
  id: number
  payload: unknown
}

function point(id: number) {
  return {
    id,
    vector: { dense: [id, 1, 0.5, -2], words: { indices: [7, 8 + id], values: [1, 0.25] } },
    payload: { id, text: `passage ${id} ↯`, nested: { list: [id, null, true] } },
  }
}

/** Sends a request that must succeed. */
async function rest<Result = unknown>(url: string, method: string, path: string, body?: unknown) {
  const answer = await send<Result>(url, method, path, body)
  expect(answer.error).toBeUndefined()
  return answer
}

describe('a folder of the embedded engine', { timeout: CHILD_PROCESS_MS }, () => {
  let folder: string
  beforeEach(() => {
    folder = temporaryFolder('embedded')
  })

  async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'support/server-process.ts'), folder],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    return { child, url: line.toString().trim() }
  }

  async function dump(url: string): Promise<unknown> {
    const info = (await rest(url, 'GET', '/collections/c')).body.result
    const page = await rest(url, 'POST', '/collections/c/points/scroll', { limit: 10_000, with_vector: true })
    const query = await rest(url, 'POST', '/collections/c/points/query', {
      query: { indices: [7, 11], values: [1, 2] },
      using: 'words',
      limit: 1000,
    })
    return { info, points: page.body.result, hits: query.body.result }
  }

  it('is refused by name when it is a file', async () => {
    const file = join(folder, 'notes.txt')
    writeFileSync(file, 'kept')
    await expect(startEmbeddedServer({ path: file })).rejects.toThrow(/^EMBEDDED_PATH=.*notes\.txt is a file/)
    expect(readFileSync(file, 'utf8')).toBe('kept')
  })

  it('keeps every acknowledged write through kill -9', async () => {
    const { child, url } = await startProcess()
    await rest(url, 'PUT', '/collections/c', SCHEMA)
    await rest(url, 'PUT', '/collections/c/index', { field_name: 'id', field_schema: 'integer' })
    const acknowledged = new Set<number>()
    const deleted = new Set<number>()
    const write = async (id: number) => {
      await rest(url, 'PUT', '/collections/c/points', { points: [point(id)] })
      acknowledged.add(id)
    }
    for (let id = 0; id < 100; id++) {
      await write(id)
      if (id % 5 !== 4) continue
      await rest(url, 'POST', '/collections/c/points/delete', { points: [id - 2] })
      acknowledged.delete(id - 2)
      deleted.add(id - 2)
    }
    const died = once(child, 'exit')
    const burst = Array.from({ length: 200 }, (_, more) => write(100 + more))
    // The first of many concurrent writes is acknowledged: the others are under way when the process dies.
    await Promise.race(burst)
    child.kill('SIGKILL')
    await Promise.allSettled(burst)
    await died
    const server = await startEmbeddedServer({ path: folder })
    try {
      const scroll = '/collections/c/points/scroll'
      const { result } = (await rest<{ points: Stored[] }>(server.url, 'POST', scroll, { limit: 100_000 })).body
      const found = new Set<number>(result.points.map(stored => stored.id))
      expect(acknowledged.size).toBeGreaterThan(80)
      expect([...acknowledged].filter(id => !found.has(id))).toEqual([])
      expect([...deleted].filter(id => found.has(id))).toEqual([])
      for (const stored of result.points) expect(stored.payload).toEqual(point(stored.id).payload)
    } finally {
      await server.close()
    }
  })

  it('answers the same after a kill, after a clean close, and after both, payload schema and vectors included', async () => {
    const { child, url } = await startProcess()
    await rest(url, 'PUT', '/collections/c', SCHEMA)
    await rest(url, 'PUT', '/collections/c/index', {
      field_name: 'text',
      field_schema: { type: 'text', tokenizer: 'word' },
    })
    await rest(url, 'PUT', '/collections/c/points', { points: Array.from({ length: 600 }, (_, id) => point(id)) })
    await rest(url, 'POST', '/collections/c/points/payload', {
      payload: { whole: 0, tag: 'set' },
      filter: { must: [{ key: 'id', range: { lt: 20 } }] },
    })
    await rest(
      url,
      'PUT',
      '/collections/c/points',
      '{"points":[{"id":18446744073709551615,"vector":{},"payload":{"n":5.0,"big":9007199254740993}}]}',
    )
    await rest(url, 'POST', '/collections/c/points/delete', { points: [3, 5] })
    await rest(url, 'PUT', '/collections/gone', SCHEMA)
    await rest(url, 'DELETE', '/collections/gone')
    const before = await dump(url)
    child.kill('SIGKILL')
    await once(child, 'exit')

    for (let opening = 0; opening < 3; opening++) {
      const server = await startEmbeddedServer({ path: folder })
      expect(await dump(server.url)).toEqual(before)
      const raw = await fetch(`${server.url}/collections/c/points/18446744073709551615`)
      expect(await raw.text()).toContain('"payload":{"n":5.0,"big":9007199254740993}')
      expect((await rest(server.url, 'GET', '/collections')).body.result).toEqual({ collections: [{ name: 'c' }] })
      await server.close()
    }
    const server = await startEmbeddedServer({ path: folder })
    const next = await rest(server.url, 'POST', '/collections/c/points/delete', { points: [3] })
    expect(next.body.result).toMatchObject({ operation_id: 5 })
    await server.close()
    expect(readdirSync(folder).sort()).toEqual(['log.jsonl'])
  })

  it('drops a torn last line and appends after it', async () => {
    const server = await startEmbeddedServer({ path: folder })
    await rest(server.url, 'PUT', '/collections/c', SCHEMA)
    // Leave the log as a killed process would: no close, half a line at its end.
    const log = readFileSync(join(folder, 'log.jsonl'), 'utf8')
    await server.close()
    writeFileSync(join(folder, 'log.jsonl'), `${log}{"kind":"restore","collection":"c","body":{"next":`)

    for (const expected of [0, 1]) {
      const { child, url } = await startProcess()
      const count = await rest(url, 'POST', '/collections/c/points/count', {})
      expect(count.body.result).toEqual({ count: expected })
      await rest(url, 'PUT', '/collections/c/points', { points: [point(expected)] })
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const last = await startEmbeddedServer({ path: folder })
    expect((await rest(last.url, 'POST', '/collections/c/points/count', {})).body.result).toEqual({ count: 2 })
    await last.close()
  })

  it.each(['snapshot.jsonl', 'log-0.jsonl'])(
    'refuses a folder of an older version (%s) and leaves it alone',
    async name => {
      writeFileSync(join(folder, name), '{}\n')
      await expect(startEmbeddedServer({ path: folder })).rejects.toThrow(/^EMBEDDED_PATH=.* older version/)
      expect(readdirSync(folder)).toEqual([name])
    },
  )

  it('belongs to one living process: a second one is refused, a dead one is replaced', async () => {
    const first = await startEmbeddedServer({ path: folder })
    await expect(startEmbeddedServer({ path: folder })).rejects.toThrow(
      /^EMBEDDED_PATH=.* already open in this process/,
    )
    await first.close()

    const { child } = await startProcess()
    await expect(startEmbeddedServer({ path: folder })).rejects.toThrow(
      new RegExp(
        `^EMBEDDED_PATH=${folder} is in use by process ${child.pid}\\. .*--url http://HOST:PORT.* QDRANT_URL\\. .* remove ${join(folder, 'lock')}$`,
        'u',
      ),
    )
    child.kill('SIGKILL')
    await once(child, 'exit')
    // A container gives every run the same pid, so a dead lock may even carry ours.
    writeFileSync(join(folder, 'lock'), `${process.pid}\n`)
    const second = await startEmbeddedServer({ path: folder })
    await second.close()
    expect(readdirSync(folder)).not.toContain('lock')
  })

  it('belongs to a process of another host until that has shown no life for a minute', async () => {
    const lock = join(folder, 'lock')
    writeFileSync(lock, '1 another-container\n')
    await expect(startEmbeddedServer({ path: folder })).rejects.toThrow(
      'in use by process 1 of the host another-container',
    )
    // A lock that its process has not written yet is no dead one.
    writeFileSync(lock, '')
    await expect(startEmbeddedServer({ path: folder })).rejects.toThrow('in use by another process')
    const longAgo = new Date(Date.now() - 61_000)
    for (const left of ['1 another-container\n', '']) {
      writeFileSync(lock, left)
      utimesSync(lock, longAgo, longAgo)
      const server = await startEmbeddedServer({ path: folder })
      expect(readFileSync(lock, 'utf8')).toBe(`${process.pid} ${hostname()}\n`)
      await server.close()
      expect(readdirSync(folder).filter(name => name.startsWith('lock'))).toEqual([])
    }
  })

  it('has one holder when several processes find the same dead lock at once', async () => {
    // No process can have this pid.
    writeFileSync(join(folder, 'lock'), '4194305\n')
    const module = new URL('../../src/files/folder-lock.ts', import.meta.url).href
    const script = `const { lockFolder } = await import(${JSON.stringify(module)})
      try { lockFolder(${JSON.stringify(folder)}); console.log('held') } catch (error) { console.log(error.message) }
      process.stdin.resume()`
    const children = [1, 2, 3].map(() =>
      spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    )
    const said = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])))
    for (const child of children) child.stdin.end()
    await Promise.all(children.map(child => once(child, 'exit')))
    expect(said.filter(line => line === 'held\n')).toHaveLength(1)
  })
})
