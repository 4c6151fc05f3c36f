import { fenceAround } from '../../text/fence.ts'

/** Code in a fence that nothing in it ends. */
export function fencedCode(text: string, language = ''): string {
  const fence = fenceAround(text)
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
