import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import { INTENTS, type Intent, type JsonObject } from '../../core/types.ts'
import { beirId, documentRow, type SourceDocument } from '../../ingest/read-documents.ts'
import { shown } from '../../ingest/text-files.ts'
import { sha256 } from '../../text/fingerprint.ts'
import { type GoldPassage, goldResolver, goldRow } from './evidence.ts'
import { type PlacedRow, readJsonLines, readJudgements, readMarkdownFolder } from './files.ts'
import { sectionsOf } from './sections.ts'

export interface GoldenQuery {
  id: string
  query: string
  /** The tenant that asks; null asks as in open mode. */
  tenant: string | null
  /** A filter in Qdrant's shape; null for none. */
  filter: JsonObject | null
  /** The half of the set that the query belongs to; null lets a hash of its id decide. */
  split: 'train' | 'test' | null
  intent: Intent | null
  grade: string | null
  answer: string | null
  goldPassages: GoldPassage[]
}

export interface GoldenSet {
  name: string
  documents: SourceDocument[]
  queries: GoldenQuery[]
  /** SHA-256 of the documents. An ingested copy depends on it. */
  corpusHash: string
  /** SHA-256 of documents, queries and gold passages. Figures depend on it. */
  hash: string
}

const SHOWN_FAULTS = 20

const queryRow = z.object({
  id: z.string().min(1),
  query: z.string().trim().min(1),
  tenant: z.string().min(1).nullable().default(null),
  filter: z.record(z.string(), z.json()).nullable().default(null),
  split: z.enum(['train', 'test']).nullable().default(null),
  intent: z.enum(INTENTS).nullable().default(null),
  grade: z.union([z.string(), z.number()]).transform(String).nullable().default(null),
  answer: z.string().nullable().default(null),
  gold: z.array(goldRow).min(1),
})
const beirQueryRow = z.object({ _id: beirId, text: z.string().trim().min(1) })

/**
 * Reads a golden set: `queries.jsonl` next to `corpus.jsonl` or a folder `corpus` of markdown, or a BEIR folder with `qrels/*.tsv`.
 * BEIR queries without a positive judgement are skipped.
 * @throws StowageError `bad_request` with the first 20 faults in the message and all in `details`; each has file, line, field, value
 */
export async function readGoldenSet(path: string): Promise<GoldenSet> {
  const faults: string[] = []
  const isBeir = existsSync(join(path, 'qrels'))
  const documents = await readDocuments(path, isBeir, faults)
  const file = existing(path, 'queries.jsonl')
  const rows = isBeir
    ? await readBeirQueries(path, file, faults)
    : await readJsonLines(file, 'queries.jsonl', queryRow, faults)

  const byId = uniqueById(documents, row => row.docId, 'doc_id', faults)
  uniqueById(rows, row => row.id, 'id', faults)
  const passageOf = goldResolver(byId)
  const queries = rows.map(({ place, row: { gold, ...query } }) => {
    const resolved = gold.map(passageOf)
    for (const [index, passage] of resolved.entries())
      if (typeof passage === 'string') faults.push(`${place}: gold.${index}: ${passage}`)
    return { ...query, goldPassages: resolved.filter(passage => typeof passage !== 'string') }
  })
  if (documents.length === 0) faults.push('corpus: holds no documents')
  if (queries.length === 0) faults.push('queries.jsonl: holds no queries with gold passages')
  if (faults.length > 0) throw faultyError(path, faults)

  const titled = documents.map(({ row: { docId, title, text } }) => ({
    docId,
    title: title || (sectionsOf(text)[0]?.path ?? docId),
    text,
  }))
  const corpusHash = hashOf(titled)
  const hash = hashOf([corpusHash, queries])
  return { name: basename(resolve(path)), documents: titled, queries, corpusHash, hash }
}

async function readDocuments(path: string, isBeir: boolean, faults: string[]): Promise<PlacedRow<SourceDocument>[]> {
  const name = isBeir || existsSync(join(path, 'corpus.jsonl')) ? 'corpus.jsonl' : 'corpus'
  const source = existing(path, name)
  return name === 'corpus' ? readMarkdownFolder(source, name, faults) : readJsonLines(source, name, documentRow, faults)
}

async function readBeirQueries(
  path: string,
  file: string,
  faults: string[],
): Promise<PlacedRow<z.infer<typeof queryRow>>[]> {
  const rows = await readJsonLines(file, 'queries.jsonl', beirQueryRow, faults)
  const known = new Set(rows.map(({ row }) => row._id))
  const positive = new Map<string, Map<string, number>>()
  for (const { place, queryId, docId, grade } of await readJudgements(join(path, 'qrels'), 'qrels', faults)) {
    if (!known.has(queryId)) faults.push(`${place}: query-id: unknown query ${shown(queryId)}`)
    if (grade > 0) positive.set(queryId, (positive.get(queryId) ?? new Map()).set(docId, grade))
  }
  return rows.flatMap(({ place, row: { _id: id, text: query } }) => {
    const gold = Array.from(positive.get(id) ?? [], ([doc_id, grade]) => ({ doc_id, grade }))
    return gold.length === 0 ? [] : [{ place, row: queryRow.parse({ id, query, gold }) }]
  })
}

function uniqueById<Row>(
  rows: PlacedRow<Row>[],
  idOf: (row: Row) => string,
  field: string,
  faults: string[],
): Map<string, Row> {
  const first = new Map<string, PlacedRow<Row>>()
  for (const placed of rows) {
    const id = idOf(placed.row)
    const other = first.get(id)
    if (other) faults.push(`${placed.place}: ${field}: ${shown(id)} is already used at ${other.place}`)
    else first.set(id, placed)
  }
  return new Map(Array.from(first, ([id, { row }]) => [id, row]))
}

function faultyError(path: string, faults: string[]): StowageError {
  const more = faults.length > SHOWN_FAULTS ? `\n  … and ${faults.length - SHOWN_FAULTS} more` : ''
  const list = faults.slice(0, SHOWN_FAULTS).join('\n  ')
  const message = `golden set ${path}: ${faults.length} fault(s)\n  ${list}${more}`
  return new StowageError('bad_request', message, { details: faults })
}

function existing(folder: string, name: string): string {
  const path = join(folder, name)
  if (existsSync(path)) return path
  const layout = 'queries.jsonl next to corpus.jsonl or corpus/*.md, or a BEIR folder with qrels/*.tsv'
  throw new StowageError('bad_request', `golden set ${folder}: ${name} is missing (a set is ${layout})`)
}

function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value))
}
