import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { SourceDocument } from '../../ingest/source-document.ts'
import { fileId, listFiles } from '../../ingest/survey.ts'
import * as text from '../../ingest/text-files.ts'
import type { GoldenFault } from './golden-findings.ts'

/** A row with its place (`queries.jsonl:12`), which begins every fault found in it later. */
export interface PlacedRow<Row> {
  place: string
  row: Row
}

/** Reads the rows of a JSON-lines file that fit the schema; adds the faults of the others to `faults`. */
export async function readJsonLines<Schema extends z.ZodType>(
  path: string,
  name: string,
  schema: Schema,
  faults: GoldenFault[],
): Promise<PlacedRow<z.infer<Schema>>[]> {
  const rows: PlacedRow<z.infer<Schema>>[] = []
  for await (const parsed of text.readJsonLines(path, schema)) {
    const place = `${name}:${parsed.line}`
    if (parsed.isBroken) faults.push(unreadable(place, 'not valid UTF-8'))
    if (parsed.faults === null) rows.push({ place, row: parsed.row })
    else faults.push(...parsed.faults.map(fault => unreadable(place, fault)))
  }
  return rows
}

/**
 * Reads the markdown files below a folder, sorted by path. CRLF becomes LF and a byte order mark is left out, so that offsets are equal on
 * every checkout. `isShifted`: the file has such signs, so offsets that were counted in its own characters are others.
 */
export async function readMarkdownFolder(
  folder: string,
  name: string,
  faults: GoldenFault[],
): Promise<PlacedRow<SourceDocument & { isShifted: boolean }>[]> {
  const rows: PlacedRow<SourceDocument & { isShifted: boolean }>[] = []
  for (const path of await listFiles(folder, /\.md$/)) {
    const docId = fileId(folder, path)
    const place = `${name}/${docId}.md`
    const { text, isMarked } = await readUtf8(path, place, faults)
    const isShifted = isMarked || text.includes('\r\n')
    rows.push({ place, row: { docId, title: '', text: text.replaceAll('\r\n', '\n'), isShifted } })
  }
  return rows
}

/** One judgement of a BEIR qrels file. */
interface Judgement {
  place: string
  queryId: string
  docId: string
  grade: number
}

/** Reads the `*.tsv` files of a folder: `query-id corpus-id score`, or the four columns of TREC, after an optional header line. */
export async function readJudgements(folder: string, name: string, faults: GoldenFault[]): Promise<Judgement[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.tsv')).sort()
  if (files.length === 0) faults.push(unreadable(name, 'no .tsv file in this folder'))
  const judgements: Judgement[] = []
  for (const file of files) {
    const { text: content } = await readUtf8(join(folder, file), `${name}/${file}`, faults)
    for (const [index, line] of content.split(/\r?\n/).entries()) {
      if (line.trim() === '') continue
      const place = `${name}/${file}:${index + 1}`
      const columns = line.split('\t').map(column => column.trim())
      const [queryId, docId, grade] = columns.length === 4 ? [columns[0], columns[2], columns[3]] : columns
      if (queryId && docId && grade && /^-?\d+(\.\d+)?$/.test(grade))
        judgements.push({ place, queryId, docId, grade: Number(grade) })
      else if (index > 0)
        faults.push(
          unreadable(place, `expected query-id, corpus-id and a number between tabs, got ${text.shown(line)}`),
        )
    }
  }
  return judgements
}

async function readUtf8(
  path: string,
  place: string,
  faults: GoldenFault[],
): Promise<{ text: string; isMarked: boolean }> {
  const bytes = await readFile(path)
  const decoded = text.decodeUtf8(bytes)
  if (decoded.isBroken) faults.push(unreadable(place, 'not valid UTF-8'))
  return { text: decoded.text, isMarked: bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) }
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

function unreadable(place: string, text: string): GoldenFault {
  return { code: 'unreadable', place, text }
}
