import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  openSideFolder,
  type SideFolder,
} from '../../../../../src/adapters/models/late-interaction/folder/side-folder.ts'
import { contentHash } from '../../../../../src/text/fingerprint.ts'
import { noSignal } from '../../../../support/model-folders.ts'
import { temporaryFolder } from '../../../../support/temporary-folder.ts'

const MODEL = 'a'.repeat(16)
const HEADER_BYTES = 12
let path: string
let faults: string[]
beforeEach(() => {
  path = temporaryFolder('stowage-sides')
  faults = []
})

const open = (options: { maxBytes?: number; modelKey?: string; path?: string } = {}) =>
  openSideFolder({ path, modelKey: MODEL, maxBytes: 1e9, onFault: reason => faults.push(reason), ...options })

function sideOf(bytes: Uint8Array): SharedArrayBuffer {
  const side = new SharedArrayBuffer(bytes.length)
  new Uint8Array(side).set(bytes)
  return side
}
const bytesOf = (side: SharedArrayBuffer | null) => side && Buffer.from(new Uint8Array(side))
const read = async (folder: SideFolder, key: string, signal = noSignal()) =>
  (await folder.readAll([key], signal)).get(key) ?? null
const keyOf = (name: string | number) => contentHash(String(name))
const fileOf = (key: string, modelKey = MODEL) => join(path, modelKey, key.slice(0, 2), key.slice(2))
const files = () => readdirSync(path, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())

describe('a folder of sides', () => {
  it('gives back any bytes, to another process too, and nothing for what was not written', async () => {
    const [writer, reader] = [await open(), await open()]
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), async (bytes, name) => {
        const key = keyOf(name)
        writer.write(key, sideOf(bytes))
        await writer.settled()
        expect(bytesOf(await read(reader, key))).toEqual(Buffer.from(bytes))
        expect(await reader.has(key)).toBe(true)
        expect(await read(reader, keyOf(`${name}, another one`))).toBeNull()
      }),
      { numRuns: 60 },
    )
    expect(faults).toEqual([])
  })

  it('keeps the models apart', async () => {
    const [one, other] = [await open(), await open({ modelKey: 'b'.repeat(16) })]
    one.write(keyOf('text'), sideOf(Buffer.from('of one')))
    await one.settled()
    expect(await other.has(keyOf('text'))).toBe(false)
    expect(await read(other, keyOf('text'))).toBeNull()
  })

  it('takes no file that is cut off, changed, empty or of another form', async () => {
    const folder = await open()
    const key = keyOf('text')
    folder.write(key, sideOf(Buffer.alloc(4_099, 7)))
    await folder.settled()
    const whole = readFileSync(fileOf(key))
    const changed = (at: number) => {
      const bytes = Buffer.from(whole)
      bytes[at] = (bytes[at] ?? 0) ^ 1
      return bytes
    }
    const broken = [
      Buffer.alloc(0),
      Buffer.alloc(whole.length),
      whole.subarray(0, HEADER_BYTES),
      whole.subarray(0, whole.length - 1),
      Buffer.concat([whole, whole]),
      ...[0, 4, 8, HEADER_BYTES, 2_000, whole.length - 1].map(changed),
      Buffer.concat([whole.subarray(0, 2_048), Buffer.alloc(whole.length - 2_048)]),
    ]
    for (const bytes of broken) {
      writeFileSync(fileOf(key), bytes)
      expect(await read(folder, key)).toBeNull()
    }
    writeFileSync(fileOf(key), whole)
    expect((await read(folder, key))?.byteLength).toBe(4_099)
  })

  it('reads nothing after an abort, and lets nobody else read its files', async () => {
    const folder = await open({ path: join(path, 'made') })
    const key = keyOf('text')
    folder.write(key, sideOf(Buffer.from('side')))
    await folder.settled()
    expect(await read(folder, key, AbortSignal.abort())).toBeNull()
    const file = join(path, 'made', MODEL, key.slice(0, 2), key.slice(2))
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(statSync(dirname(file)).mode & 0o077).toBe(0)
    expect(statSync(join(path, 'made')).mode & 0o077).toBe(0)
  })

  it('says once that nothing can be written, and leaves the file of others alone', async () => {
    const folder = await open()
    const keys = Array.from({ length: 20 }, (_, at) => keyOf(at))
    for (const key of keys) writeFileSync(join(path, MODEL, key.slice(0, 2)), 'in the way')
    for (const key of keys) folder.write(key, sideOf(Buffer.from('side')))
    await folder.settled()
    expect(faults).toHaveLength(1)
    expect(folder.fault()).toContain('ENOTDIR')
    for (const key of keys) expect(await read(folder, key)).toBeNull()
    expect(files().every(({ name }) => name.length === 2)).toBe(true)
  })

  it('writes again a minute after a fault, also when the clock of the machine was set back meanwhile', async () => {
    const folder = await open()
    const [lost, kept] = [keyOf('lost'), keyOf('kept')]
    writeFileSync(join(path, MODEL, lost.slice(0, 2)), 'in the way')
    folder.write(lost, sideOf(Buffer.from('side')))
    await folder.settled()
    const later = performance.now() + 61_000
    const clocks = [
      vi.spyOn(performance, 'now').mockImplementation(() => later),
      vi.spyOn(Date, 'now').mockImplementation(() => 0),
    ]
    onTestFinished(() => clocks.forEach(clock => void clock.mockRestore()))
    folder.write(kept, sideOf(Buffer.from('side')))
    await folder.settled()
    expect(await folder.has(kept)).toBe(true)
  })

  it('does not wait for a disk that hangs, and leaves it alone for a while', async () => {
    const folder = await open()
    const [hung, fine] = [keyOf('hung'), keyOf('fine')]
    folder.write(hung, sideOf(Buffer.from('hung')))
    folder.write(fine, sideOf(Buffer.from('fine')))
    await folder.settled()
    rmSync(fileOf(hung))
    // Opening a pipe waits for somebody who writes into it.
    execFileSync('mkfifo', [fileOf(hung)])
    try {
      const found = await folder.readAll([hung, fine], noSignal())
      expect([...found.keys()]).toEqual([fine])
      expect(faults).toEqual(['reading took more than 400 ms'])
      expect(await read(folder, fine)).toBeNull()
    } finally {
      closeSync(openSync(fileOf(hung), 'r+'))
    }
  })

  it('cannot be opened where there is a file', async () => {
    writeFileSync(join(path, 'file'), '')
    await expect(open({ path: join(path, 'file') })).rejects.toThrow(/ENOTDIR|EEXIST/u)
  })
})

describe('the size of a folder of sides', () => {
  const SIDE = 1_000
  const HOUR = 3_600

  async function fill(folder: Awaited<ReturnType<typeof open>>, count: number, from = 0) {
    for (let at = from; at < from + count; at++) {
      folder.write(keyOf(at), sideOf(new Uint8Array(SIDE).fill(at)))
      await folder.settled()
      // The first one was used last.
      if (existsSync(fileOf(keyOf(at)))) touch(fileOf(keyOf(at)), -at * HOUR)
    }
  }
  const touch = (file: string, seconds: number) =>
    utimesSync(file, Date.now() / 1_000 + seconds, Date.now() / 1_000 + seconds)
  const size = () => files().reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

  it('stays below the limit, and what was not used for longest goes first', async () => {
    await fill(await open(), 10)
    const folder = await open({ maxBytes: 10.5 * (SIDE + HEADER_BYTES) })
    folder.write(keyOf('new'), sideOf(new Uint8Array(SIDE)))
    await folder.settled()
    expect(size()).toBeLessThanOrEqual(0.9 * 10.5 * (SIDE + HEADER_BYTES))
    const left = await Promise.all(Array.from({ length: 10 }, (_, at) => folder.has(keyOf(at))))
    expect(left).toEqual([...Array(8).fill(true), false, false])
    expect(await folder.has(keyOf('new'))).toBe(true)
    expect(folder.deleted()).toBe(2)
  })

  it('counts what other processes and other models wrote', async () => {
    const maxBytes = 12 * (SIDE + HEADER_BYTES)
    const folders = [await open({ maxBytes }), await open({ maxBytes, modelKey: 'b'.repeat(16) })]
    for (let at = 0; at < 40; at++) {
      folders[at % 2]?.write(keyOf(at), sideOf(new Uint8Array(SIDE)))
      await folders[at % 2]?.settled()
    }
    expect(size()).toBeLessThanOrEqual(maxBytes)
    expect(files().length).toBeGreaterThan(8)
  })

  it('deletes no other file, but what an interrupted write left an hour ago', async () => {
    const others = [
      'notes.txt',
      join(MODEL, 'notes.txt'),
      join('deep', 'er', 'f'.repeat(30)),
      join(MODEL, 'ab', 'note'),
    ]
    const [young, old] = [1, 2].map(at => `${fileOf(keyOf(at)).slice(path.length + 1)}.${'0'.repeat(12)}.tmp`) as [
      string,
      string,
    ]
    for (const file of [...others, young, old]) {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), 'x'.repeat(5_000))
      touch(join(path, file), -50 * HOUR)
    }
    touch(join(path, young), 0)
    const folder = await open({ maxBytes: 3_000 })
    await fill(folder, 6, 10)
    expect(others.filter(file => !existsSync(join(path, file)))).toEqual([])
    expect(existsSync(join(path, old))).toBe(false)
  })
})
