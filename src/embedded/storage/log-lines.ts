import { printJson } from '../wire/json.ts'
import { readPointId } from '../wire/point-id.ts'
import { readCount, readList, readRecord, readString } from '../wire/shape.ts'
import { isSparse, type Vector } from '../wire/vector.ts'
import type { Collection, Point } from './collection.ts'

/** One write, as it is asked for and logged. `kind` is `create_collection`, `delete_collection`, or an operation of `points/batch`. */
export interface Change {
  kind: string
  collection: string
  body: unknown
}

/** A point with its vectors by name. */
export interface WholePoint {
  point: Point
  vectors: ReadonlyMap<string, Vector>
}

export const changeLine = (change: Change): string => printJson(change)

/** Whole points as a line, which is smaller and faster to read than the request that brought them. `next` is the number of the next write. */
export function restoreLine(collection: string, next: number, points: readonly WholePoint[]): string {
  const packed = points.map(({ point, vectors }) => ({
    ...point,
    vectors: Object.fromEntries([...vectors].map(([name, vector]) => [name, packVector(vector)])),
  }))
  return printJson({ kind: 'restore', collection, body: { next, points: packed } })
}

/** Puts the points of a line of `restoreLine` into a collection. @throws Error on any other body, and then nothing is changed */
export function restorePoints(collection: Collection, body: unknown): void {
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
