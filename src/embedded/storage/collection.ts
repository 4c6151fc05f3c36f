import type { PointId } from '../../core/types.ts'
import { unknownVector, wrongInput } from '../errors.ts'
import { compileFilter, type RowPredicate } from '../filter/filter.ts'
import { readTextIndex, type TextIndex } from '../filter/text-match.ts'
import { comparePointIds } from '../wire/point-id.ts'
import type { VectorSelector } from '../wire/selectors.ts'
import type { JsonRecord } from '../wire/shape.ts'
import { isSparse, type VectorInput } from '../wire/vector-input.ts'
import type { CollectionConfig } from './collection-config.ts'
import { DenseVectors } from './dense-vectors.ts'
import { SparseVectors } from './sparse-vectors.ts'

/** A point ready to be stored: every vector checked against the schema. */
export interface StoredPoint {
  id: PointId
  vectors: Map<string, VectorInput>
  payload: JsonRecord
}

/** Points in rows: ids, payloads and versions in plain arrays, each named vector in its own store. Freed rows are used again. */
export class Collection {
  readonly config: CollectionConfig
  readonly dense = new Map<string, DenseVectors>()
  readonly sparse = new Map<string, SparseVectors>()
  /** Payload index schemas by field, as the client gave them. */
  readonly indexes = new Map<string, unknown>()
  /** Number of the next write: the `version` it leaves on the points it changes. */
  nextOperation = 0
  private readonly rows = new Map<PointId, number>()
  private readonly ids: (PointId | undefined)[] = []
  private readonly payloads: JsonRecord[] = []
  private readonly versions: number[] = []
  private readonly freed: number[] = []
  private readonly textIndexes = new Map<string, TextIndex>()
  private sorted: PointId[] | undefined

  constructor(config: CollectionConfig) {
    this.config = config
    for (const [name, { size, distance }] of config.dense) this.dense.set(name, new DenseVectors(size, distance))
    for (const [name, { idf }] of config.sparse) this.sparse.set(name, new SparseVectors(idf))
  }

  get size(): number {
    return this.rows.size
  }

  rowOf(id: PointId): number | undefined {
    return this.rows.get(id)
  }

  idOf(row: number): PointId {
    const id = this.ids[row]
    if (id === undefined) throw new RangeError(`row ${row} holds no point`)
    return id
  }

  payloadOf(row: number): JsonRecord {
    return this.payloads[row] ?? {}
  }

  versionOf(row: number): number {
    return this.versions[row] ?? 0
  }

  hasVector(name: string, row: number): boolean {
    return this.dense.get(name)?.has(row) ?? this.sparse.get(name)?.has(row) ?? false
  }

  textIndex(key: string): TextIndex | undefined {
    return this.textIndexes.get(key)
  }

  /** All ids, ascending. */
  sortedIds(): readonly PointId[] {
    this.sorted ??= [...this.rows.keys()].sort(comparePointIds)
    return this.sorted
  }

  /** Compiles a filter into a test on rows. */
  filter(filter: unknown): (row: number) => boolean {
    const holds: RowPredicate = compileFilter(filter, this)
    return row => holds(row, this.payloadOf(row))
  }

  /** Rows of the points that match a filter, ascending by id. */
  *matching(filter: unknown): Generator<number> {
    const accept = this.filter(filter)
    for (const id of this.sortedIds()) {
      const row = this.rows.get(id)
      if (row !== undefined && accept(row)) yield row
    }
  }

  /** @throws EngineError 400 when the vector does not fit the schema. */
  checkVector(name: string, vector: VectorInput): void {
    const dense = this.dense.get(name)
    if (dense === undefined && !this.sparse.has(name)) throw unknownVector(name)
    if ((dense === undefined) !== isSparse(vector)) {
      throw wrongInput(`Conversion between sparse and regular vectors failed for \`${name}\``)
    }
    if (dense !== undefined && vector instanceof Float32Array && vector.length !== dense.size) {
      throw wrongInput(`Vector dimension error: expected dim: ${dense.size}, got ${vector.length}`)
    }
  }

  /** Inserts a point or replaces it whole. */
  put(point: StoredPoint, version: number): void {
    const row = this.rows.get(point.id) ?? this.allocate(point.id)
    for (const name of [...this.dense.keys(), ...this.sparse.keys()]) {
      const vector = point.vectors.get(name)
      if (vector === undefined) this.removeVector(row, name)
      else this.putVector(row, name, vector)
    }
    this.setPayload(row, point.payload, version)
  }

  putVector(row: number, name: string, vector: VectorInput): void {
    if (isSparse(vector)) this.sparse.get(name)?.set(row, vector)
    else this.dense.get(name)?.set(row, vector)
  }

  removeVector(row: number, name: string): void {
    this.dense.get(name)?.remove(row)
    this.sparse.get(name)?.remove(row)
  }

  setPayload(row: number, payload: JsonRecord, version: number): void {
    this.payloads[row] = payload
    this.versions[row] = version
  }

  remove(row: number): void {
    this.rows.delete(this.idOf(row))
    for (const name of [...this.dense.keys(), ...this.sparse.keys()]) this.removeVector(row, name)
    this.ids[row] = undefined
    this.payloads[row] = {}
    this.freed.push(row)
    this.sorted = undefined
  }

  setIndex(field: string, schema: unknown): void {
    const text = readTextIndex(schema)
    this.indexes.set(field, schema)
    if (text === undefined) this.textIndexes.delete(field)
    else this.textIndexes.set(field, text)
  }

  dropIndex(field: string): void {
    this.textIndexes.delete(field)
    this.indexes.delete(field)
  }

  /** The stored vector (unit length under `Cosine`), if the point has it. */
  vectorOf(row: number, name: string): VectorInput | undefined {
    if (!this.dense.has(name) && !this.sparse.has(name)) throw unknownVector(name)
    return this.dense.get(name)?.get(row) ?? this.sparse.get(name)?.get(row)
  }

  /** The `vector` member of an answer: a bare array for the unnamed vector alone, else an object by name. */
  printVectors(row: number, wanted: VectorSelector): unknown {
    if (wanted === 'none') return undefined
    const names = wanted === 'all' ? [...this.dense.keys(), ...this.sparse.keys()] : wanted
    const found: [string, VectorInput][] = []
    for (const name of names) {
      const vector = this.vectorOf(row, name)
      if (vector !== undefined) found.push([name, vector])
    }
    const [first] = found
    return found.length === 1 && first?.[0] === '' ? first[1] : Object.fromEntries(found)
  }

  private allocate(id: PointId): number {
    const row = this.freed.pop() ?? this.ids.length
    this.ids[row] = id
    this.rows.set(id, row)
    const last = this.sorted?.at(-1)
    if (this.sorted !== undefined && (last === undefined || comparePointIds(last, id) < 0)) this.sorted.push(id)
    else this.sorted = undefined
    return row
  }
}
