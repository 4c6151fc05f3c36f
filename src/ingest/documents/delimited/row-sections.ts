import { prefixOf } from '../../../core/prefix.ts'
import { enclosed } from '../enclosed.ts'
import { escapeText, settleEscapes } from '../html/escapes.ts'
import { htmlToMarkdown } from '../html/read-html.ts'
import type { Table } from './head-row.ts'

/** A longer text is a paragraph of its own, and a shorter one an item of a list. In UTF-16 code units. */
const LONGEST_ITEM = 200
const LONGEST_HEADING = 300
/** Rows that are looked at to find the column that names rows, and the least shares of them with a text there, with one that no other row has, and with a name. */
const SAMPLE_ROWS = 1_000
const LEAST_FILLED = 0.9
const LEAST_DISTINCT = 0.8
const LEAST_NAMES = 0.5
const NAMES_ROWS = /^(?:question|title|name|subject|summary|topic|term|headline)s?$/i
const DECIMAL = /^[-+]?\d*[.,]\d+(?:e[-+]?\d+)?$/i
/** Numbers of items, dates and addresses. Names have letters, and most of them no digit. */
const NO_NAME = /\p{Nd}|:\/\/|@/u
const HTML_BLOCK = /<(?:p|div|br|ul|ol|table|h[1-6])(?:\s[^<>]{0,1000})?\/?>/i

/** Writes each row as a section below the text that names it, with the names of the columns before the others. */
export function* rowSections({ names, body }: Table): Iterable<string> {
  const naming = namingColumn(names, body)
  for (const [at, row] of body.entries()) {
    const name = naming === null ? '' : (row[naming] ?? '')
    const heading = name === '' ? `## Row ${at + 1}` : headingOf(name)
    const isWhole = name.length <= LONGEST_HEADING
    const cells = row.flatMap((text, column) =>
      text === '' || (column === naming && isWhole) ? [] : [{ text, column }],
    )
    const blocks = [heading]
    let items: string[] = []
    for (const { text, column } of cells) {
      const label = labelOf(names[column] ?? '')
      if (isItem(text)) {
        items.push(`- ${label}${text}`)
        continue
      }
      if (items.length > 0) blocks.push(items.join('\n'))
      items = []
      blocks.push(...paragraphs(label, text))
    }
    if (items.length > 0) blocks.push(items.join('\n'))
    yield blocks.join('\n\n')
  }
}

const isItem = (text: string): boolean => text.length <= LONGEST_ITEM && !text.includes('\n') && !HTML_BLOCK.test(text)

const labelOf = (name: string): string => (name === '' ? '' : `${oneLine(name)}: `)

function paragraphs(label: string, text: string): string[] {
  const body = enclosed(markdownOf(text), { keepsHeadings: false })
  return body.includes('\n') ? [label.trimEnd(), body].filter(part => part !== '') : [`${label}${body}`]
}

/** Help desks and shops export texts as HTML. */
function markdownOf(text: string): string {
  if (!HTML_BLOCK.test(text)) return text
  const converted = htmlToMarkdown(text)
  return 'fault' in converted ? text : converted.text.trimEnd()
}

const isName = (text: string): boolean => text !== '' && text.length <= LONGEST_HEADING && !DECIMAL.test(text)

/** The column whose texts name the rows: one that says so, else the first with names, else the first whose texts are short and differ; null without one. */
function namingColumn(names: readonly string[], body: readonly string[][]): number | null {
  const rows = body.slice(0, SAMPLE_ROWS)
  const able = names.flatMap((name, column) => {
    const texts = rows.map(row => row[column] ?? '').filter(isName)
    const isAble =
      texts.length >= LEAST_FILLED * rows.length && new Set(texts).size >= LEAST_DISTINCT * Math.max(1, texts.length)
    const hasNames = texts.filter(text => !NO_NAME.test(text)).length >= LEAST_NAMES * texts.length
    return isAble ? [{ name, column, hasNames }] : []
  })
  const found = able.find(({ name }) => NAMES_ROWS.test(name)) ?? able.find(({ hasNames }) => hasNames) ?? able[0]
  return found?.column ?? null
}

/** A heading of Markdown, which is one line. */
function headingOf(text: string): string {
  const heading = settleEscapes(`## ${escapeText(prefixOf(oneLine(text), LONGEST_HEADING))}`)
  // Signs at the end would close the heading.
  return heading.replace(/(?<= )#+$/, '\\$&')
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
