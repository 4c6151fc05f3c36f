import type { Change, Engine } from '../engine.ts'
import { upsertedIds } from '../updates.ts'
import { parseJson, printJson } from '../wire/json.ts'
import { readPointId } from '../wire/point-id.ts'
import { readCount, readList, readRecord, readString } from '../wire/shape.ts'
import { isSparse, type Vector } from '../wire/vector.ts'
import type { Collection, Point } from './collection.ts'

/** A line holds a request body, which may itself be nested as deep as Qdrant accepts. */
const LINE_DEPTH = 256

/** A change that has been made, as a line. An upsert is written as its points, which are faster to read than their request. */
export function changeLine(engine: Engine, change: Change): string {
  if (change.kind !== 'upsert') return printJson(change)
  const collection = engine.collection(change.collection)
  return restoreLine(
    change.collection,
    collection,
    upsertedIds(change.body).flatMap(id => collection.get(id) ?? []),
  )
}

/** The whole state as lines. */
export function* stateLines(engine: Engine): Generator<string> {
  for (const [name, collection] of engine.collections) {
    yield printJson({ kind: 'create_collection', collection: name, body: collection.config })
    for (const [field_name, { schema }] of collection.indexes) {
      yield printJson({ kind: 'create_index', collection: name, body: { field_name, field_schema: schema } })
    }
    yield restoreLine(name, collection, [])
    for (const point of collection.matching()) yield restoreLine(name, collection, [point])
  }
}

/** Applies a line of `changeLine` or `stateLines`. @throws Error on any other line */
export function applyLine(engine: Engine, line: string): void {
  const { kind, collection, body } = readRecord(parseJson(line, LINE_DEPTH), 'line')
  const name = readString(collection, 'collection')
  if (kind === 'restore') restore(engine.collection(name), body)
  else engine.apply({ kind: readString(kind, 'kind'), collection: name, body })
}

function restoreLine(name: string, collection: Collection, points: readonly Point[]): string {
  const packed = points.map(point => {
    const vectors = [...collection.vectors].map(([name, store]) => [name, packVector(store.get(point.id))])
    return { ...point, vectors: Object.fromEntries(vectors) }
  })
  return printJson({ kind: 'restore', collection: name, body: { next: collection.nextOperation, points: packed } })
}

function restore(collection: Collection, body: unknown): void {
  const { next, points } = readRecord(body, 'body')
  for (const item of readList(points, 'points')) {
    const { id, payload, version, vectors } = readRecord(item, 'point')
    const entries = Object.entries(readRecord(vectors, 'vectors'))
    collection.put(
      { id: readPointId(id), payload: readRecord(payload, 'payload'), version: readCount(version, 'version', 0) },
      new Map(entries.map(([name, vector]) => [name, unpackVector(vector)])),
    )
  }
  collection.nextOperation = readCount(next, 'next', 0)
}

/** Vectors are written in base64: less than half of their JSON, and much faster to print and read. */
function packVector(vector: Vector | undefined): unknown {
  if (vector === undefined) return undefined
  return isSparse(vector) ? [toBase64(vector.indices), toBase64(vector.values)] : toBase64(vector)
}

function unpackVector(value: unknown): Vector {
  if (!Array.isArray(value)) return new Float32Array(fromBase64(value))
  return { indices: new Uint32Array(fromBase64(value[0])), values: new Float32Array(fromBase64(value[1])) }
}

function toBase64(array: Float32Array | Uint32Array): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64')
}

/** The copy is aligned for a typed array. */
function fromBase64(text: unknown): ArrayBuffer {
  return new Uint8Array(Buffer.from(readString(text, 'vector'), 'base64')).buffer
}
