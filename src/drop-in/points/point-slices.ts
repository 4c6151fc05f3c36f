import type { Steps } from '../../core/steps.ts'
import type { Chunk, PointId } from '../../core/types.ts'
import { printFloat32 } from '../../qdrant/float32.ts'
import { parseJson } from '../../qdrant/json.ts'
import { JsonReader } from '../../qdrant/json-reader.ts'
import { readPointId, readScore } from '../../qdrant/points.ts'
import { kindOf, members, RawJsonError } from '../../qdrant/raw-json.ts'
import { type PayloadSelector, selectPayload } from '../query/payload-selector.ts'

/** One point of Qdrant's answer. The raw members keep Qdrant's spelling. */
export interface PointSlice {
  /** The id as text: equal for equal ids of any size. */
  key: string
  id: PointId
  score: number
  payload: unknown
  /** What the payload says of the passage. */
  chunk: Chunk
  raw: ReadonlyMap<string, string>
}

/** Reads the payload of a point. */
export type ChunkOf = (point: { id: PointId; payload: unknown }) => Chunk

/** Reads the answer to `points/query/batch`. @throws RawJsonError or StowageError `upstream_error` on another shape */
export function* readBatchAnswer(
  body: string,
  chunkOf: ChunkOf,
): Steps<{ lists: PointSlice[][]; usage: string | null }> {
  const { value: lists, others } = yield* readWhole(body, function* (reader) {
    const found: PointSlice[][] = []
    for (const _ of reader.elements()) found.push(yield* readPoints(reader, chunkOf))
    return found
  })
  return { lists, usage: others.get('usage') ?? null }
}

/** Reads the answer to `points/query`. @throws RawJsonError or StowageError `upstream_error` on another shape */
export function* readQueryAnswer(body: string, chunkOf: ChunkOf): Steps<PointSlice[]> {
  return (yield* readWhole(body, reader => readPoints(reader, chunkOf))).value
}

/** Prints a point in Qdrant's format: its raw members with a new score and the selected payload keys. */
export function printPoint(point: PointSlice, score: number, selector: PayloadSelector): string {
  const parts: string[] = []
  for (const [key, raw] of point.raw) {
    const value = key === 'score' ? printFloat32(score) : key === 'payload' ? selectPayload(raw, selector) : raw
    if (value !== null) parts.push(`${JSON.stringify(key)}:${value}`)
  }
  return `{${parts.join(',')}}`
}

/** Whether a point was returned with its vectors, but without the one that `using` names. */
export function lacksVector(point: PointSlice, using: string | null): boolean {
  return (point.raw.get('vector') ?? 'null') !== 'null' && vectorOf(point, using) === null
}

/** The raw vector: the unnamed one, or the one that `using` names; null when the answer has none. Beside others, the unnamed one has the name ''. */
function vectorOf(point: PointSlice, using: string | null): string | null {
  const vector = point.raw.get('vector') ?? 'null'
  if (kindOf(vector) === 'array') return vector
  return kindOf(vector) === 'object' ? (members(vector).get(using === null ? '' : JSON.parse(using)) ?? null) : null
}

/** The dense vector of a point: the unnamed one, or the one that `using` names. Null when the point has none. */
export function denseVectorOf(point: PointSlice, using: string | null): Float32Array | null {
  const named = vectorOf(point, using)
  if (named === null || kindOf(named) !== 'array') return null
  const numbers: unknown[] = JSON.parse(named)
  return numbers.every(value => typeof value === 'number') ? Float32Array.from(numbers) : null
}

/** Reads Qdrant's envelope around a result. */
function* readWhole<Result>(
  body: string,
  readResult: (reader: JsonReader) => Steps<Result>,
): Steps<{ value: Result; others: Map<string, string> }> {
  const reader = new JsonReader(body, { deepest: Number.POSITIVE_INFINITY })
  const envelope = yield* readMember(reader, 'result', readResult)
  reader.end()
  return envelope
}

/** Reads an object with one long member. The others stay raw. */
function* readMember<Value>(
  reader: JsonReader,
  name: string,
  read: (reader: JsonReader) => Steps<Value>,
): Steps<{ value: Value; others: Map<string, string> }> {
  const found: Value[] = []
  const others = new Map<string, string>()
  for (const key of reader.members()) {
    if (key === name) found.push(yield* read(reader))
    else others.set(key, reader.take())
  }
  const [value] = found
  if (value === undefined) throw new RawJsonError(`no ${name}`)
  return { value, others }
}

function* readPoints(reader: JsonReader, chunkOf: ChunkOf): Steps<PointSlice[]> {
  const { value } = yield* readMember(reader, 'points', function* () {
    const points: PointSlice[] = []
    for (const _ of reader.elements()) {
      points.push(readPoint(reader, chunkOf))
      if (reader.isPauseDue()) yield
    }
    return points
  })
  return value
}

function readPoint(reader: JsonReader, chunkOf: ChunkOf): PointSlice {
  const raw = new Map<string, string>()
  for (const key of reader.members()) raw.set(key, reader.take())
  const id = readPointId(parseJson(raw.get('id') ?? 'null'))
  const score = readScore(parseJson(raw.get('score') ?? 'null'))
  const payload = parseJson(raw.get('payload') ?? 'null')
  return { key: String(id), id, score, payload, chunk: chunkOf({ id, payload }), raw }
}
