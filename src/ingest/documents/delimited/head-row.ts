import { usualColumns } from './parse-rows.ts'

export interface Table {
  /** Lines above the names of the columns, such as the title of a report. */
  above: string[]
  /** The names of the columns; empty texts for columns without one. */
  names: string[]
  /** The rows below the names. A row may have fewer or more cells than there are names. */
  body: string[][]
}

/** Longer texts are no names of columns. In UTF-16 code units. */
const LONGEST_NAME = 100
/** Numbers, dates, times, prices, addresses. */
const VALUE = /^(?=[^\p{L}]*\p{N})[^\p{L}]+$|^\d{4}-\d\d?-\d\d?|^[a-z]+:\/\/|^\S+@\S+\.\S+$/iu
const YEAR = /^(?:19|20)\d\d$/

/** Finds the names of the columns: the first row that has enough cells and no value, such as a number or a date, unless its numbers are years that count up. */
export function findTable(rows: readonly string[][]): Table {
  const columns = usualColumns(rows)
  const start = Math.max(
    0,
    rows.findIndex(row => !isAbove(row, columns)),
  )
  const above = rows.slice(0, start).map(row => row.filter(cell => cell !== '').join(' '))
  const [first = [], ...others] = rows.slice(start)
  if (!areNames(first)) return withoutEmpty({ above, names: Array(columns).fill(''), body: [first, ...others] })
  // R leaves out the name of the first column, in which the names of the rows are.
  const isShort = others.length > 0 && others.every(({ length }) => length === first.length + 1)
  return withoutEmpty({ above, names: isShort ? ['', ...first] : first, body: others })
}

/** Whether a row is a line of text: most of its columns are empty or not there. */
function isAbove(row: readonly string[], columns: number): boolean {
  const filled = row.filter(cell => cell !== '').length
  return filled * 2 < columns || (filled === 1 && row.length < columns)
}

function areNames(row: readonly string[]): boolean {
  const years = row.filter(cell => YEAR.test(cell))
  const countUp = years.length > 1 && years.every((year, at) => at === 0 || year > (years[at - 1] ?? ''))
  return row.every(cell => {
    if (countUp && YEAR.test(cell)) return true
    return cell.length <= LONGEST_NAME && !cell.includes('\n') && !VALUE.test(cell)
  })
}

/** Leaves out columns without a name and without a text. */
function withoutEmpty({ above, names, body }: Table): Table {
  const used = new Set<number>()
  for (const row of [names, ...body]) for (const [at, cell] of row.entries()) if (cell !== '') used.add(at)
  const keep = (row: readonly string[]): string[] => row.filter((_, at) => used.has(at))
  return { above, names: keep(names), body: body.map(keep) }
}
