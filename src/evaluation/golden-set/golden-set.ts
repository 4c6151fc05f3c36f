import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { badRequest } from '../../core/errors.ts'
import type { Intent, JsonObject } from '../../core/types.ts'
import { documentRow } from '../../ingest/read-documents.ts'
import type { SourceDocument } from '../../ingest/source-document.ts'
import { shown } from '../../ingest/text-files.ts'
import { printJson } from '../../qdrant/json.ts'
import { sha256 } from '../../text/fingerprint.ts'
import { GoldFinder } from '../metrics/common-runs.ts'
import { sharesByText } from '../metrics/context.ts'
import { type GoldPassage, type GoldResolver, goldResolver } from './evidence.ts'
import { type PlacedRow, readJsonLines, readMarkdownFolder } from './files.ts'
import type { GoldenFault } from './golden-findings.ts'
import { type EmptyGold, existing, type GoldenFiles, goldenFiles, readQueries, uniqueById } from './queries.ts'
import type { GoldRow, QueryRow } from './rows.ts'
import { sectionsOf } from './sections.ts'
import type { Split } from './split.ts'

/** Marked text that shares less with what stands in its place now is another text. */
const LEAST_SHARED = 0.5

export interface GoldenQuery {
  id: string
  query: string
  /** The tenant that asks; null asks as in open mode. */
  tenant: string | null
  /** A filter in Qdrant's shape; null for none. */
  filter: JsonObject | null
  /** The half of the set that the query belongs to; null lets a hash of its id decide. */
  split: Split | null
  intent: Intent | null
  grade: string | null
  answer: string | null
  goldPassages: GoldPassage[]
}

export interface GoldenSet {
  name: string
  /** Empty for a set whose gold passages stand in a live collection. */
  documents: SourceDocument[]
  /** Of a live collection: the documents with gold passages by id, as far as the offsets of their chunks tell their texts. */
  liveTexts?: ReadonlyMap<string, string>
  queries: GoldenQuery[]
  /** Spans without `text` in files with CRLF or a byte order mark: nobody can tell whether their offsets count these. */
  unsureSpans?: readonly UnsureSpan[]
  /** Judgements of a BEIR folder that are left out. */
  emptyGolds?: readonly EmptyGold[]
  /** The live collection to ask; absent when the documents are to be ingested. */
  collection?: string
  /** SHA-256 of the documents. An ingested copy depends on it. */
  corpusHash: string
  /** SHA-256 of documents, queries and gold passages. Figures depend on it. */
  hash: string
}

/** A span, by the place of its query and its number there. */
interface UnsureSpan {
  place: string
  gold: number
}

/** A golden set with what is wrong with it. Queries keep the gold passages that exist. */
export interface ExaminedSet {
  set: GoldenSet
  /** The queries as they are written, with their places; in the order of `set.queries`. */
  rows: PlacedRow<QueryRow>[]
  faults: GoldenFault[]
}

/**
 * Reads a golden set: `queries.jsonl` next to `corpus.jsonl` or a folder `corpus` of markdown, or a BEIR folder with `qrels/*.tsv`.
 * BEIR queries without a positive judgement are skipped.
 * @throws StowageError `bad_request` with the first 20 faults in the message and all in `details`; each has file, line, field, value
 */
export async function readGoldenSet(path: string): Promise<GoldenSet> {
  return withoutFaults(path, await examineGoldenSet(path))
}

/** Reads a golden set with its faults. @throws StowageError `bad_request` when a file is missing */
export async function examineGoldenSet(path: string): Promise<ExaminedSet> {
  const faults: GoldenFault[] = []
  const files = goldenFiles(path)
  const documents = await readDocuments(files, faults)
  const emptyGolds: EmptyGold[] = []
  const emptyIds = documents.flatMap(({ row: { docId, text } }) => (text.trim() === '' ? docId : []))
  const rows = await readQueries(files, faults, { ids: new Set(emptyIds), golds: emptyGolds })
  const byId = uniqueById(documents, row => row.docId, 'doc_id', faults)
  if (documents.length === 0) faults.push({ code: 'unreadable', place: 'corpus', text: 'holds no documents' })
  const titled = documents.map(({ row: { docId, title, text } }) => ({
    docId,
    title: title || (sectionsOf(text)[0]?.path ?? docId),
    text,
  }))
  const queries = resolveGolds(rows, goldResolver(byId), faults)
  const unsureSpans = unsureSpansOf(rows, new Set(documents.flatMap(({ row }) => (row.isShifted ? row.docId : []))))
  const corpusHash = hashOf(titled)
  const hash = hashOf([corpusHash, queries])
  return {
    set: { name: files.name, documents: titled, queries, unsureSpans, emptyGolds, corpusHash, hash },
    rows,
    faults,
  }
}

const SHOWN_FAULTS = 20

/**
 * The set, when nothing is wrong with it.
 * @throws StowageError `bad_request` with its faults
 */
export function withoutFaults(path: string, { set, faults }: ExaminedSet): GoldenSet {
  refuseFaults(path, faults)
  return set
}

/** @throws StowageError `bad_request` with the first 20 faults in the message, and all of them in `details` */
export function refuseFaults(path: string, faults: readonly GoldenFault[]): void {
  if (faults.length === 0) return
  const lines = faults.map(({ place, text }) => `${place}: ${text}`)
  const more = lines.length > SHOWN_FAULTS ? `\n  … and ${lines.length - SHOWN_FAULTS} more` : ''
  const list = lines.slice(0, SHOWN_FAULTS).join('\n  ')
  throw badRequest(`golden set ${path}: ${lines.length} fault(s)\n  ${list}${more}`, { details: lines })
}

/** The texts of the documents that are known, by id. */
export function textsOf({ documents, liveTexts }: GoldenSet): ReadonlyMap<string, string> {
  return liveTexts ?? new Map(documents.map(({ docId, text }) => [docId, text]))
}

/** Takes at most `most` queries at even distances, because neighbouring queries of a set are often about one document. */
export function spread(queries: readonly GoldenQuery[], most: number): GoldenQuery[] {
  const size = Math.min(most, queries.length)
  return Array.from({ length: size }, (_, at) => queries[Math.floor((at * queries.length) / size)] as GoldenQuery)
}

/** The queries with the gold passages that exist; the others become faults. */
export function resolveGolds(
  rows: readonly PlacedRow<QueryRow>[],
  passageOf: GoldResolver,
  faults: GoldenFault[],
): GoldenQuery[] {
  return rows.map(({ place, row: { gold, ...query } }) => {
    const resolved = gold.map(row => unchanged(row, passageOf(row)))
    for (const [index, passage] of resolved.entries())
      if (typeof passage === 'string') faults.push({ code: 'gold_missing', place, text: `gold.${index}: ${passage}` })
    return { ...query, goldPassages: resolved.filter(passage => typeof passage !== 'string') }
  })
}

function unsureSpansOf(rows: readonly PlacedRow<QueryRow>[], shifted: ReadonlySet<string>): UnsureSpan[] {
  return rows.flatMap(({ place, row }) =>
    row.gold.flatMap(({ doc_id: docId, start, text }, gold) =>
      start !== undefined && text === undefined && docId !== undefined && shifted.has(docId) ? [{ place, gold }] : [],
    ),
  )
}

/** A passage under whose id another text stands now is not the one that was marked. */
function unchanged({ text }: GoldRow, passage: GoldPassage | string): GoldPassage | string {
  if (text === undefined || typeof passage === 'string' || passage.kind === 'text') return passage
  return sharedText(text, passage.text) < LEAST_SHARED
    ? `text: another text stands there now than ${shown(text)}: ${shown(passage.text)}`
    : passage
}

/** Share of the words of one text that the other has too, in runs of five; of the two shares the larger. */
function sharedText(left: string, right: string): number {
  const common = (text: string, other: string) => {
    const [share = 0] = sharesByText(new GoldFinder([text]).in(other).golds)
    return share
  }
  return Math.max(common(left, right), common(right, left))
}

async function readDocuments(
  { path, folder, isBeir }: GoldenFiles,
  faults: GoldenFault[],
): Promise<PlacedRow<SourceDocument & { isShifted?: boolean }>[]> {
  const name = isBeir || existsSync(join(folder, 'corpus.jsonl')) ? 'corpus.jsonl' : 'corpus'
  const source = existing(folder, name, path)
  return name === 'corpus' ? readMarkdownFolder(source, name, faults) : readJsonLines(source, name, documentRow, faults)
}

/** SHA-256 of a JSON value, with integers beyond 2^53. */
export function hashOf(value: unknown): string {
  return sha256(printJson(value))
}
