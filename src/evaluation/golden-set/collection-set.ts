import { groupBy } from '../../core/collections.ts'
import type { Chunk, JsonObject } from '../../core/types.ts'
import { shown } from '../../ingest/text-files.ts'
import type { CollectionReader } from './collection-reader.ts'
import { faultOfSpan, type GoldPassage, type GoldResolver } from './evidence.ts'
import type { GoldenFault } from './golden-findings.ts'
import { type ExaminedSet, type GoldenSet, hashOf, resolveGolds, withoutFaults } from './golden-set.ts'
import { joinedText, textAtOffsets, textBetween } from './joined-text.ts'
import { goldenFiles, readQueries } from './queries.ts'
import type { GoldRow } from './rows.ts'
import { normalizedPath } from './sections.ts'

/** A live collection, and who may ask it. */
export interface LiveCollection extends CollectionReader {
  /** Why a tenant cannot ask this collection; null when it can. */
  refusalOf(tenant: string): string | null
  /** The condition that every point meets which a tenant reads; null for none. */
  conditionOf(tenant: string): JsonObject | null
}

/**
 * Reads queries whose gold passages stand in a live collection; a corpus beside them is not read. The texts of the gold passages are read
 * from the collection.
 * @throws StowageError `bad_request` with all faults (see `readGoldenSet`), and errors of the server
 */
export async function readCollectionSet(path: string, live: LiveCollection): Promise<GoldenSet> {
  return withoutFaults(path, await examineCollectionSet(path, live))
}

/** The same, with the faults beside the set. */
export async function examineCollectionSet(path: string, live: LiveCollection): Promise<ExaminedSet> {
  const faults: GoldenFault[] = []
  const files = goldenFiles(path)
  const rows = await readQueries(files, faults)
  for (const { place, row } of rows) {
    const refusal = row.tenant === null ? null : live.refusalOf(row.tenant)
    if (refusal !== null)
      faults.push({ code: 'nothing_passes', place, text: `tenant: ${refusal}, got ${shown(row.tenant)}` })
  }
  const golds = rows.flatMap(({ row }) => row.gold)
  const documents = await live.documents(golds.flatMap(({ doc_id }) => doc_id ?? []))
  const queries = resolveGolds(rows, await collectionResolver(golds, documents, live), faults)
  const { collection } = live
  const hash = hashOf([collection, queries])
  const liveTexts = textsAtOffsets(documents)
  return {
    set: { name: files.name, documents: [], liveTexts, queries, collection, corpusHash: '', hash },
    rows,
    faults,
  }
}

/** The texts that the offsets of their chunks tell, by id. */
function textsAtOffsets(documents: ReadonlyMap<string, readonly Chunk[]>): Map<string, string> {
  const texts = new Map<string, string>()
  for (const [docId, chunks] of documents) {
    const text = textAtOffsets(chunks)
    if (text !== null) texts.set(docId, text)
  }
  return texts
}

/** Reads the points that the gold rows name, and creates a resolver for them. @param documents that they name */
async function collectionResolver(
  golds: readonly GoldRow[],
  documents: ReadonlyMap<string, readonly Chunk[]>,
  reader: CollectionReader,
): Promise<GoldResolver> {
  const points = await reader.points(golds.flatMap(({ point_id }) => point_id ?? []))
  const inCollection = `in the collection ${reader.collection}`
  return gold => {
    const { doc_id: docId, point_id: ids, text, grade = 1 } = gold
    if (docId !== undefined) {
      const chunks = documents.get(docId)
      if (!chunks) return `doc_id: no document ${shown(docId)} ${inCollection}`
      return documentPassage(gold, docId, chunks)
    }
    if (ids === undefined) return { kind: 'text', text: text ?? '', place: null, grade }
    const missing = ids.filter(id => !points.has(String(id)))
    if (missing.length > 0) return `point_id: no point ${missing.map(shown).join(', ')} ${inCollection}`
    const found = ids.flatMap(id => points.get(String(id)) ?? [])
    const texts = found.map(chunk => chunk.text).filter(part => part.trim() !== '')
    if (texts.length === 0) return `point_id: no text under a known field in ${ids.map(shown).join(', ')}; set MAPPINGS`
    return { kind: 'points', text: texts.join('\n\n'), place: null, grade }
  }
}

/** A whole document, a section or a span of it, put together from its chunks. */
function documentPassage(gold: GoldRow, docId: string, chunks: readonly Chunk[]): GoldPassage | string {
  const { section_path: path, start, end, grade = 1 } = gold
  const fault = faultOfSpan(start, end)
  if (fault !== null) return fault
  if (start !== undefined && end !== undefined) {
    const text = textBetween(chunks, start, end)
    if (text === null)
      return `start: the chunks of ${shown(docId)} have no char_start and char_end; give section_path, point_id or text`
    if (text.trim() === '') return `no text between ${start} and ${end} of ${shown(docId)}`
    return { kind: 'span', text, place: { docId, start, end }, grade }
  }
  const among = path === undefined ? chunks : chunksOfSection(chunks, path)
  if (typeof among === 'string') return `section_path: ${among} ${shown(path)} in ${shown(docId)}`
  const text = joinedText(among)
  if (text.trim() === '') return `doc_id: no text under a known field in ${shown(docId)}; set MAPPINGS`
  const starts = among.flatMap(({ charStart }) => charStart ?? [])
  const from = starts.length === among.length ? Math.min(...starts) : 0
  const to = Math.max(from + text.length, ...among.flatMap(({ charEnd }) => charEnd ?? []))
  return { kind: path === undefined ? 'document' : 'section', text, place: { docId, start: from, end: to }, grade }
}

/** The chunks at a path and below it; what is wrong when there are none, or when it is not clear which. */
function chunksOfSection(chunks: readonly Chunk[], path: string): Chunk[] | string {
  const wanted = normalizedPath(path)
  const isBelow = (found: string) => found === wanted || found.startsWith(`${wanted} > `)
  const exact = chunks.filter(({ sectionPath }) => isBelow(normalizedPath(sectionPath)))
  if (exact.length > 0) return exact
  // The title of the document may be left out.
  const titled = groupBy(
    chunks.filter(({ sectionPath }) => isBelow(normalizedPath(sectionPath).replace(/^.*? > /, ''))),
    ({ sectionPath }) => normalizedPath(sectionPath).split(' > ')[0],
  )
  const [first, ...others] = titled.values()
  if (first === undefined) return 'no section'
  return others.length === 0 ? first : `${titled.size} sections are named`
}
