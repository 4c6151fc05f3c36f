/** Width of the white space before a line. A tab goes on to the next multiple of `tabColumns`: four in Markdown, eight in other text. */
export function columnsOf(line: string, tabColumns = 4): number {
  let columns = 0
  for (const character of line) {
    if (character === '\t') columns += tabColumns - (columns % tabColumns)
    else if (character === ' ') columns += 1
    else break
  }
  return columns
}
