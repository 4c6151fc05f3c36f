import type { PointId } from '../../core/types.ts'
import { type FilePart, LineFile, linesOf } from '../../files/line-file.ts'
import { members } from '../../qdrant/raw-json.ts'

/** A point with a text, as it was before it got a context. */
interface FormerPoint {
  id: PointId
  /** `chunkHash` of its text. */
  hash: string
  /** The JSON of each vector as the server printed it, by name. */
  vectors: ReadonlyMap<string, string>
}

/** Characters of a line that hold its key: a UUID is 36 long. */
const KEY_LENGTH = 80
/** A key with vectors; a key whose vectors are in an earlier line; a key whose request was made as a whole. */
const LINE = /^\{"(key|again|written)":"([^"]+)"/

/**
 * The journal of the vectors that a collection had before: one line per point, on the disk before the server is asked to replace them. The
 * first line of a text stands, because a later one may come from a request that was made in part.
 */
export class FormerVectors {
  readonly #file: LineFile
  readonly #parts = new Map<string, FilePart>()
  /** Keys of points whose request may have been made in part. */
  readonly #unsure = new Set<string>()

  constructor(path: string) {
    let size = 0
    for (const { line, end } of linesOf(path)) {
      const [, kind, key = ''] = LINE.exec(line.toString('latin1', 0, KEY_LENGTH)) ?? []
      if (kind === 'key') this.#keep(key, { at: size, bytes: line.length })
      else if (kind === 'again') this.#unsure.add(key)
      else if (kind === 'written') this.#unsure.delete(key)
      // Of an earlier version: all requests were made as a whole.
      else this.#unsure.clear()
      size = end
    }
    this.#file = new LineFile(path, size)
  }

  /** Notes points whose vectors the next request replaces; when it returns, they are on the disk. */
  add(points: readonly FormerPoint[]): void {
    if (points.length === 0) return
    const noted = points.map(({ id, hash, vectors }) => {
      const key = keyOf(id, hash)
      const isKnown = this.#parts.has(key)
      return { key, isKnown, line: isKnown ? printMark('again', key) : printLine(key, vectors) }
    })
    let at = this.#file.size
    this.#file.append(noted.map(({ line }) => `${line}\n`).join(''))
    this.#file.sync()
    for (const { key, isKnown, line } of noted) {
      const bytes = Buffer.byteLength(line)
      if (isKnown) this.#unsure.add(key)
      else this.#keep(key, { at, bytes })
      at += bytes + 1
    }
  }

  /** Says that the server has made the whole request that replaced the vectors of these points. */
  written(points: readonly Pick<FormerPoint, 'id' | 'hash'>[]): void {
    const keys = points.map(({ id, hash }) => keyOf(id, hash)).filter(key => this.#unsure.has(key))
    if (keys.length === 0) return
    this.#file.append(keys.map(key => `${printMark('written', key)}\n`).join(''))
    for (const key of keys) this.#unsure.delete(key)
  }

  /** The former vectors of a point with this text; null when they are not known. */
  find(id: PointId, hash: string): ReadonlyMap<string, string> | null {
    const part = this.#parts.get(keyOf(id, hash))
    if (part === undefined) return null
    const line = this.#file.read(part).toString()
    return members(members(line).get('vectors') ?? '{}')
  }

  /** Whether the request for a point may have been made in part: its vectors may be replaced and its payload not. */
  isUnsure(id: PointId, hash: string): boolean {
    return this.#unsure.has(keyOf(id, hash))
  }

  get size(): number {
    return this.#parts.size
  }

  close(): void {
    this.#file.close()
  }

  #keep(key: string, part: FilePart): void {
    if (!this.#parts.has(key)) this.#parts.set(key, part)
    this.#unsure.add(key)
  }
}

const keyOf = (id: PointId, hash: string): string => `${id}:${hash}`

const printMark = (kind: 'again' | 'written', key: string): string => `{"${kind}":${JSON.stringify(key)}}`

function printLine(key: string, vectors: FormerPoint['vectors']): string {
  const printed = [...vectors].map(([name, raw]) => `${JSON.stringify(name)}:${raw}`).join(',')
  return `{"key":${JSON.stringify(key)},"vectors":{${printed}}}`
}
