import { shownNumber } from '../../../text/printable.ts'
import { type Converted, tooLarge, warningOf } from '../converted.ts'
import { decodeText } from '../decode-text.ts'
import { enclosed } from '../enclosed.ts'
import { cellText, markdownTable } from '../markdown.ts'
import { findTable, type Table } from './head-row.ts'
import { parseRows } from './parse-rows.ts'
import { rowSections } from './row-sections.ts'

/** The text of a file, at most, in UTF-16 code units: chunks of a larger one take more memory than Node has by default. */
const MOST_TEXT = 16 * 2 ** 20
/** A table with longer rows or more columns becomes sections. The length is the mean of the rows in UTF-16 code units. */
const LONGEST_ROW = 200
const MOST_COLUMNS = 12
/** More rows without words are data, such as those of an instrument, which answer no question. `NA` is no word. */
const MOST_WORDLESS = 1_000
const LEAST_WORDED = 0.05
const WORD = /\p{L}{3}/u

/** Reads a CSV file, also one with other signs between its cells, as spreadsheets write them in some countries. */
export function readCsv(bytes: Uint8Array): Converted {
  return readDelimited(bytes, [',', ';', '\t', '|'])
}

export function readTsv(bytes: Uint8Array): Converted {
  return readDelimited(bytes, ['\t'])
}

/** Reads a table of delimited text, as a table of Markdown or with a section for each row. */
function readDelimited(bytes: Uint8Array, delimiters: readonly string[]): Converted {
  const decoded = decodeText(bytes)
  if ('fault' in decoded) return decoded
  const { rows, unquotedFrom } = parseRows(decoded.text, delimiters)
  if (rows.length === 0) return { fault: 'empty', reason: 'has no rows' }
  const table = findTable(rows)
  if (table.body.length === 0) return { fault: 'no rows', reason: 'has the names of columns and no rows' }
  if (isData(table))
    return {
      fault: 'only numbers',
      reason: `has ${shownNumber(table.body.length)} rows of numbers without words`,
    }
  const text = textOf(table)
  if (text === null) return tooLarge(`makes more than ${MOST_TEXT / 2 ** 20} MiB of text; divide it into several files`)
  const warning = warningOf([decoded.warning, quotationWarning(unquotedFrom)])
  return { title: null, text, lang: null, pages: null, headings: 'marked', warning }
}

function quotationWarning(line: number | null): string | null {
  return line === null ? null : `does not close a quotation mark of line ${line}; from there on they are text`
}

/** Whether a table is data for programs: it is long, and next to none of its rows has a word. */
function isData({ body }: Table): boolean {
  if (body.length <= MOST_WORDLESS) return false
  const withWords = body.filter(row => row.some(cell => WORD.test(cell)))
  return withWords.length < LEAST_WORDED * body.length
}

/** Null when the text is too long. */
function textOf(table: Table): string | null {
  const parts: string[] = []
  let length = 0
  for (const part of partsOf(table)) {
    parts.push(part)
    length += part.length
    if (length > MOST_TEXT) return null
  }
  return `${parts.join('\n\n')}\n`
}

function* partsOf(table: Table): Iterable<string> {
  for (const line of table.above) yield enclosed(line, { keepsHeadings: false })
  if (isNarrow(table)) yield tableOf(table)
  else yield* rowSections(table)
}

function isNarrow({ names, body }: Table): boolean {
  const length = body.reduce((sum, row) => row.reduce((inRow, cell) => inRow + cell.length, sum), 0)
  return names.length <= MOST_COLUMNS && length <= LONGEST_ROW * body.length
}

/** Rows with fewer cells than the head get empty ones. */
function tableOf({ names, body }: Table): string {
  const rows = body.map(row => [...row, ...names.slice(row.length).map(() => '')].map(cellText))
  return markdownTable(names.map(cellText), rows)
}
