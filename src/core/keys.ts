import type { PointId } from './types.ts'

/** Keys for maps and sets. Several names are joined as a JSON array, so that no character in a name can act as a separator. */

interface DocumentName {
  collection: string
  docId: string
}

/** Key of a point: `collection/id`. Slashes in the id are percent-encoded, so the last slash separates the two. */
export function pointKey({ collection, id }: { collection: string; id: PointId }): string {
  return `${collection}/${String(id).replace(/[%/]/g, encodeURIComponent)}`
}

/** Key of the point of a chunk's parent; null without one. */
export function parentKey({ collection, parentId }: { collection: string; parentId?: PointId }): string | null {
  return parentId === undefined ? null : pointKey({ collection, id: parentId })
}

export function documentKey({ collection, docId }: DocumentName): string {
  return JSON.stringify([collection, docId])
}

/** Key of a section. Sections of one document with the same path share a key. */
export function sectionKey({ collection, docId, sectionPath }: DocumentName & { sectionPath: string }): string {
  return JSON.stringify([collection, docId, sectionPath])
}

/** Key of a place in a document. Chunks of one document without a place (null) share a key. */
export function placeKey({ collection, docId, orderIndex }: DocumentName & { orderIndex: number | null }): string {
  return JSON.stringify([collection, docId, orderIndex])
}
