import type { JsonObject } from '../core/types.ts'

/** The place of a chunk in its document, under the field names of its collection. */
export interface PayloadPlace {
  /** Path into the payload. */
  documentField: string
  /** The document id as stored. Qdrant matches strings and integers only. */
  document: unknown
  /** Path into the payload. */
  orderField: string
  orderIndex: number
}

/** Points that are asked for each place: a document can be indexed more than once, and an index that begins anew on each page shows in the texts at one place. */
const POINTS_PER_PLACE = 3
/** More points are asked only for as many places. Qdrant in strict mode can refuse large limits. */
const MOST_FOR_COPIES = 100

/** The limit of a search for the points at some places. */
export function limitForPlaces(places: number): number {
  return Math.max(places, Math.min(POINTS_PER_PLACE * places, MOST_FOR_COPIES))
}

/** Paths that need no quotes in a Qdrant filter. */
const PLAIN_PATH = /^[\w-]+(?:\.[\w-]+)*$/

/** Whether a path can stand in a filter as it is. */
export const isPlainPath = (path: string): boolean => PLAIN_PATH.test(path)

/** A filter for the points at the given places; null when Qdrant can match none of them. */
export function placesFilter(places: readonly PayloadPlace[]): JsonObject | null {
  const indexesOf = new Map<string, number[]>()
  const should: JsonObject[] = []
  for (const { documentField, orderField, document, orderIndex } of places) {
    if (!isMatchable(document) || !isPlainPath(documentField) || !isPlainPath(orderField)) continue
    const key = [documentField, orderField, typeof document, document].join('\n')
    const any = indexesOf.get(key) ?? []
    if (any.push(orderIndex) > 1) continue
    indexesOf.set(key, any)
    should.push({
      must: [
        { key: documentField, match: { value: document } },
        { key: orderField, match: { any } },
      ],
    })
  }
  return should.length === 0 ? null : { should }
}

/** Whether Qdrant can match a value of a payload. */
export function isMatchable(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'bigint' || Number.isInteger(value)
}
