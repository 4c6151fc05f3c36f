/** Length of the longest run of backticks in a text; 0 without one. */
export function longestTicks(text: string): number {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  return longest
}

/** Code in a fence that is longer than any in the text. */
export function fencedCode(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

/** A table whose cells hold no bar without a backslash. */
export function markdownTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rule = head.map(() => '---')
  return [head, rule, ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

/** A text for a cell of a table, which is one line. */
export function cellText(text: string): string {
  const lines = text.split('\n').map(line => line.trim())
  return lines
    .filter(line => line !== '')
    .join('<br>')
    .replaceAll('|', '\\|')
}
