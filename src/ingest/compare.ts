import type { PreparedPoint } from './points.ts'
import type { DocumentMark, StoredPoint } from './target.ts'

/** The stored points of each document, by the id of the point. */
export type StoredDocuments = ReadonlyMap<string, ReadonlyMap<string, StoredPoint>>

export function groupByDocument(points: ReadonlyMap<string, StoredPoint>): StoredDocuments {
  const documents = new Map<string, Map<string, StoredPoint>>()
  for (const [id, point] of points) {
    const own = documents.get(point.docId) ?? new Map<string, StoredPoint>()
    documents.set(point.docId, own.set(id, point))
  }
  return documents
}

/** The mark of a stored document when it says that the document is complete and has this hash; null otherwise. */
export function upToDate(hash: string, stored: ReadonlyMap<string, StoredPoint> | undefined): DocumentMark | null {
  const points = [...(stored?.values() ?? [])]
  const mark = points.find(point => point.document !== null)?.document
  return mark?.hash === hash && mark.chunks === points.length ? mark : null
}

/**
 * Points to write and ids to delete. The first chunk of a document is written last, because its mark says that the document is
 * complete; it is written whenever the mark has changed.
 */
export function changesOf(
  points: readonly PreparedPoint[],
  mark: DocumentMark,
  stored: ReadonlyMap<string, StoredPoint> = new Map(),
): { changed: PreparedPoint[]; stale: string[] } {
  const current = new Set(points.map(point => point.id))
  const stale = [...stored.keys()].filter(id => !current.has(id))
  const [first, ...rest] = points
  const changed = rest.filter(({ id, payload }) => stored.get(id)?.contentHash !== payload.content_hash)
  if (first === undefined) return { changed, stale }
  const before = stored.get(first.id)
  const isMarked = before?.document?.hash === mark.hash && before.document.chunks === mark.chunks
  if (!isMarked || before.contentHash !== first.payload.content_hash) changed.push(first)
  return { changed, stale }
}
