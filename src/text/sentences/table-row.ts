import { isDrawnRule } from './drawn-table.ts'

const BEGINS_WITH_PIPE = /^\s{0,12}\|/
const DELIMITERS = /^[\s|:-]+$/
/** A pipe that separates cells: not one behind a backslash. */
const PIPE = /(?<!\\)\|/

/** Whether a line is a row of a table by itself. */
export function beginsWithPipe(line: string): boolean {
  return BEGINS_WITH_PIPE.test(line)
}

/** Whether a line is the one below the names of the columns. */
export function isDelimiterRow(line: string): boolean {
  return line.includes('|') && line.includes('-') && DELIMITERS.test(line)
}

/** Whether a line is the one below the head of a table, which may be drawn with signs. */
export function isTableRule(line: string): boolean {
  return isDelimiterRow(line) || isDrawnRule(line)
}

/** Whether two lines begin a table: the second one is a delimiter row with as many cells as the first one has (GitHub Flavored Markdown, 4.10). */
export function beginTable(line: string, next: string): boolean {
  return isDelimiterRow(next) && cellsOf(line).length === cellsOf(next).length
}

/** The texts of the cells of a row, with the spaces around them. */
export function cellsOf(row: string): string[] {
  return row.trim().replace(/^\|/, '').replace(/\|$/, '').split(PIPE)
}
