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
