import { existsSync } from 'node:fs'
import type { PointId } from '../../core/types.ts'
import { members } from '../../qdrant/raw-json.ts'
import { LineFile, lineStarts } from './line-file.ts'

/** A point with a text, as it was before it got a context. */
export interface FormerPoint {
  id: PointId
  /** `chunkHash` of its text. */
  hash: string
  /** The JSON of each vector as the server printed it, by name. */
  vectors: ReadonlyMap<string, string>
}

interface Part {
  at: number
  bytes: number
}

/** Characters of a line that hold its key: a UUID is 36 long. */
const KEY_LENGTH = 80
const BATCH_WRITTEN = '{"written":true}'
const KEY = /^\{"key":"([^"]+)"/

/**
 * The journal of the vectors that a collection had before: one line per point, on the disk before the server is asked to replace them. The
 * first line of a text stands, because a later one may come from a request that was made in part.
 */
export class FormerVectors {
  readonly #file: LineFile
  readonly #parts = new Map<string, Part>()
  /** Keys behind the last batch that was written for certain. */
  #unsure: string[] = []

  constructor(path: string) {
    let size = 0
    for (const { at, bytes, start } of existsSync(path) ? lineStarts(path, KEY_LENGTH) : []) {
      const key = KEY.exec(start)?.[1]
      if (key === undefined) this.#unsure = []
      else this.#keep(key, { at, bytes })
      size = at + bytes + 1
    }
    this.#file = new LineFile(path, size)
  }

  /** Notes points; when it returns, they are on the disk. */
  add(points: readonly FormerPoint[]): void {
    const fresh = points
      .map(({ id, hash, vectors }) => ({ key: keyOf(id, hash), vectors }))
      .filter(({ key }) => !this.#parts.has(key))
      .map(({ key, vectors }) => ({ key, line: printLine(key, vectors) }))
    if (fresh.length === 0) return
    let at = this.#file.size
    this.#file.append(fresh.map(({ line }) => `${line}\n`).join(''))
    this.#file.sync()
    for (const { key, line } of fresh) {
      const bytes = Buffer.byteLength(line)
      this.#keep(key, { at, bytes })
      at += bytes + 1
    }
  }

  /** Says that the server has answered the request that replaced the noted vectors. */
  batchWritten(): void {
    this.#file.append(`${BATCH_WRITTEN}\n`)
    this.#unsure = []
  }

  /** The former vectors of a point with this text; null when they are not known. */
  find(id: PointId, hash: string): ReadonlyMap<string, string> | null {
    const part = this.#parts.get(keyOf(id, hash))
    if (part === undefined) return null
    const line = this.#file.read(part.at, part.bytes)
    return members(members(line).get('vectors') ?? '{}')
  }

  /** Whether the request for a point may have been made in part: its vectors may be replaced and its payload not. */
  isUnsure(id: PointId, hash: string): boolean {
    return this.#unsure.includes(keyOf(id, hash))
  }

  get size(): number {
    return this.#parts.size
  }

  close(): void {
    this.#file.close()
  }

  #keep(key: string, part: Part): void {
    if (!this.#parts.has(key)) this.#parts.set(key, part)
    this.#unsure.push(key)
  }
}

const keyOf = (id: PointId, hash: string): string => `${id}:${hash}`

function printLine(key: string, vectors: FormerPoint['vectors']): string {
  const printed = [...vectors].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')
  return `{"key":${JSON.stringify(key)},"vectors":{${printed}}}`
}
