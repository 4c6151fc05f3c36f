import type { ContextWriter } from '../contexts/context.ts'
import { isOfVersion } from '../contexts/context-stamp.ts'
import { getOrInsert } from '../core/collections.ts'
import { folderMark, type PointScope, type PreparedPoint } from './points.ts'
import type { SourceDocument } from './source-document.ts'
import type { DocumentMark, StoredPoint } from './target.ts'

/** The stored points of each document, by the id of the point. */
type StoredDocuments = ReadonlyMap<string, ReadonlyMap<string, StoredPoint>>

export function groupByDocument(points: ReadonlyMap<string, StoredPoint>): StoredDocuments {
  const documents = new Map<string, Map<string, StoredPoint>>()
  for (const [id, point] of points) getOrInsert(documents, point.docId, () => new Map()).set(id, point)
  return documents
}

/** The chunks and the parents among the stored points of a document, each by the id of the point. */
export function byKind(points: ReadonlyMap<string, StoredPoint> = new Map()): {
  chunks: Map<string, StoredPoint>
  parents: Map<string, StoredPoint>
} {
  const all = [...points]
  return {
    chunks: new Map(all.filter(([, { isParent }]) => !isParent)),
    parents: new Map(all.filter(([, { isParent }]) => isParent)),
  }
}

/** The contexts that chunks are meant to have: those of a writer, none (null), or what they have (undefined). */
type WantedContexts = Pick<ContextWriter, 'version'> | null | undefined

function hasWantedContext({ contextVersion }: StoredPoint, wanted: WantedContexts): boolean {
  if (wanted === undefined) return true
  return wanted === null ? contextVersion === null : isOfVersion(contextVersion, wanted.version)
}

/**
 * The mark of a stored document when it says that the document is complete and has this hash, and all chunks have the wanted contexts;
 * null otherwise.
 */
export function upToDate(
  hash: string,
  stored: ReadonlyMap<string, StoredPoint> | undefined,
  wanted: WantedContexts,
): DocumentMark | null {
  const points = [...(stored?.values() ?? [])]
  const mark = points.find(point => point.document !== null)?.document
  const isComplete = mark?.hash === hash && mark.chunks === points.length
  return isComplete && points.every(point => hasWantedContext(point, wanted)) ? mark : null
}

/**
 * Points to write and ids to delete. The first chunk of a document is written last, because its mark says that the document is
 * complete; it is written whenever the mark has changed.
 */
export function changesOf(
  points: readonly PreparedPoint[],
  mark: DocumentMark,
  stored: ReadonlyMap<string, StoredPoint> = new Map(),
  wanted?: WantedContexts,
): { changed: PreparedPoint[]; stale: string[] } {
  const current = new Set(points.map(point => point.id))
  const stale = [...stored.keys()].filter(id => !current.has(id))
  const [first, ...rest] = points
  const isCurrent = ({ id, payload }: PreparedPoint): boolean => {
    const before = stored.get(id)
    return before?.contentHash === payload.content_hash && hasWantedContext(before, wanted)
  }
  const changed = rest.filter(point => !isCurrent(point))
  if (first === undefined) return { changed, stale }
  const before = stored.get(first.id)
  const isMarked = before?.document?.hash === mark.hash && before.document.chunks === mark.chunks
  if (!isMarked || !isCurrent(first)) changed.push(first)
  return { changed, stale }
}

/** The warning that a document replaces one of another source, or of another folder without a name; null when it does not. */
export function replacementOf(
  { docId, place }: SourceDocument,
  stored: ReadonlyMap<string, StoredPoint>,
  scope: PointScope,
): string | null {
  const ours = scope.source ?? folderMark(scope)
  const other = [...stored.values()].find(({ source, sourceFolder }) => {
    const theirs = source ?? sourceFolder
    return ours !== null && theirs !== null && ours !== theirs
  })
  if (other === undefined) return null
  const origin = other.source === null ? 'another folder' : `the source ${other.source}`
  return (
    `document ${docId} of ${origin} ("${other.title}") was replaced by ${place ?? 'a document with the same id'}; ` +
    'to keep both, give each folder its own --source'
  )
}
