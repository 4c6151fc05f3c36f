import { batchesOf } from '../core/collections.ts'
import { StowageError } from '../core/errors.ts'
import { groupByDocument } from './compare.ts'
import type { FoundDocuments } from './document-groups.ts'
import { type PointScope, sourceFilter } from './points.ts'
import type { CollectionWriter } from './target.ts'

/** Points that are deleted in one request. */
const MOST_DELETED = 1_000

/**
 * Deletes the documents of the source that are stored and were not read, within the tenant and space of `options`. A document that
 * was skipped counts as read, and so does every document below a folder that could not be read.
 * @param found `isEmpty` says that no document could be read, and that this is no reason to delete
 * @returns sorted ids of the documents, and the number of their chunks; with `dryRun` they stay
 * @throws StowageError `unprocessable` when `isEmpty` and there is something to delete
 */
export async function prune(
  source: string,
  writer: CollectionWriter,
  options: PointScope & { dryRun?: boolean },
  found: FoundDocuments & { isEmpty: boolean },
): Promise<{ documents: string[]; chunks: number }> {
  const stored = groupByDocument(await writer.stored(sourceFilter(source, options)))
  const isUnread = (docId: string): boolean => found.unreadFolders.some(begin => docId.startsWith(begin))
  const left = [...stored].filter(([docId]) => !found.places.has(docId) && !isUnread(docId))
  if (left.length > 0 && found.isEmpty) {
    throw new StowageError(
      'unprocessable',
      `no document was read, so the ${left.length} documents of the source ${source} are kept; --allow-empty deletes them`,
    )
  }
  const ids = left.flatMap(([, points]) => [...points.keys()])
  if (!options.dryRun) for (const batch of batchesOf(ids, MOST_DELETED)) await writer.remove(batch)
  const chunks = left.flatMap(([, points]) => [...points.values()]).filter(({ isParent }) => !isParent)
  return { documents: left.map(([docId]) => docId).sort(), chunks: chunks.length }
}
