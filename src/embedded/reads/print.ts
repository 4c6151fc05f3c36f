import type { PointId } from '../../core/types.ts'
import type { Pace } from '../pace.ts'
import type { Hit } from '../query/run.ts'
import type { Collection, Point } from '../storage/collection.ts'
import { float32 } from '../wire/json.ts'
import { readPayloadSelector, readVectorNames } from '../wire/selectors.ts'
import type { JsonRecord } from '../wire/shape.ts'

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
