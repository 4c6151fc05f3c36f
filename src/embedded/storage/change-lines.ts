import type { PointId } from '../../core/types.ts'
import type { Change, Engine } from '../engine.ts'
import { upsertedIds } from '../updates.ts'
import { parseJson, printJson } from '../wire/json.ts'
import { readPointId } from '../wire/point-id.ts'
import { type JsonRecord, readCount, readList, readRecord, readString } from '../wire/shape.ts'
import { isSparse, type VectorInput } from '../wire/vector-input.ts'
import type { Collection } from './collection.ts'

/** Points of one line of a snapshot: enough to keep lines few, small enough to keep strings short. */
const POINTS_PER_LINE = 256

/** A line wraps a request body, which may itself be as deep as Qdrant allows. */
const LINE_DEPTH = 256

/**
 * A change that has been made, as one line of the log. Upserts are written as the points they left behind, vectors in
 * base64: a quarter of their JSON, and no text is encoded twice.
 */
export function changeLine(engine: Engine, change: Change): string {
  if (change.kind !== 'upsert') return printJson(change)
  return restoreLine(engine, change.collection, upsertedIds(change.body))
}

/** The whole state as lines that `applyLine` reads back in order. */
export function* stateLines(engine: Engine): Generator<string> {
  for (const name of engine.names()) {
    const collection = engine.collection(name)
    yield printJson({ kind: 'create_collection', collection: name, body: collection.config.body })
    for (const [field_name, field_schema] of collection.indexes) {
      yield printJson({ kind: 'create_index', collection: name, body: { field_name, field_schema } })
    }
    const ids = collection.sortedIds()
    for (let from = 0; from === 0 || from < ids.length; from += POINTS_PER_LINE) {
      yield restoreLine(engine, name, ids.slice(from, from + POINTS_PER_LINE))
    }
  }
}

/** Reads one line back into the engine. @throws Error when the line is not what this file writes. */
export function applyLine(engine: Engine, line: string): void {
  const { kind, collection, body } = readRecord(parseJson(line, LINE_DEPTH), 'line')
  const change = { kind: readString(kind, 'kind'), collection: readString(collection, 'collection'), body }
  if (change.kind === 'restore') restore(engine.collection(change.collection), readRecord(body, 'body'))
  else engine.change(change)
}

function restoreLine(engine: Engine, name: string, ids: readonly PointId[]): string {
  const collection = engine.collection(name)
  const points = ids.flatMap(id => {
    const row = collection.rowOf(id)
    return row === undefined ? [] : [storedForm(collection, id, row)]
  })
  return printJson({ kind: 'restore', collection: name, body: { next: collection.nextOperation, points } })
}

function storedForm(collection: Collection, id: PointId, row: number): JsonRecord {
  const names = [...collection.dense.keys(), ...collection.sparse.keys()]
  const vectors = names.flatMap(name => {
    const vector = collection.vectorOf(row, name)
    return vector === undefined ? [] : [[name, encodeVector(vector)] as const]
  })
  const version = collection.versionOf(row)
  return { id, version, vectors: Object.fromEntries(vectors), payload: collection.payloadOf(row) }
}

function restore(collection: Collection, body: JsonRecord): void {
  for (const item of readList(body.points, 'points')) {
    const point = readRecord(item, 'point')
    const vectors = Object.entries(readRecord(point.vectors, 'vectors'))
    const stored = {
      id: readPointId(point.id),
      vectors: new Map(vectors.map(([name, vector]) => [name, decodeVector(vector)])),
      payload: readRecord(point.payload, 'payload'),
    }
    collection.put(stored, readCount(point.version, 'version', 0))
  }
  collection.nextOperation = readCount(body.next, 'next', 0)
}

function encodeVector(vector: VectorInput): unknown {
  return isSparse(vector) ? [toBase64(vector.indices), toBase64(vector.values)] : toBase64(vector)
}

function decodeVector(value: unknown): VectorInput {
  if (typeof value === 'string') return new Float32Array(fromBase64(value))
  const [indices, values] = readList(value, 'vector').map(part => fromBase64(readString(part, 'vector')))
  return { indices: new Uint32Array(indices ?? []), values: new Float32Array(values ?? []) }
}

function toBase64(array: Float32Array | Uint32Array): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64')
}

/** A buffer of its own, aligned for the typed array to come. */
function fromBase64(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text, 'base64')).buffer
}
