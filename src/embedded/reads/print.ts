import type { PointId } from '../../core/types.ts'
import { only, parsePath, without } from '../filter/payload-path.ts'
import type { Pace } from '../pace.ts'
import type { Hit } from '../query/run.ts'
import type { Collection, Point } from '../storage/collection.ts'
import { float32 } from '../wire/json.ts'
import { isRecord, type JsonRecord, readList, readString } from '../wire/shape.ts'

/** Prints points with the payload and the vectors that a request asks for; by default with the payload only. */
export function pointPrinter(collection: Collection, request: JsonRecord): (point: Point) => JsonRecord {
  const select = readPayloadSelector(request.with_payload ?? true)
  const names = readVectorNames(request, [...collection.vectors.keys()])
  for (const name of names ?? []) collection.vectorStore(name)
  return ({ id, payload }) => ({
    id,
    payload: select(payload),
    vector: names === undefined ? undefined : printVectors(collection, id, names),
  })
}

/**
 * Prints hits; by default without payload. Without a query, Qdrant answers with version 0. A hit that was deleted while the request rested is
 * left out.
 */
export function hitPrinter(collection: Collection, request: JsonRecord, hasQuery: boolean): (hit: Hit) => JsonRecord[] {
  const print = pointPrinter(collection, { ...request, with_payload: request.with_payload ?? false })
  return ({ id, score }) => {
    const point = collection.get(id)
    if (point === undefined) return []
    return [{ id, version: hasQuery ? point.version : 0, score: float32(score), ...print(point) }]
  }
}

/** Prints hits one by one, resting between slices. */
export async function printEach<Item>(
  items: readonly Item[],
  print: (item: Item) => JsonRecord[],
  pace: Pace,
): Promise<JsonRecord[]> {
  const printed: JsonRecord[] = []
  for (const item of items) {
    if (pace.isDue()) await pace.rest()
    printed.push(...print(item))
  }
  return printed
}

/** A list for a single vector without a name, else an object by name. */
function printVectors(collection: Collection, id: PointId, names: readonly string[]): unknown {
  const vectors = collection.vectorsOf(id)
  const found = names.flatMap(name => {
    const vector = vectors.get(name)
    return vector === undefined ? [] : [[name, vector] as const]
  })
  const [first] = found
  return found.length === 1 && first?.[0] === '' ? first[1] : Object.fromEntries(found)
}

/** Returns the `payload` member of an answer; undefined leaves it out. */
type PayloadSelector = (payload: JsonRecord) => JsonRecord | undefined

/** Reads `with_payload`: boolean, list of keys, `{include}` or `{exclude}`. */
function readPayloadSelector(selection: unknown): PayloadSelector {
  if (typeof selection === 'boolean') return payload => (selection ? payload : undefined)
  if (isRecord(selection) && 'exclude' in selection) {
    const excluded = readPaths(selection.exclude)
    return payload => without(payload, excluded)
  }
  const included = readPaths(isRecord(selection) ? selection.include : selection)
  return payload => only(payload, included) as JsonRecord
}

/** Reads `with_vector` (alias `with_vectors`), a boolean or list of names. Undefined leaves the vectors out. */
function readVectorNames(body: JsonRecord, all: readonly string[]): readonly string[] | undefined {
  const selection = body.with_vector ?? body.with_vectors ?? false
  if (typeof selection === 'boolean') return selection ? all : undefined
  return readList(selection, 'with_vector').map(name => readString(name, 'with_vector'))
}

function readPaths(value: unknown) {
  return readList(value, 'with_payload').map(key => parsePath(readString(key, 'with_payload')))
}
