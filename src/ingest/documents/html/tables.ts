import type TurndownService from 'turndown'
import { batchesOf } from '../../../core/collections.ts'
import { rememberedByObject } from '../../../text/bounded-cache.ts'
import { cellText, markdownTable } from '../markdown.ts'
import { addRules, classesOf, closest, type HtmlElement, isElement } from './element.ts'
import { isLeftOut } from './left-out.ts'
import { lettersOf } from './letters.ts'

/** Spans end at this column, so that the markdown grows with the page only. */
const MOST_COLUMNS = 100
/** A table with one of them divides the page, and its rows are no records. */
const PARTS_OF_PAGE = 'table, h1, h2, h3, h4, h5, h6, main, article, section'
const BLOCKS = 'p, div, ul, ol, dl, pre, blockquote'

/** Writes tables of data, also where they are a grid of elements, as tables of markdown, and rows of tables for layout as paragraphs, or cell by cell when cells hold blocks. */
export function writeTables(service: TurndownService): void {
  const written = new WeakMap<HtmlElement, string>()
  const textOf = (cell: HtmlElement): string => written.get(cell) ?? ''
  addRules(service, {
    cell: {
      filter: ['td', 'th', 'caption'],
      replacement: (content, cell) => {
        written.set(cell, content)
        return `\n\n${isIcon(cell) && isName(content) ? `**${content.trim()}**` : content}\n\n`
      },
    },
    row: {
      filter: 'tr',
      replacement: (content, row) => {
        if (isInGrid(row) || row.querySelector(`${BLOCKS}, ${PARTS_OF_PAGE}`)) return content
        const texts = shown(row)
          .map(cell => textOf(cell).trim())
          .filter(text => text !== '')
        const line = texts.filter(text => !texts.includes(nameInBrackets(text))).join(' ')
        return `\n\n${isLabel(row) && !line.includes('**') ? `**${line}**` : line}\n\n`
      },
    },
    table: {
      filter: 'table',
      replacement: (content, table) => `\n\n${isGrid(table) ? gridOf(table, textOf) : content}\n\n`,
    },
    'cell of a grid': {
      filter: ({ parentNode }) => parentNode !== null && columnsOfBlocks(parentNode) > 0,
      replacement: (content, cell) => {
        written.set(cell, content)
        return ''
      },
    },
    'caption of a grid': {
      filter: isCaptionOfBlocks,
      replacement: content => `\n\n${isName(content) ? `**${content.trim()}**` : content}\n\n`,
    },
    grid: {
      filter: node => columnsOfBlocks(node) > 0,
      replacement: (_, grid) => `\n\n${gridOfBlocks(grid, textOf)}\n\n`,
    },
  })
}

function gridOfBlocks(grid: HtmlElement, textOf: (cell: HtmlElement) => string): string {
  const cells = shown(grid).map(cell => cellText(textOf(cell)))
  const [head = [], ...body] = batchesOf(cells, columnsOfBlocks(grid))
  return markdownTable(head, body)
}

/** DocBook puts a picture before the label of a box, with the same words in brackets for those who do not see it: "[Note]". */
const nameInBrackets = (text: string): string => /^\[(.+)\]$/u.exec(text)?.[1] ?? ''

/** AsciiDoctor has the label of a box beside its text. */
const isIcon = (cell: HtmlElement): boolean => classesOf(cell).includes('icon')
const isName = (content: string): boolean => /^[^*\n]+$/u.test(content.trim())

/** Whether the only words of a row, those of pictures aside, are a head: the label of a box. */
function isLabel(row: HtmlElement): boolean {
  const [label, ...others] = shown(row).filter(cell => lettersOf(cell).all > 0)
  return label?.nodeName === 'TH' && others.length === 0
}

/** Of javadoc since version 17: a table is a grid of elements, one row behind the other, and those of the first row have a class of their own. */
const GRID_OF_BLOCKS = 'summary-table'
const HEAD_OF_BLOCKS = 'table-header'

/** The number of columns of a grid of elements; 0 for all other elements. */
const columnsOfBlocks = rememberedByObject((node: HtmlElement): number => {
  if (node.nodeName !== 'DIV' || !classesOf(node).includes(GRID_OF_BLOCKS)) return 0
  if (node.querySelector(`${PARTS_OF_PAGE}, .${GRID_OF_BLOCKS}`)) return 0
  // Only elements of this kind are written as cells.
  if (Array.from(node.childNodes).some(child => child.nodeName !== 'DIV' && lettersOf(child).all > 0)) return 0
  const cells = shown(node)
  const columns = cells.filter(cell => classesOf(cell).includes(HEAD_OF_BLOCKS)).length
  return columns > 0 && cells.length % columns === 0 ? columns : 0
})

function isCaptionOfBlocks(node: HtmlElement): boolean {
  if (node.nodeName !== 'DIV' || !classesOf(node).includes('caption') || lettersOf(node).all === 0) return false
  let next = node.nextSibling
  while (next !== null && !isElement(next)) next = next.nextSibling
  return next !== null && columnsOfBlocks(next) > 0
}

/** Whether an element is in a cell that becomes a part of one line. */
export function isInGrid(node: HtmlElement): boolean {
  const table = closest(node, ({ nodeName }) => nodeName === 'TABLE')
  return table !== null && isGrid(table)
}

const isGrid = rememberedByObject((table: HtmlElement): boolean => {
  const rows = rowsOf(table)
  const role = table.getAttribute('role')
  const isLayout = role === 'presentation' || role === 'none' || rows.length < 2 || isNote(rows)
  return !isLayout && !table.querySelector(PARTS_OF_PAGE)
})

/** Blocks one below the other, perhaps beside a picture: how generators frame notes. */
function isNote(rows: readonly Row[]): boolean {
  const hasOneText = rows.every(({ cells }) => cells.filter(cell => lettersOf(cell).all > 0).length <= 1)
  return hasOneText && rows.some(({ cells }) => cells.some(cell => cell.querySelector(BLOCKS)))
}

interface Row {
  isHead: boolean
  cells: HtmlElement[]
}

function rowsOf(table: HtmlElement): Row[] {
  return shown(table).flatMap(part => {
    const isHead = part.nodeName === 'THEAD'
    const rows = part.nodeName === 'TR' ? [part] : shown(part).filter(({ nodeName }) => nodeName === 'TR')
    return rows.map(row => ({ isHead, cells: shown(row).filter(isCell) })).filter(({ cells }) => cells.length > 0)
  })
}

const isCell = ({ nodeName }: HtmlElement): boolean => nodeName === 'TD' || nodeName === 'TH'

function shown(node: HtmlElement): HtmlElement[] {
  return Array.from(node.childNodes).filter(child => isElement(child) && !isLeftOut(child))
}

/** The rows of `thead` are the head, as one row; without them it is the first row. A first row of one cell over all columns is a caption. */
function gridOf(table: HtmlElement, textOf: (cell: HtmlElement) => string): string {
  const rows = rowsOf(table)
  const lines = placed(rows, textOf).map((cells, index) => ({ cells, isHead: rows[index]?.isHead ?? false }))
  const filled = lines.filter(({ cells }) => cells.some(text => text !== ''))
  const captions = shown(table)
    .filter(({ nodeName }) => nodeName === 'CAPTION')
    .map(textOf)
  if (beginsWithCaption(filled)) captions.push(filled.shift()?.cells[0] ?? '')
  const marked = filled.filter(({ isHead }) => isHead)
  const [head, body] =
    marked.length > 0 ? [marked, filled.filter(({ isHead }) => !isHead)] : [filled.slice(0, 1), filled.slice(1)]
  const columns = filled.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const names = Array.from({ length: columns }, () => '')
  for (const { cells } of head)
    for (const [column, text] of cells.entries()) names[column] = `${names[column]} ${text}`.trim()
  const grid = markdownTable(
    names,
    body.map(({ cells }) => cells),
  )
  return [...captions, grid].join('\n\n')
}

/** Whether the first row is one cell over all columns, above a row of several names and at least one more row. */
function beginsWithCaption([first, second, ...more]: readonly { cells: string[] }[]): boolean {
  if (first === undefined || second === undefined || more.length === 0) return false
  const [text, ...others] = first.cells
  const columns = [second, ...more].reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const isOverAll = text !== '' && others.every(other => other === '') && first.cells.length >= columns
  return isOverAll && second.cells.filter(name => name !== '').length > 1
}

/** The texts of the cells, each in its column: an empty text stands where a cell from above or from the left goes on. */
function placed(rows: readonly Row[], textOf: (cell: HtmlElement) => string): string[][] {
  /** For each column, in how many more rows a cell from above stands. */
  let taken: number[] = []
  return rows.map(({ cells }) => {
    const texts: string[] = []
    const next = taken.map(left => Math.max(0, left - 1))
    for (const cell of cells) {
      while ((taken[texts.length] ?? 0) > 0) texts.push('')
      const [start, below] = [texts.length, spanOf(cell, 'rowspan', rows.length) - 1]
      const end = Math.max(start + 1, Math.min(start + spanOf(cell, 'colspan', MOST_COLUMNS), MOST_COLUMNS))
      texts.push(cellText(textOf(cell)))
      while (texts.length < end) texts.push('')
      for (let column = start; column < Math.min(end, MOST_COLUMNS); column++) next[column] = below
    }
    taken = Array.from(next, left => left ?? 0)
    return texts
  })
}

/** A span of 0 goes to the end. */
function spanOf(cell: HtmlElement, name: 'rowspan' | 'colspan', most: number): number {
  const span = Number.parseInt(cell.getAttribute(name) ?? '1', 10)
  return Number.isNaN(span) || span < 0 ? 1 : Math.min(span || most, most)
}
