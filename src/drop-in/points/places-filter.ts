import { findDocumentField, findOrderField } from '../../qdrant/payload.ts'
import { kindOf, members } from '../../qdrant/raw-json.ts'
import type { PointSlice } from './point-slices.ts'

/** A chunk's place in its document, and a point that shows how its collection spells such places. */
export interface KnownPlace {
  orderIndex: number
  example: PointSlice
}

/** Path segments that need no quoting in Qdrant's key grammar. */
const PLAIN_PATH = /^[\w-]+(?:\.[\w-]+)*$/

/** A filter for the points at the given places, in the payload fields where the examples have theirs; null if they show none. */
export function placesFilter(places: readonly KnownPlace[]): string | null {
  const documents = new Map<string, number[]>()
  for (const { orderIndex, example } of places) {
    const prefix = documentCondition(example)
    if (prefix !== null) documents.set(prefix, [...(documents.get(prefix) ?? []), orderIndex])
  }
  const filters = [...documents].map(
    ([prefix, indexes]) => `{"must":[${prefix},"match":{"any":[${indexes.join(',')}]}}]}`,
  )
  return filters.length === 0 ? null : `{"should":[${filters.join(',')}]}`
}

/** Conditions on one document, up to the indexes that are wanted of it. */
function documentCondition({ payload, raw }: PointSlice): string | null {
  const documentPath = findDocumentField(payload)
  const indexPath = findOrderField(payload)
  if (documentPath === null || indexPath === null) return null
  if (!PLAIN_PATH.test(documentPath) || !PLAIN_PATH.test(indexPath)) return null
  const value = rawAt(raw.get('payload') ?? 'null', documentPath.split('.'))
  if (value === null || !/^(?:"|-?\d+$)/.test(value)) return null
  return `{"key":"${documentPath}","match":{"value":${value}}},{"key":"${indexPath}"`
}

function rawAt(raw: string, path: readonly string[]): string | null {
  const [key, ...rest] = path
  if (key === undefined) return raw
  const value = kindOf(raw) === 'object' ? members(raw).get(key) : undefined
  return value === undefined ? null : rawAt(value, rest)
}
