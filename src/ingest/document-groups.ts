import type { SkippedDocument, SourceDocument, SourceEntry } from './source-document.ts'

/** What a source holds. */
export interface FoundDocuments {
  /** Where each document stands, by its id; '' when that is not known. Skipped documents count. */
  places: Map<string, string>
  /** The size of what was read, skipped and repeated documents included. */
  bytes: number
  /** What the ids of the documents in unreadable folders begin with. */
  unreadFolders: string[]
}

/** Documents are compared with the collection in groups of at most this many UTF-16 code units, or one document. */
const LARGEST_GROUP = 1_000_000

/** Yields groups of documents with different ids; adds what is there to `found`, what is skipped and the warnings to `summary`. */
export async function* readGroups(
  entries: AsyncIterable<SourceEntry> | Iterable<SourceEntry>,
  largest: number,
  found: FoundDocuments,
  summary: { skipped: Record<string, number>; warnings: string[] },
): AsyncIterable<SourceDocument[]> {
  let group: SourceDocument[] = []
  let length = 0
  for await (const entry of entries) {
    if (entry.warning) summary.warnings.push(entry.warning)
    if ('idsBegin' in entry) found.unreadFolders.push(entry.idsBegin)
    else {
      found.bytes += bytesOf(entry)
      if (isRepeated(entry, found, summary.warnings)) continue
    }
    if ('skipped' in entry) {
      summary.skipped[entry.skipped] = (summary.skipped[entry.skipped] ?? 0) + 1
      continue
    }
    group.push(entry)
    length += entry.text.length
    if (group.length < largest && length < LARGEST_GROUP) continue
    yield group
    group = []
    length = 0
  }
  if (group.length > 0) yield group
}

/** The size of a document in the source; without it, the length of its text. */
export function bytesOf(document: SourceDocument | SkippedDocument): number {
  return document.bytes ?? ('text' in document ? document.text.length : 0)
}

/** Whether the id of a document occurred before, which is a warning; notes its place otherwise. */
function isRepeated(
  document: SourceDocument | SkippedDocument,
  { places }: FoundDocuments,
  warnings: string[],
): boolean {
  const { docId } = document
  const place = 'text' in document ? (document.place ?? '') : ''
  const earlier = places.get(docId)
  if (earlier === undefined) {
    places.set(docId, place)
    return false
  }
  const both = earlier === '' ? '' : ` (${earlier} and ${place})`
  warnings.push(`document ${docId} occurs more than once${both}: only the first one is ingested`)
  return true
}
