import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import { INTENTS, type Intent } from '../../core/types.ts'
import { sha256 } from '../../text/fingerprint.ts'
import { type GoldPassage, GoldResolver, goldRow } from './evidence.ts'
import { Faults, type PlacedRow, readJsonLines, readJudgements, readMarkdownFolder, shown } from './files.ts'
import { firstHeading } from './sections.ts'

export interface GoldenDocument {
  docId: string
  title: string
  text: string
}

export interface GoldenQuery {
  id: string
  query: string
  intent: Intent | null
  grade: string | null
  answer: string | null
  goldPassages: GoldPassage[]
}

export interface GoldenSet {
  name: string
  documents: GoldenDocument[]
  queries: GoldenQuery[]
  /** SHA-256 of the documents: what an ingested copy depends on. */
  corpusHash: string
  /** SHA-256 of documents, queries and gold passages: what a figure depends on. */
  hash: string
}

const SHOWN_FAULTS = 20
const id = z.string().min(1)
const beirId = z.union([id, z.number()]).transform(String)

const documentRow = z.object({ doc_id: id, title: z.string().default(''), text: z.string() })
const beirDocumentRow = z
  .object({ _id: beirId, title: z.string().default(''), text: z.string() })
  .transform(({ _id, title, text }) => ({ doc_id: _id, title, text }))

const queryRow = z.object({
  id,
  query: z.string().trim().min(1),
  intent: z.enum(INTENTS).optional(),
  grade: z.union([z.string(), z.number()]).transform(String).optional(),
  gold: z.array(goldRow).min(1),
  answer: z.string().optional(),
})
const beirQueryRow = z.object({ _id: beirId, text: z.string().trim().min(1) })

type DocumentRow = z.infer<typeof documentRow>
type QueryRow = z.infer<typeof queryRow>

/**
 * Reads a golden set: `queries.jsonl` beside `corpus.jsonl` or a `corpus/` folder of markdown, or a BEIR folder
 * (`corpus.jsonl`, `queries.jsonl`, `qrels/*.tsv`; queries without a positive judgement are left out).
 * Throws one `bad_request` that shows the first 20 faults, each with file, line, field and value, and carries them all in `details`.
 */
export async function readGoldenSet(path: string): Promise<GoldenSet> {
  const faults = new Faults()
  const isBeir = await isThere(join(path, 'qrels'))
  const documents = await readDocuments(path, isBeir, faults)
  const queries = isBeir
    ? await readBeirQueries(path, faults)
    : await readJsonLines(await existing(path, 'queries.jsonl'), 'queries.jsonl', queryRow, faults)

  const byId = uniqueById(documents, row => row.doc_id, 'doc_id', faults)
  uniqueById(queries, row => row.id, 'id', faults)
  const resolver = new GoldResolver(byId, faults)
  const resolved = queries.map(({ place, row }) => ({
    id: row.id,
    query: row.query,
    intent: row.intent ?? null,
    grade: row.grade ?? null,
    answer: row.answer ?? null,
    goldPassages: row.gold.flatMap((gold, index) => resolver.resolve(gold, `${place}: gold.${index}`) ?? []),
  }))
  if (documents.length === 0) faults.add('corpus', 'holds no documents')
  if (queries.length === 0) faults.add('queries.jsonl', 'holds no queries with gold passages')
  refuse(path, faults)

  const goldenDocuments = documents.map(({ row }) => ({
    docId: row.doc_id,
    title: row.title || (firstHeading(row.text) ?? row.doc_id),
    text: row.text,
  }))
  const corpusHash = hashOf(goldenDocuments)
  return {
    name: basename(resolve(path)),
    documents: goldenDocuments,
    queries: resolved,
    corpusHash,
    // The old name is part of the hash: figures stay comparable with those of earlier reports.
    hash: hashOf([corpusHash, resolved.map(({ goldPassages: golds, ...query }) => ({ ...query, golds }))]),
  }
}

async function readDocuments(path: string, isBeir: boolean, faults: Faults): Promise<PlacedRow<DocumentRow>[]> {
  if (isBeir) return readJsonLines(await existing(path, 'corpus.jsonl'), 'corpus.jsonl', beirDocumentRow, faults)
  if (await isThere(join(path, 'corpus.jsonl')))
    return readJsonLines(join(path, 'corpus.jsonl'), 'corpus.jsonl', documentRow, faults)
  return readMarkdownFolder(await existing(path, 'corpus'), 'corpus', faults)
}

async function readBeirQueries(path: string, faults: Faults): Promise<PlacedRow<QueryRow>[]> {
  const file = await existing(path, 'queries.jsonl')
  const rows = await readJsonLines(file, 'queries.jsonl', beirQueryRow, faults)
  const judgements = await readJudgements(join(path, 'qrels'), 'qrels', faults)
  const known = new Set(rows.map(({ row }) => row._id))
  const positive = new Map<string, Set<string>>()
  for (const judgement of judgements) {
    if (!known.has(judgement.queryId))
      faults.add(judgement.place, `query-id: unknown query ${shown(judgement.queryId)}`)
    if (judgement.grade <= 0) continue
    positive.set(judgement.queryId, (positive.get(judgement.queryId) ?? new Set()).add(judgement.docId))
  }
  return rows.flatMap(({ place, row }) => {
    const gold = Array.from(positive.get(row._id) ?? [], doc_id => ({ doc_id }))
    return gold.length === 0 ? [] : [{ place, row: { id: row._id, query: row.text, gold } }]
  })
}

function uniqueById<Row>(
  rows: PlacedRow<Row>[],
  idOf: (row: Row) => string,
  field: string,
  faults: Faults,
): Map<string, Row> {
  const places = new Map<string, string>()
  const byId = new Map<string, Row>()
  for (const { place, row } of rows) {
    const first = places.get(idOf(row))
    if (first) {
      faults.add(place, `${field}: ${shown(idOf(row))} stands already at ${first}`)
      continue
    }
    places.set(idOf(row), place)
    byId.set(idOf(row), row)
  }
  return byId
}

function refuse(path: string, faults: Faults): void {
  const { texts } = faults
  if (texts.length === 0) return
  const more = texts.length > SHOWN_FAULTS ? `\n  … and ${texts.length - SHOWN_FAULTS} more` : ''
  const list = texts.slice(0, SHOWN_FAULTS).join('\n  ')
  throw new StowageError('bad_request', `golden set ${path}: ${texts.length} fault(s)\n  ${list}${more}`, {
    details: texts,
  })
}

async function existing(folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  if (await isThere(path)) return path
  const wants = 'queries.jsonl beside corpus.jsonl or corpus/*.md, or a BEIR folder with qrels/*.tsv'
  throw new StowageError('bad_request', `golden set ${folder}: ${name} is missing (a set is ${wants})`)
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

function hashOf(value: unknown): string {
  return sha256(JSON.stringify(value))
}
