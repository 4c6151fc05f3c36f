import { creatingBody } from '../aliases.ts'
import type { Change, Engine } from '../engine.ts'
import { parseJson, printJson } from '../wire/json.ts'
import { readPointId } from '../wire/point-id.ts'
import { readCount, readList, readRecord, readString } from '../wire/shape.ts'
import { isSparse, type Vector } from '../wire/vector.ts'
import type { Collection, Point } from './collection.ts'

/** Levels of nesting in a line: a payload as deep as a request, below a payload key as long as one may be, and the line around it. */
const LINE_DEPTH = 400

/** A point with its vectors by name. */
export interface WholePoint {
  point: Point
  vectors: ReadonlyMap<string, Vector>
}

/** A change as a line. */
export const changeLine = (change: Change): string => printJson(change)

/** Whole points as a line, which is smaller and faster to read than the request that brought them. `next` is the number of the next write. */
export function restoreLine(collection: string, next: number, points: readonly WholePoint[]): string {
  const packed = points.map(({ point, vectors }) => ({
    ...point,
    vectors: Object.fromEntries([...vectors].map(([name, vector]) => [name, packVector(vector)])),
  }))
  return printJson({ kind: 'restore', collection, body: { next, points: packed } })
}

/** The whole state as lines. */
export function* stateLines(engine: Engine): Generator<string> {
  for (const [name, collection] of engine.collections) {
    yield changeLine({ kind: 'create_collection', collection: name, body: collection.config })
    for (const [field_name, { schema }] of collection.indexes) {
      yield changeLine({ kind: 'create_index', collection: name, body: { field_name, field_schema: schema } })
    }
    yield restoreLine(name, collection.nextOperation, [])
    for (const point of collection.inOrder()) {
      yield restoreLine(name, collection.nextOperation, [{ point, vectors: collection.vectorsOf(point.id) }])
    }
  }
  yield changeLine({ kind: 'update_aliases', collection: '', body: creatingBody(engine.aliases) })
}

/** Applies a line of `changeLine`, `restoreLine` or `stateLines`. @throws Error on any other line, and then nothing is changed */
export async function applyLine(engine: Engine, line: string): Promise<void> {
  const { kind, collection, body } = readRecord(parseJson(line, LINE_DEPTH, Number.POSITIVE_INFINITY), 'line')
  const name = readString(collection, 'collection')
  if (kind === 'restore') restore(engine.collection(name), body)
  else await engine.apply({ kind: readString(kind, 'kind'), collection: name, body })
}

function restore(collection: Collection, body: unknown): void {
  const { next, points } = readRecord(body, 'body')
  const nextOperation = readCount(next, 'next', 0)
  const whole = readList(points, 'points').map(item => {
    const { id, payload, version, vectors } = readRecord(item, 'point')
    const point = {
      id: readPointId(id),
      payload: readRecord(payload, 'payload'),
      version: readCount(version, 'version', 0),
    }
    return { point, vectors: readVectors(collection, vectors) }
  })
  for (const { point, vectors } of whole) collection.put(point, vectors)
  collection.nextOperation = nextOperation
}

function readVectors(collection: Collection, value: unknown): Map<string, Vector> {
  const vectors = new Map<string, Vector>()
  for (const [name, packed] of Object.entries(readRecord(value, 'vectors'))) {
    const vector = unpackVector(packed)
    collection.vectorStore(name).check(vector)
    vectors.set(name, vector)
  }
  return vectors
}

/** Vectors are written in base64: less than half of their JSON, and much faster to print and read. */
function packVector(vector: Vector): unknown {
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
