import type { JsonObject } from '../core/types.ts'
import { isPlainPath } from './places-filter.ts'

/** Most points that a filter without an index may look through. */
const MOST_SCANNED = 20_000

type StoredType = 'string' | 'number'

/** A quick filter on documents: the payload path of the document id, and the types of stored ids that it matches. */
export interface DocumentFilter {
  key: string
  types: readonly StoredType[]
}

/**
 * How points of a collection are filtered by document; null when Qdrant would have to look through too many of them.
 * @param key path of the document id in the payload
 * @param indexes types of the payload indexes, by path
 */
export function documentFilter(
  key: string,
  { indexes, points }: { indexes: Readonly<Record<string, string>>; points: number },
): DocumentFilter | null {
  if (!isPlainPath(key)) return null
  const index = Object.hasOwn(indexes, key) ? indexes[key] : null
  if (index === 'keyword' || index === 'uuid') return { key, types: ['string'] }
  if (index === 'integer') return { key, types: ['number'] }
  return points <= MOST_SCANNED ? { key, types: ['string', 'number'] } : null
}

/** A document id is a text here, but may be an integer in the payload, which does not match a text. */
export function storedIds(docId: string): (string | number)[] {
  return /^(0|-?[1-9]\d{0,14})$/.test(docId) ? [docId, Number(docId)] : [docId]
}

/** Conditions for the points of documents, of which one must hold. */
export function documentConditions({ key, types }: DocumentFilter, ids: readonly string[]): JsonObject[] {
  const stored = ids.flatMap(storedIds)
  // Qdrant takes values of one type in a condition.
  return types.flatMap(type => {
    const any = stored.filter(id => typeof id === type)
    return any.length === 0 ? [] : [{ key, match: { any } }]
  })
}
