const TAB_COLUMNS = 4

/** Width of the white space before a line. */
export function columnsOf(line: string): number {
  let columns = 0
  for (const character of line) {
    if (character === '\t') columns += TAB_COLUMNS - (columns % TAB_COLUMNS)
    else if (character === ' ') columns += 1
    else break
  }
  return columns
}
