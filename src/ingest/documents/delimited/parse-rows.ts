import { type CsvError, type InfoRecord, type Options, parse } from 'csv-parse/sync'
import { countOf } from '../../../core/collections.ts'

/** What is read of a file to find out what parts its cells. */
const SAMPLE_LENGTH = 65_536
const SAMPLE_ROWS = 200

/**
 * Reads delimited text (RFC 4180). A quotation mark inside a cell without quotation marks is text, and rows may differ in length.
 *
 * @param delimiters what may part cells; the one is taken with which most rows have the same number of cells
 * @returns the rows with text, each with the texts of its cells without the spaces around them, and the line, counted from 1, from which
 * quotation marks are text, because one there is never closed; null when all are closed
 */
export function parseRows(text: string, delimiters: readonly string[]) {
  const delimiter = delimiterOf(text, delimiters)
  const read = readRows(text, { delimiter })
  if (read.rest === null) return { rows: tidy(read.rows), unquotedFrom: null }
  const { rows } = readRows(read.rest, { delimiter, quote: false })
  return { rows: tidy([...read.rows, ...rows]), unquotedFrom: read.lines + 1 }
}

function tidy(rows: readonly string[][]): string[][] {
  return rows.map(row => row.map(cell => cell.trim())).filter(row => row.some(cell => cell !== ''))
}

function delimiterOf(text: string, delimiters: readonly string[]): string {
  const sample = text.slice(0, SAMPLE_LENGTH)
  const scored = delimiters.map(delimiter => {
    const { rows, rest } = readRows(sample, { delimiter, to: SAMPLE_ROWS })
    // The last row of a sample may be cut.
    const isCut = rest === null && sample.length < text.length && rows.length < SAMPLE_ROWS
    const whole = tidy(isCut ? rows.slice(0, -1) : rows)
    const columns = usualColumns(whole)
    const share = whole.filter(({ length }) => length === columns).length / Math.max(1, whole.length)
    return columns > 1 ? { delimiter, columns, share } : { delimiter, columns: 0, share: 0 }
  })
  const [first] = scored.toSorted((a, b) => b.share - a.share || b.columns - a.columns)
  return first?.delimiter ?? ','
}

/** The number of cells that most rows have; of equally frequent ones the largest; 0 without rows. */
export function usualColumns(rows: readonly (readonly string[])[]): number {
  const counts = countOf(rows.map(({ length }) => length))
  const [usual] = [...counts].toSorted(([a, countA], [b, countB]) => countB - countA || b - a)
  return usual?.[0] ?? 0
}

/** @returns the rows, the number of their lines, and the text from the row on whose quotation mark is never closed; null when all are closed */
function readRows(text: string, options: Options) {
  const rows: string[][] = []
  let lines = 0
  let bytes = 0
  const onRecord = (row: string[], info: InfoRecord): null => {
    rows.push(row)
    lines = info.lines
    bytes = info.bytes
    return null
  }
  try {
    parse(text, {
      ...{ ltrim: true, record_delimiter: '\n', relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
      ...options,
      on_record: onRecord,
    } as Options)
    return { rows, lines, rest: null }
  } catch (error) {
    if ((error as CsvError).code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    return { rows, lines, rest: Buffer.from(text).subarray(bytes).toString() }
  }
}
