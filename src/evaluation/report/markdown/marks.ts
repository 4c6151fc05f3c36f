import { escapedHtml } from '../../../web/page-files.ts'

/**
 * Makes a text from outside harmless in one line of Markdown: no mark of it formats, links, mentions a person or ends a cell of a table.
 * @param longest characters before an ellipsis
 */
export function inlineText(text: string, longest = 120): string {
  const line = text.replace(/\s+/gu, ' ').trim()
  const characters = Array.from(line)
  const short = characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : line
  return short
    .replace(/&/gu, '&amp;')
    .replace(/</gu, '&lt;')
    .replace(/[\\`*_{}[\]()#+\-.!|>~:]/gu, '\\$&')
    .replace(/@/gu, '@\u200B')
}

/** A table of Markdown. The cells are Markdown already. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** A part that a reader opens by a click. Its title is HTML, where the backslashes of Markdown would be seen. @param title from outside */
export function foldedPart(title: string, content: string): string {
  return `<details><summary>${escapedHtml(title.replace(/\s+/gu, ' ')).replace(/@/gu, '@\u200B')}</summary>\n\n${content}\n\n</details>`
}

/** Code in one line. */
export function inlineCode(text: string): string {
  return `\`${text.replace(/`/gu, "'").replace(/\s+/gu, ' ').replace(/\|/gu, '\\|')}\``
}
