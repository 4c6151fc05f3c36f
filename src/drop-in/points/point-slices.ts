import type { PointId } from '../../core/types.ts'
import { printFloat32 } from '../../qdrant/float32.ts'
import { parseJson } from '../../qdrant/json.ts'
import { readPointId, readScore } from '../../qdrant/points.ts'
import { elements, kindOf, members } from '../../qdrant/raw-json.ts'
import { type PayloadSelector, selectPayload } from '../query/payload-selector.ts'

/** One point of Qdrant's answer. The raw members keep Qdrant's spelling. */
export interface PointSlice {
  /** The id as text: equal for equal ids of any size. */
  key: string
  id: PointId
  score: number
  payload: unknown
  raw: ReadonlyMap<string, string>
}

/** Reads the answer to `points/query/batch`. @throws RawJsonError or StowageError `upstream_error` on another shape */
export function readBatchAnswer(body: string): { lists: PointSlice[][]; usage: string | null } {
  const envelope = members(body)
  const lists = elements(envelope.get('result') ?? '').map(readPoints)
  return { lists, usage: envelope.get('usage') ?? null }
}

/** Reads the answer to `points/query`. @throws RawJsonError or StowageError `upstream_error` on another shape */
export function readQueryAnswer(body: string): PointSlice[] {
  return readPoints(members(body).get('result') ?? '')
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

/** The dense vector of a point: the unnamed one, or the one that `using` names. Null when the point has none. */
export function denseVectorOf(point: PointSlice, using: string | null): Float32Array | null {
  const vector = point.raw.get('vector') ?? 'null'
  const named = using !== null && kindOf(vector) === 'object' ? members(vector).get(JSON.parse(using)) : vector
  if (named === undefined || kindOf(named) !== 'array') return null
  const numbers: unknown[] = JSON.parse(named)
  return numbers.every(value => typeof value === 'number') ? Float32Array.from(numbers) : null
}

function readPoints(rawResult: string): PointSlice[] {
  return elements(members(rawResult).get('points') ?? '').map(readPoint)
}

function readPoint(rawPoint: string): PointSlice {
  const raw = members(rawPoint)
  const id = readPointId(parseJson(raw.get('id') ?? 'null'))
  const score = readScore(parseJson(raw.get('score') ?? 'null'))
  return { key: String(id), id, score, payload: parseJson(raw.get('payload') ?? 'null'), raw }
}
