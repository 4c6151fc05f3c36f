import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { z } from 'zod'
import { decodeUtf8 } from '../../ingest/decode-text.ts'

/** Collects what is wrong with a set, so that one run shows all of it. */
export class Faults {
  readonly texts: string[] = []

  add(place: string, text: string): void {
    this.texts.push(`${place}: ${text}`)
  }
}

/** A row that fits its schema, with the place (`queries.jsonl:12`) that later faults name. */
export interface PlacedRow<Row> {
  place: string
  row: Row
}

/** A value as a fault shows it: JSON, at most 80 characters. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** The file as UTF-8 text without its byte order mark; null, and a fault, when it is not UTF-8. */
async function readUtf8(path: string, name: string, faults: Faults): Promise<string | null> {
  const { text, isBroken } = decodeUtf8(await readFile(path))
  if (isBroken) faults.add(name, 'not valid UTF-8')
  return isBroken ? null : text
}

/** Rows of a JSON-lines file that fit `schema`; blank lines are passed over, lines may end in CRLF. */
export async function readJsonLines<Schema extends z.ZodType>(
  path: string,
  name: string,
  schema: Schema,
  faults: Faults,
): Promise<PlacedRow<z.infer<Schema>>[]> {
  const text = await readUtf8(path, name, faults)
  const rows: PlacedRow<z.infer<Schema>>[] = []
  for (const [index, line] of (text ?? '').split('\n').entries()) {
    if (line.trim() === '') continue
    const place = `${name}:${index + 1}`
    const value = parseLine(line, place, faults)
    if (value === undefined) continue
    const checked = schema.safeParse(value)
    if (checked.success) rows.push({ place, row: checked.data })
    else for (const issue of checked.error.issues) faults.add(place, describeIssue(issue, value))
  }
  return rows
}

function parseLine(line: string, place: string, faults: Faults): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    faults.add(place, `not JSON (${error instanceof Error ? error.message : String(error)}): ${shown(line.trim())}`)
    return undefined
  }
}

function describeIssue(issue: z.core.$ZodIssue, value: unknown): string {
  const path = issue.path.map(String)
  const found = path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
  return `${path.join('.') || 'row'}: ${issue.message}, got ${shown(found)}`
}

/**
 * The markdown files under a folder, sorted by id. The id is the path without `.md`, with `/` between folders.
 * CRLF is read as LF, so that offsets mean the same on every checkout.
 */
export async function readMarkdownFolder(
  folder: string,
  name: string,
  faults: Faults,
): Promise<PlacedRow<{ doc_id: string; title: string; text: string }>[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
  const rows: PlacedRow<{ doc_id: string; title: string; text: string }>[] = []
  for (const path of paths) {
    const place = `${name}/${path}`
    const text = (await readUtf8(join(folder, path), place, faults))?.replaceAll('\r\n', '\n')
    if (text === undefined) continue
    const doc_id = path.slice(0, -'.md'.length)
    rows.push({ place, row: { doc_id, title: '', text } })
  }
  return rows
}

/** One judgement of a BEIR qrels file. */
export interface Judgement {
  place: string
  queryId: string
  docId: string
  grade: number
}

/** All judgements of the `*.tsv` files in a folder (`query-id  corpus-id  score`, or TREC's four columns); a header line may lead. */
export async function readJudgements(folder: string, name: string, faults: Faults): Promise<Judgement[]> {
  const files = (await readdir(folder)).filter(file => file.endsWith('.tsv')).sort()
  if (files.length === 0) faults.add(name, 'no .tsv file in this folder')
  const judgements: Judgement[] = []
  for (const file of files) {
    const text = await readUtf8(join(folder, file), `${name}/${file}`, faults)
    for (const [index, line] of (text ?? '').split(/\r?\n/).entries()) {
      if (line.trim() === '') continue
      const place = `${name}/${file}:${index + 1}`
      const columns = line.split('\t').map(column => column.trim())
      const [queryId, docId, grade] = columns.length === 4 ? [columns[0], columns[2], columns[3]] : columns
      if (!queryId || !docId || !grade || !/^-?\d+(\.\d+)?$/.test(grade)) {
        if (index > 0)
          faults.add(place, `want query-id, corpus-id and a numeric score between tabs, got ${shown(line)}`)
        continue
      }
      judgements.push({ place, queryId, docId, grade: Number(grade) })
    }
  }
  return judgements
}
