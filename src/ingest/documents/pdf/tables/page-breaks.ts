import type { PagedRows } from '../page-text.ts'
import type { Range } from './columns.ts'

/** Edges of columns on two pages differ by at most this many points. */
const SAME_EDGE = 2
/** A line is full when it has, with the first word of the next one, more than this share of the longest line in its column. */
const FULL = 0.8
const LETTER = /\p{L}/u
const LOWER_START = /^\p{Ll}/u
const SENTENCE_END = /[.!?:;]["'”’)\]]*$/

/** Whether columns on two pages are those of one table: each of the side with fewer columns stands in one of the other, with its left edge, right edge or middle at the same place. */
export function areSameColumns(one: readonly Range[], other: readonly Range[]): boolean {
  const [few, many] = one.length <= other.length ? [one, other] : [other, one]
  return few.length > 0 && few.every(range => standsIn(range, many))
}

function standsIn(range: Range, columns: readonly Range[]): boolean {
  const [column, ...others] = columns.filter(({ x0, x1 }) => range.x0 < x1 && range.x1 > x0)
  if (column === undefined || others.length > 0) return false
  const differences = [range.x0 - column.x0, range.x1 - column.x1, (range.x0 + range.x1 - column.x0 - column.x1) / 2]
  return differences.some(difference => Math.abs(difference) <= SAME_EDGE)
}

/** The rows with those that a page break parts made whole, where it is clear that the first row of a page is the rest of the row before. */
export function joinPartedRows({ rows, pages }: PagedRows): PagedRows {
  const whole: PagedRows = { rows: [], pages: [] }
  const columns = columnFacts({ rows, pages })
  for (const [at, row] of rows.entries()) {
    const last = whole.rows.at(-1)
    if (last && isFirstOnPage(pages, at) && goesOn(last, row, columns))
      whole.rows[whole.rows.length - 1] = joined(last, row)
    else {
      whole.rows.push(row)
      whole.pages.push(pages[at] as number)
    }
  }
  return whole
}

function isFirstOnPage(pages: readonly number[], at: number): boolean {
  return at > 0 && pages[at] !== pages[at - 1]
}

function joined(row: readonly string[], rest: readonly string[]): string[] {
  return row.map((text, column) => [text, rest[column]].filter(Boolean).join('\n'))
}

/** What the cells of a column are like. Rows at the start of a page may be the rest of a row, and do not count for the first two. */
interface ColumnFacts {
  hasEmptyCells: boolean
  /** Whether a cell begins with a lower-case letter. */
  hasLowerCase: boolean
  /** Whether a cell has several lines. */
  isWrapped: boolean
  /** Characters of its longest line. */
  longest: number
}

function columnFacts({ rows, pages }: PagedRows): ColumnFacts[] {
  const inside = rows.filter((_, at) => !isFirstOnPage(pages, at))
  return (rows[0] ?? []).map((_, column) => ({
    hasEmptyCells: inside.some(row => row[column] === ''),
    hasLowerCase: inside.some(row => LOWER_START.test(row[column] ?? '')),
    isWrapped: rows.some(row => row[column]?.includes('\n')),
    longest: rows.reduce((most, row) => Math.max(most, ...(row[column] ?? '').split('\n').map(line => line.length)), 0),
  }))
}

/**
 * Whether `next` is clearly the rest of `row`: none of its cells had room above, and a sentence goes on where the column has no other cell in lower case, or
 * no other row is without a first cell.
 */
function goesOn(row: readonly string[], next: readonly string[], columns: readonly ColumnFacts[]): boolean {
  const filled = [...next.keys()].filter(column => next[column] !== '')
  const hadNoRoom = (column: number) => isFull(row[column] ?? '', next[column] ?? '', columns[column]?.longest ?? 0)
  if (filled.length === 0 || !filled.every(hadNoRoom)) return false
  const isInSentence = (column: number) =>
    LOWER_START.test(next[column] ?? '') && LETTER.test(row[column] ?? '') && !SENTENCE_END.test(row[column] ?? '')
  const isClear = (column: number) => isInSentence(column) && columns[column]?.hasLowerCase === false
  // A row with all of its cells is rather a row than a rest.
  if (next[0] !== '') return isClear(0) && row.some((text, column) => text !== '' && next[column] === '')
  const hasFirstCells = columns[0]?.hasEmptyCells === false
  return (
    filled.some(isClear) ||
    (hasFirstCells && filled.every(column => columns[column]?.isWrapped || isInSentence(column)))
  )
}

/** Whether the first word of a text had no room behind the cell above, which is never so for numbers. */
function isFull(cell: string, next: string, longest: number): boolean {
  if (cell === '' || !LETTER.test(next)) return false
  const line = cell.slice(cell.lastIndexOf('\n') + 1)
  const word = /^\S+/.exec(next)?.[0] ?? ''
  return line.length + 1 + word.length > FULL * longest
}
