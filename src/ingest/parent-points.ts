import { batchesOf } from '../core/collections.ts'
import { contentHash } from '../text/fingerprint.ts'
import type { DocumentParent } from './chunking/parents.ts'
import { folderFields, given, type PointScope, parentId, scopeFields } from './points.ts'
import type { SourceDocument } from './source-document.ts'
import type { CollectionWriter, NewPoint, StoredPoint } from './target.ts'

/** Parents to write, and ids of parents to delete. */
export interface ChangedParents {
  changed: NewPoint[]
  stale: string[]
}

/** Compares the parents of a document with those that are stored. */
export function changedParentsOf(
  document: Pick<SourceDocument, 'docId' | 'title' | 'frontMatter'>,
  parents: readonly DocumentParent[],
  scope: PointScope,
  embedderVersion: string | null,
  stored: ReadonlyMap<string, StoredPoint>,
): ChangedParents {
  const points = parents.map((parent, place) => parentPoint(document, parent, place, scope, embedderVersion))
  const current = new Set(points.map(({ id }) => id))
  return {
    changed: points.filter(({ id, payload }) => stored.get(id)?.contentHash !== payload.content_hash),
    stale: [...stored.keys()].filter(id => !current.has(id)),
  }
}

export async function writeParents(
  points: readonly NewPoint[],
  writer: CollectionWriter,
  batchSize: number,
): Promise<void> {
  for (const batch of batchesOf(points, batchSize)) await writer.upsert(batch)
}

/**
 * A point without vectors, so that no search by a vector finds it. It has no `order_index`, so that it is no neighbour of a chunk, and
 * all fields that filters of tenants and requests usually ask for.
 */
function parentPoint(
  { docId, title, frontMatter }: Pick<SourceDocument, 'docId' | 'title' | 'frontMatter'>,
  parent: DocumentParent,
  place: number,
  scope: PointScope,
  embedderVersion: string | null,
): NewPoint {
  const payload = given({
    is_parent: true,
    doc_id: docId,
    doc_title: title,
    section_path: parent.sectionPath,
    char_start: parent.charStart,
    char_end: parent.charEnd,
    text: parent.text,
    front_matter: frontMatter,
    ...scopeFields(scope, embedderVersion),
  })
  return {
    id: parentId(docId, place, scope),
    dense: null,
    sparse: null,
    payload: { ...payload, ...folderFields(scope), content_hash: contentHash(JSON.stringify(payload)) },
  }
}
