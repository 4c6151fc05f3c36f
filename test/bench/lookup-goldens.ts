import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { DEFAULT_SEED, seededRandom } from '../../src/statistics/seeded-random.ts'
import { cellsOf, isDelimiterRow } from '../../src/text/sentences/table-row.ts'

/*
 * Writes golden sets whose questions look up a row of a table by its first cell: `npx tsx test/bench/lookup-goldens.ts TARGET SET…`. The documents are those of the sets.
 * Of each table of six rows or more, up to four rows are asked for whose first cell begins no other row of the set; the gold passage is the row.
 */
const [target, ...sets] = process.argv.slice(2)
if (target === undefined || sets.length === 0) {
  console.error('usage: npx tsx test/bench/lookup-goldens.ts TARGET SET…')
  process.exit(2)
}

const FEWEST_ROWS = 6
const MOST_OF_TABLE = 4
const FEWEST_QUESTIONS = 8
const LONGEST_KEY = 50

interface Row {
  docId: string
  start: number
  end: number
  /** The texts of its cells, without the marks of Markdown. */
  cells: string[]
}

interface TableOfSet {
  title: string
  names: string[]
  rows: Row[]
}

const plain = (row: string) => cellsOf(row).map(cell => cell.replace(/[*`\\]/g, '').trim())

function tablesOf({ docId, title, text }: SourceDocument): TableOfSet[] {
  const lines = [...text.matchAll(/[^\n]*\n|[^\n]+$/g)].map(([line], at, all) => ({
    line,
    start: all[at]?.index ?? 0,
  }))
  return lines.flatMap(({ line }, at): TableOfSet[] => {
    const names = lines[at - 1]?.line ?? ''
    if (!isDelimiterRow(line) || !names.includes('|')) return []
    const after = lines.slice(at + 1)
    const end = after.findIndex(row => !row.line.includes('|'))
    const rows = after.slice(0, end < 0 ? undefined : end).map(row => ({
      docId,
      start: row.start,
      end: row.start + row.line.trimEnd().length,
      cells: plain(row.line),
    }))
    return [{ title, names: plain(names), rows }]
  })
}

for (const folder of sets) {
  const { name, documents } = await readGoldenSet(folder)
  const random = seededRandom(DEFAULT_SEED)
  const tables = documents.flatMap(tablesOf)
  const uses = new Map<string, number>()
  for (const { rows } of tables)
    for (const { cells } of rows) uses.set(cells[0] ?? '', (uses.get(cells[0] ?? '') ?? 0) + 1)
  const asked = tables.flatMap(({ title, names, rows }) => {
    const unique = rows.filter(({ cells: [key = ''] }) => isKey(key) && uses.get(key) === 1)
    if (rows.length < FEWEST_ROWS || names.length < 2) return []
    const drawn = unique.map(row => ({ row, at: random() })).sort((a, b) => a.at - b.at)
    return drawn.slice(0, MOST_OF_TABLE).flatMap(({ row }, at) => {
      const column = names[1 + Math.floor(random() * (names.length - 1))]
      return column ? [{ row, query: questionOf(at, row.cells[0] ?? '', column, title) }] : []
    })
  })
  if (asked.length < FEWEST_QUESTIONS) {
    console.log(`${name}: ${asked.length} questions, left out`)
    continue
  }
  await mkdir(join(target, name), { recursive: true })
  const queries = asked.map(({ query, row: { docId, start, end } }, at) => {
    return { id: `row-${at}`, query, gold: [{ doc_id: docId, start, end }] }
  })
  const corpus = documents.map(({ docId, title, text }) => ({ doc_id: docId, title, text }))
  for (const [file, rows] of Object.entries({ queries, corpus }))
    await writeFile(join(target, name, `${file}.jsonl`), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  console.log(`${join(target, name)}: ${queries.length} questions`)
}

function isKey(cell: string): boolean {
  return cell.length > 1 && cell.length <= LONGEST_KEY && /\p{L}|\p{N}/u.test(cell)
}

function questionOf(at: number, key: string, column: string, title: string): string {
  const forms = [
    `${column} of ${key}`,
    `What is the ${column.toLowerCase()} for ${key}?`,
    `${key} ${column.toLowerCase()}`,
    `${title}: ${key}, ${column}?`,
  ]
  return forms[at % forms.length] ?? key
}
