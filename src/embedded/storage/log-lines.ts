import type { Engine } from '../engine.ts'
import { parseJson, printJson } from '../wire/json.ts'
import { readPointId } from '../wire/point-id.ts'
import { readCount, readRecord, readString } from '../wire/shape.ts'
import { readVector, type Vector } from '../wire/vector.ts'
import type { Collection } from './collection.ts'

/** A line holds a request body, which may itself be nested as deep as Qdrant accepts. */
const LINE_DEPTH = 256

/** The whole state as lines that `applyLine` reads back in order. */
export function* stateLines(engine: Engine): Generator<string> {
  for (const [name, collection] of engine.collections) {
    const line = (kind: string, body: unknown) => printJson({ kind, collection: name, body })
    yield line('create_collection', collection.config)
    for (const [field_name, { schema }] of collection.indexes) {
      yield line('create_index', { field_name, field_schema: schema })
    }
    for (const point of collection.matching()) {
      const vectors = [...collection.vectors].map(([name, store]) => [name, packVector(store.get(point.id))])
      yield line('restore_point', { ...point, vectors: Object.fromEntries(vectors) })
    }
    yield line('restore_next_operation', collection.nextOperation)
  }
}

/** Applies a change or a line of `stateLines`. @throws Error when the line is neither */
export function applyLine(engine: Engine, line: string): void {
  const { kind, collection, body } = readRecord(parseJson(line, LINE_DEPTH), 'line')
  const name = readString(collection, 'collection')
  if (kind === 'restore_point') restorePoint(engine.collection(name), body)
  else if (kind === 'restore_next_operation') engine.collection(name).nextOperation = readCount(body, kind, 0)
  else engine.apply({ kind: readString(kind, 'kind'), collection: name, body })
}

function restorePoint(collection: Collection, body: unknown): void {
  const { id, payload, version, vectors } = readRecord(body, 'point')
  const entries = Object.entries(readRecord(vectors, 'vectors'))
  collection.put(
    { id: readPointId(id), payload: readRecord(payload, 'payload'), version: readCount(version, 'version', 0) },
    new Map(entries.map(([name, vector]) => [name, unpackVector(vector)])),
  )
}

/** Dense vectors are written in base64: less than half of their JSON, and much faster to print and read. */
function packVector(vector: Vector | undefined): unknown {
  if (!(vector instanceof Float32Array)) return vector
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

function unpackVector(value: unknown): Vector {
  if (typeof value !== 'string') return readVector(value, 'document')
  return new Float32Array(new Uint8Array(Buffer.from(value, 'base64')).buffer)
}
