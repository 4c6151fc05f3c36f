import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { getOrInsert } from '../../core/collections.ts'
import { badRequest } from '../../core/errors.ts'
import { beirId } from '../../ingest/read-documents.ts'
import { shown } from '../../ingest/text-files.ts'
import { type PlacedRow, readJsonLines, readJudgements } from './files.ts'
import type { GoldenFault } from './golden-findings.ts'
import { type QueryRow, queryRow } from './rows.ts'

const beirQueryRow = z.object({ _id: beirId, text: z.string().trim().min(1) })

export interface GoldenFiles {
  /** What the set is called: the name of its folder, or of the file with the queries. */
  name: string
  /** As it was given. */
  path: string
  /** Where `queries.jsonl` and the corpus stand. */
  folder: string
  queries: string
  isBeir: boolean
}

/** Finds the files of a folder with `queries.jsonl`, or of a `.jsonl` file with queries. @throws StowageError `bad_request` */
export function goldenFiles(path: string): GoldenFiles {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  const folder = isFile ? dirname(path) : path
  const queries = isFile ? path : existing(folder, 'queries.jsonl')
  const name = isFile && basename(path) !== 'queries.jsonl' ? basename(path, '.jsonl') : basename(resolve(folder))
  // A file with another name has nothing to do with the folder that it stands in.
  return {
    name,
    path,
    folder,
    queries,
    isBeir: basename(queries) === 'queries.jsonl' && existsSync(join(folder, 'qrels')),
  }
}

/** A positive judgement of a document without text, which no context can hold. */
export interface EmptyGold {
  place: string
  docId: string
}

/** Documents without text of a BEIR folder, and where the judgements of them are noted. */
interface EmptyDocuments {
  ids: ReadonlySet<string>
  golds: EmptyGold[]
}

/**
 * The queries of a set in the order of their file. Left out are judgements of empty documents in a BEIR folder, which such sets have, and queries that
 * have no other positive judgement.
 */
export async function readQueries(
  { folder, queries, isBeir }: GoldenFiles,
  faults: GoldenFault[],
  empty: EmptyDocuments = { ids: new Set(), golds: [] },
): Promise<PlacedRow<QueryRow>[]> {
  const name = basename(queries)
  const rows = isBeir
    ? await readBeirQueries(folder, queries, faults, empty)
    : await readJsonLines(queries, name, queryRow, faults)
  uniqueById(rows, row => row.id, 'id', faults)
  if (rows.length === 0) faults.push({ code: 'unreadable', place: name, text: 'holds no queries with gold passages' })
  return rows
}

async function readBeirQueries(
  folder: string,
  file: string,
  faults: GoldenFault[],
  empty: EmptyDocuments,
): Promise<PlacedRow<QueryRow>[]> {
  const rows = await readJsonLines(file, basename(file), beirQueryRow, faults)
  const known = new Set(rows.map(({ row }) => row._id))
  const graded = new Map<string, Map<string, number>>()
  for (const { place, queryId, docId, grade } of await readJudgements(join(folder, 'qrels'), 'qrels', faults)) {
    if (!known.has(queryId))
      faults.push({ code: 'unreadable', place, text: `query-id: unknown query ${shown(queryId)}` })
    if (empty.ids.has(docId)) {
      if (grade > 0) empty.golds.push({ place, docId })
      continue
    }
    getOrInsert(graded, queryId, () => new Map()).set(docId, grade)
  }
  return rows.flatMap(({ place, row: { _id: id, text: query } }) => {
    const gold = Array.from(graded.get(id) ?? [], ([doc_id, grade]) => ({ doc_id, grade })).filter(
      ({ grade }) => grade > 0,
    )
    return gold.length === 0 ? [] : [{ place, row: queryRow.parse({ id, query, gold }) }]
  })
}

/** The rows by id; of rows with one id, all but the first are faults. */
export function uniqueById<Row>(
  rows: readonly PlacedRow<Row>[],
  idOf: (row: Row) => string,
  field: string,
  faults: GoldenFault[],
): Map<string, Row> {
  const first = new Map<string, PlacedRow<Row>>()
  for (const placed of rows) {
    const id = idOf(placed.row)
    const other = first.get(id)
    if (other)
      faults.push({
        code: 'equal_ids',
        place: placed.place,
        text: `${field}: ${shown(id)} is already used at ${other.place}`,
      })
    else first.set(id, placed)
  }
  return new Map(Array.from(first, ([id, { row }]) => [id, row]))
}

/** The path of a file of a set. @param given how messages call the set @throws StowageError `bad_request` when it is missing */
export function existing(folder: string, name: string, given = folder): string {
  const path = join(folder, name)
  if (existsSync(path)) return path
  const layout =
    'queries.jsonl next to corpus.jsonl or corpus/*.md, or a BEIR folder with qrels/*.tsv, or queries.jsonl alone for a live --collection'
  throw badRequest(`golden set ${given}: ${name} is missing (a set is ${layout})`)
}
