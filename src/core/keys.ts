import type { PointId } from './types.ts'

/**
 * Keys for maps and sets. Different things have different keys whatever their names hold: names are written as a JSON
 * array, so that no quote or slash in one can look like the border between two.
 */

interface DocumentName {
  collection: string
  docId: string
}

/** A point, as `collection/id`: unique within a request, stable between requests. An id keeps no slash, so the last one is the border. */
export function pointKey({ collection, id }: { collection: string; id: PointId }): string {
  return `${collection}/${String(id).replace(/[%/]/g, encodeURIComponent)}`
}

/** A document: unique within a request. */
export function documentKey({ collection, docId }: DocumentName): string {
  return JSON.stringify([collection, docId])
}

/** A section: unique within a request, except that sections of one document with the same path share a key. */
export function sectionKey({ collection, docId, sectionPath }: DocumentName & { sectionPath: string }): string {
  return JSON.stringify([collection, docId, sectionPath])
}

/** A place in a document: unique within a request. Chunks of one document whose place is unknown (null) share a key. */
export function placeKey({ collection, docId, orderIndex }: DocumentName & { orderIndex: number | null }): string {
  return JSON.stringify([collection, docId, orderIndex])
}
