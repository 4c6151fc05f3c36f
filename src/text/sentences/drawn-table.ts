/*
 * Tables that are drawn with signs, as reStructuredText writes them and as programs print them, such as the client of MySQL. A rule is a
 * line such as `+---+---+` or `├───┼───┤`. The branches of a tree of folders (`├── src`) have no sign at their end.
 */

const RULE = /^[ \t]{0,12}(?:\+[-=:][-=:+]*\+|[┌├└╭╰╔╠╚╟╞╒╘┏┣┗┡┠][\u2500-\u257F]*[┐┤┘╮╯╗╣╝╢╡╕╛┓┫┛┩┨])\s*$/u
const LINE = /^[ \t]{0,12}(?:[|\u2500-\u257F]|\+[-=:])/u
/** A line that begins a row: the first cell of a line that goes on with one is often blank. */
const NAMED = /^[ \t]*[|│┃║][^|│┃║]*[^|│┃║\s]/u
/** The rule below a head in a table that has other rules as well. */
const HEAD_RULE = /[=╪╞┡╇]/u

/** The lines of a table, as places among its lines. */
export interface DrawnTable {
  /** Number of lines of the head, with the rules above and below it; 0 without one. */
  headLines: number
  /** Where the rows below the head begin, in order. A rule belongs to the row above it. */
  rows: number[]
}

/** Whether a line is a rule of a drawn table. */
export function isDrawnRule(line: string): boolean {
  return RULE.test(line)
}

/** The lines of a text that may belong to a table whose first rule begins at an offset, with their line breaks. */
export function drawnLines(text: string, start: number): string[] {
  const lines: string[] = []
  for (let from = start; from < text.length; ) {
    const end = text.indexOf('\n', from) + 1 || text.length
    const line = text.slice(from, end)
    if (!LINE.test(line)) break
    lines.push(line)
    from = end
  }
  return lines
}

/**
 * Reads the lines of a table; null when they are none. The head ends at a rule of `=` or `╪`. Without one, it ends at the second rule of a table
 * that has several rows below it and no rule between them. Where a rule follows each row, no row is a head.
 */
export function readDrawnTable(lines: readonly string[]): DrawnTable | null {
  if (!isDrawnRule(lines[0] ?? '') || !lines.every(line => LINE.test(line))) return null
  const rules = lines.flatMap((line, at) => (at > 0 && isDrawnRule(line) ? [at] : []))
  const headRule = rules.find(at => HEAD_RULE.test(lines[at] ?? '')) ?? ruleOfResult(lines, rules)
  const isHeadless = headRule === null || headRule === lines.length - 1
  return isHeadless
    ? { headLines: 0, rows: [0, ...rowsBelow(rules, lines.length)] }
    : { headLines: headRule + 1, rows: rowsIn(lines, rules, headRule) }
}

/** The rule below the names of the columns, where a program has written one rule below them and none between the rows; null otherwise. */
function ruleOfResult(lines: readonly string[], rules: readonly number[]): number | null {
  const [first = 0, ...others] = rules
  const isResult = first > 1 && others.every(at => at === lines.length - 1)
  return isResult && !isOneRow(lines.slice(first + 1).filter(line => !isDrawnRule(line))) ? first : null
}

/** Whether lines are one row, whose first cell has one line, or several at its top beside a cell that is more than twice as long. */
function isOneRow(lines: readonly string[]): boolean {
  const named = lines.filter(line => NAMED.test(line)).length
  const isAtTop = lines.slice(0, named).every(line => NAMED.test(line))
  return named < 2 || (isAtTop && 2 * named < lines.length)
}

/** Where the rows below the head begin: behind each rule, or at each line with a first cell where no rule is between them. */
function rowsIn(lines: readonly string[], rules: readonly number[], headRule: number): number[] {
  const rows = rowsBelow(
    rules.filter(at => at >= headRule),
    lines.length,
  )
  if (rows.length > 1) return rows
  const named = lines.flatMap((line, at) => (at > headRule && NAMED.test(line) ? [at] : []))
  return [headRule + 1, ...named.slice(1)]
}

const rowsBelow = (rules: readonly number[], length: number): number[] =>
  rules.map(at => at + 1).filter(at => at < length)
