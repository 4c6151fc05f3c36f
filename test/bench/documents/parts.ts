import MarkdownIt from 'markdown-it'
import { countOf } from '../../../src/core/collections.ts'

type Token = ReturnType<MarkdownIt['parse']>[number]

/** What is counted in the Markdown of a document. */
export const PARTS: Readonly<Record<string, (markdown: string) => string[]>> = {
  tables: wholeTables,
  'rows of tables': tableRows,
  'lines of code': codeLines,
  'items of lists': listItems,
  paragraphs,
}

/** How many of the expected parts are among those that were read, each as often as it is there. */
export function common(expected: readonly string[], read: readonly string[]): number {
  const left = countOf(read)
  let found = 0
  for (const part of expected) {
    const count = left.get(part) ?? 0
    if (count > 0) found += 1
    left.set(part, count - 1)
  }
  return found
}

/** Tables with all of their rows. */
function wholeTables(markdown: string): string[] {
  return tablesOf(markdown).map(rows => rows.join('\n'))
}

function tableRows(markdown: string): string[] {
  return tablesOf(markdown).flat()
}

/** The letters and digits of each row of each table, cell by cell: the marks of Markdown differ, and a printed table shows none. */
function tablesOf(markdown: string): string[][] {
  const tables: string[][] = []
  let cells: string[] | null = null
  for (const token of tokensOf(markdown)) {
    if (token.type === 'table_open') tables.push([])
    else if (token.type === 'tr_open') cells = []
    else if (token.type === 'inline') cells?.push(shown(token))
    else if (token.type === 'tr_close' && cells !== null) {
      tables.at(-1)?.push(cells.join(' | '))
      cells = null
    }
  }
  return tables
}

/** The lines of code with their indentation. */
function codeLines(markdown: string): string[] {
  const code = tokensOf(markdown).filter(({ type }) => type === 'fence' || type === 'code_block')
  return code.flatMap(({ content }) => content.split('\n')).filter(line => line.trim() !== '')
}

/** The first paragraph of each item, with its depth and whether it has a number. */
function listItems(markdown: string): string[] {
  const items: string[] = []
  const marks: string[] = []
  let isFirst = false
  for (const token of tokensOf(markdown)) {
    if (/^(?:bullet|ordered)_list_open$/.test(token.type)) marks.push(token.type === 'ordered_list_open' ? '1.' : '-')
    else if (/_list_close$/.test(token.type)) marks.pop()
    else if (token.type === 'list_item_open') isFirst = true
    else if (token.type === 'inline' && isFirst) {
      items.push(`${marks.length} ${marks.at(-1)} ${shown(token)}`)
      isFirst = false
    }
  }
  return items
}

/** Paragraphs outside of lists and tables. */
function paragraphs(markdown: string): string[] {
  const tokens = tokensOf(markdown)
  return tokens.flatMap((token, at) =>
    token.type === 'inline' && token.level === 1 && tokens[at - 1]?.type === 'paragraph_open' ? [shown(token)] : [],
  )
}

function tokensOf(markdown: string): Token[] {
  return new MarkdownIt().parse(markdown, {})
}

function shown({ children }: Token): string {
  const texts = (children ?? []).filter(({ type }) => type === 'text' || type === 'code_inline')
  return texts
    .map(({ content }) => content)
    .join('')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}
