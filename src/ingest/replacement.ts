import { folderMark, type PointScope } from './points.ts'
import type { SourceDocument } from './read-documents.ts'
import type { StoredPoint } from './target.ts'

/** The warning that a document replaces one of another source or folder; null when it does not. */
export function replacementOf(
  document: SourceDocument,
  stored: ReadonlyMap<string, StoredPoint>,
  scope: PointScope,
): string | null {
  const other = [...stored.values()].find(point => isFromElsewhere(point, scope))
  return other === undefined ? null : replacementWarning(document, other)
}

/** Whether a stored point says that it came from another source, or from another folder without a name. */
function isFromElsewhere({ source, sourceFolder }: StoredPoint, scope: PointScope): boolean {
  const ours = scope.source ?? folderMark(scope)
  const theirs = source ?? sourceFolder
  return ours !== null && theirs !== null && ours !== theirs
}

function replacementWarning({ docId, place }: SourceDocument, { source, title }: StoredPoint): string {
  const origin = source === null ? 'another folder' : `the source ${source}`
  return (
    `document ${docId} of ${origin} ("${title}") was replaced by ${place ?? 'a document with the same id'}; ` +
    'to keep both, give each folder its own --source'
  )
}
