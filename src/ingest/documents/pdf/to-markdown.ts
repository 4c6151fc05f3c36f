import { wordSet } from '../../../core/collections.ts'
import { fencedCode, markdownTable } from '../markdown.ts'
import { addressForms, brokenAddresses } from './addresses/broken-addresses.ts'
import type { PdfBlock, TableBlock } from './blocks.ts'
import type { Line } from './page-text.ts'

/** The markdown of a PDF, and the offset where each page begins. */
export interface PagedText {
  text: string
  pages: number[]
}

const SOFT_HYPHEN = '\u00AD'
/** A word that goes on in the next line. It begins behind what is no letter, so that a long word is not tried from each of its letters. */
const BROKEN_WORD = /(?<![\p{L}\p{M}])([\p{L}\p{M}]+)[-\u2010\u00AD]$/u
const FIRST_WORD = /^[\p{Ll}\p{M}]+/u
/** "Vor- und Nachteile": the hyphen stands for the rest of a word that comes later. */
const CONJUNCTIONS = wordSet('und oder bzw bis and or to et ou')
/** A compound that breaks at its own hyphen, such as "Scheme-Prozedur" and "UTF-8". */
const ENDS_PART = /[\p{L}\p{N}][-\u2010]$/u
const STARTS_PART = /^[\p{Lu}\p{N}]/u
const CAPITALS = /^\p{Lu}{2,}(?!\p{L})/u
const LAST_WORD = /(?<![\p{L}\p{M}])[\p{L}\p{M}]+$/u
/** Chinese and Japanese are written without spaces. So is Thai, but there a space parts sentences. */
const UNSPACED = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303F\\u30FC\\uFF00-\\uFFEF]'
const ENDS_UNSPACED = new RegExp(`${UNSPACED}$`, 'u')
const STARTS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u')
/** What begins a block of markdown at the start of a line. */
const BLOCK_MARK = /^(?:#{1,6}(?=\s)|>|[-+*](?=\s)|```|~~~|\||<|(?:[-*_]\s*){3,}$|=+$)/
const LEADERS = /(?:\s?\.){4,}\s*/g

/** What the document says about how words and addresses are spelled that its lines part. */
interface Spelling {
  words: ReadonlySet<string>
  /** How the addresses of the links of each page can stand in its text. */
  addresses: readonly (readonly string[])[]
}

/**
 * Writes blocks as markdown. Words and addresses that were parted at line ends become whole.
 *
 * @param addresses of the links of each page
 */
export function toMarkdown(
  blocks: readonly PdfBlock[],
  pageCount: number,
  addresses: readonly (readonly string[])[] = [],
): PagedText {
  const writer = new PageWriter(pageCount)
  const spelling = { words: wordsOf(blocks), addresses: addresses.map(addressForms) }
  for (const [index, block] of blocks.entries()) {
    const isTight = block.kind === 'item' && blocks[index - 1]?.kind === 'item'
    writer.separate(index === 0 ? '' : isTight ? '\n' : '\n\n')
    writeBlock(block, writer, spelling)
  }
  return writer.end()
}

function writeBlock(block: PdfBlock, writer: PageWriter, spelling: Spelling): void {
  if ('rows' in block) writeRows(block, writer, spelling)
  else if (block.kind === 'code') writeCode(block.lines, writer)
  else if (block.kind === 'heading') writeLines(block.lines, `${'#'.repeat(block.level)} `, writer, spelling)
  else if (block.kind === 'item') {
    const [first, ...rest] = block.lines as [Line, ...Line[]]
    const text = first.text.slice(block.markLength)
    writeLines([{ ...first, text }, ...rest], `${' '.repeat(block.indent)}${block.mark} `, writer, spelling)
  } else writeLines(block.lines, '', writer, spelling)
}

function writeLines(lines: readonly Line[], prefix: string, writer: PageWriter, spelling: Spelling): void {
  const texts = lines.map(({ text }, index) => {
    const escaped = index === 0 && prefix === '' ? text.replace(BLOCK_MARK, '\\$&') : text
    return escaped.replace(LEADERS, ' … ')
  })
  const pages = new Set(lines.map(({ page }) => page))
  for (const [index, text] of joinedLines(texts, pages, spelling).entries())
    writer.write((index === 0 ? prefix : '') + text, lines[index]?.page ?? 0)
}

/** Lines, each with what stands between it and the next one. */
function joinedLines(
  lines: readonly string[],
  pages: ReadonlySet<number>,
  { words, addresses }: Spelling,
  isCell = false,
): string[] {
  const broken = brokenAddresses(
    lines,
    [...pages].flatMap(page => addresses[page] ?? []),
  )
  return lines.map((line, at) => broken.get(at) ?? joined(line, lines[at + 1], words, isCell))
}

/** A line with what stands between it and the next one: a space, or nothing inside a word. */
function joined(text: string, next: string | undefined, words: ReadonlySet<string>, isCell = false): string {
  const plain = text.replaceAll(SOFT_HYPHEN, (_, at) =>
    at === text.length - 1 && next !== undefined ? SOFT_HYPHEN : '',
  )
  if (next === undefined) return plain
  if (isCell && isWordBroken(plain, next, words)) return plain
  if (ENDS_UNSPACED.test(plain) && STARTS_UNSPACED.test(next)) return plain
  const start = BROKEN_WORD.exec(plain)
  const rest = FIRST_WORD.exec(next)
  if (start === null || rest === null) return joinedCompound(plain, next, words)
  const [before, after] = [(start[1] ?? '').toLowerCase(), rest[0].toLowerCase()]
  if (CONJUNCTIONS.has(after) && !words.has(before + after)) return `${plain} `
  // Narrow cells break at hyphens more often than they part words.
  const hasHyphen = !words.has(before + after) && (isCell || words.has(`${before}-${after}`))
  return hasHyphen && !plain.endsWith(SOFT_HYPHEN) ? plain : plain.slice(0, -1)
}

/** The same where the next line does not begin with a small letter. A word in capitals loses the hyphen when the document has it without. */
function joinedCompound(text: string, next: string, words: ReadonlySet<string>): string {
  if (!ENDS_PART.test(text) || !STARTS_PART.test(next)) return `${text.trimEnd()} `
  const before = LAST_WORD.exec(text.slice(0, -1))?.[0] ?? ''
  const after = CAPITALS.exec(next)?.[0] ?? ''
  const isBroken = CAPITALS.test(before) && after !== '' && words.has((before + after).toLowerCase())
  return isBroken ? text.slice(0, -1) : text
}

/** Whether a cell that is narrower than a word breaks it without a hyphen: the document has the word, and not both of its parts. */
function isWordBroken(text: string, next: string, words: ReadonlySet<string>): boolean {
  const before = LAST_WORD.exec(text)?.[0].toLowerCase()
  const after = FIRST_WORD.exec(next)?.[0]
  if (before === undefined || after === undefined) return false
  return words.has(before + after) && !(words.has(before) && words.has(after))
}

/** The words of the document in lower case, those with a hyphen inside a line too: they tell how a broken word is spelled. */
function wordsOf(blocks: readonly PdfBlock[]): Set<string> {
  const words = new Set<string>()
  const texts = blocks.flatMap(block =>
    'rows' in block ? block.rows.flat().map(withoutLineEnds) : block.lines.map(({ text }) => text),
  )
  for (const text of texts)
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*(?![-\p{L}\p{M}])/gu)) {
      words.add(word)
      // A line may end behind each hyphen of "right-of-use".
      const parts = word.split('-')
      for (const [at, part] of parts.slice(1).entries()) words.add(`${parts[at]}-${part}`)
    }
  return words
}

/** A cell without the words at the ends of its lines, which may be parts of words. */
function withoutLineEnds(cell: string): string {
  const lines = cell.split('\n')
  return lines
    .map((line, at) =>
      line
        .split(' ')
        .slice(at === 0 ? 0 : 1, at === lines.length - 1 ? undefined : -1)
        .join(' '),
    )
    .join('\n')
}

/** The rows of a table, or each description as a paragraph behind its name. */
function writeRows({ kind, rows, pages }: TableBlock, writer: PageWriter, spelling: Spelling): void {
  const texts = rows.map((row, at) => row.map(cell => cellText(cell, pages[at] as number, spelling)))
  if (kind === 'table') {
    const [head = [], ...body] = texts.map(row => row.map(text => text.replaceAll('|', '\\|')))
    // The rule below the head belongs to its page.
    writeParts(markdownTable(head, body).split('\n'), '\n', [pages[0] as number, ...pages], writer)
  } else {
    const paragraphs = texts.map(row => row.join(' ').trim().replace(BLOCK_MARK, '\\$&'))
    writeParts(paragraphs, '\n\n', pages, writer)
  }
}

/** Writes the parts of a block on their pages. */
function writeParts(parts: readonly string[], space: string, pages: readonly number[], writer: PageWriter): void {
  for (const [at, part] of parts.entries()) {
    if (at > 0) writer.separate(space)
    writer.write(part, pages[at] as number)
  }
}

function cellText(cell: string, page: number, spelling: Spelling): string {
  return joinedLines(cell.split('\n'), new Set([page]), spelling, true)
    .join('')
    .trim()
}

function writeCode(lines: readonly Line[], writer: PageWriter): void {
  const left = Math.min(...lines.map(({ x0 }) => x0))
  const gap = leastGap(lines)
  const shown = lines.flatMap((line, at) => {
    const written = { text: indentation(line, left) + spacedCells(line), page: line.page }
    return isBelowBlank(line, lines[at - 1], gap) ? [{ text: '', page: line.page }, written] : [written]
  })
  const text = shown.map(line => line.text).join('\n')
  const pages = shown.map(({ page }) => page)
  // The fences belong to the pages of the lines beside them.
  writeParts(fencedCode(text).split('\n'), '\n', [pages[0] as number, ...pages, pages.at(-1) as number], writer)
}

/** Two lines of code stand about so many font sizes below each other, or fewer. */
const USUAL_GAP = 1.4
/** Baselines that are nearer are no two lines: a raised mark, or a number beside the line. */
const LEAST_GAP = 0.8
/** At a blank line the distance is twice the usual one. */
const MOST_GAP = 1.6

/** The least distance of two lines of code on one page, at most the usual one. */
function leastGap(lines: readonly Line[]): number {
  return lines.reduce(
    (least, line, at) => {
      const gap = gapAbove(line, lines[at - 1])
      return gap >= LEAST_GAP * line.size ? Math.min(least, gap) : least
    },
    USUAL_GAP * (lines[0]?.size ?? 0),
  )
}

const isBelowBlank = (line: Line, before: Line | undefined, gap: number): boolean =>
  gapAbove(line, before) > MOST_GAP * gap

/** The distance to the line before; 0 where this is on another page or in another column. */
function gapAbove(line: Line, before: Line | undefined): number {
  return before?.page === line.page ? Math.max(0, line.y - before.y) : 0
}

function widthOfCharacter({ x0, x1, text }: { x0: number; x1: number; text: string }): number {
  return Math.max(1, (x1 - x0) / Math.max(1, text.length))
}

function indentation(line: Line, left: number): string {
  const cell = line.cells[0]
  return cell ? ' '.repeat(Math.min(80, Math.round((line.x0 - left) / widthOfCharacter(cell)))) : ''
}

function spacedCells(line: Line): string {
  return line.cells
    .map((cell, index) => {
      const before = line.cells[index - 1]
      if (before === undefined) return cell.text
      const gap = Math.round((cell.x0 - before.x1) / widthOfCharacter(cell))
      return ' '.repeat(Math.min(80, Math.max(1, gap))) + cell.text
    })
    .join('')
}

class PageWriter {
  readonly #pageCount: number
  readonly #parts: string[] = []
  readonly #pages: number[] = []
  #length = 0

  constructor(pageCount: number) {
    this.#pageCount = pageCount
  }

  separate(space: string): void {
    this.#parts.push(space)
    this.#length += space.length
  }

  write(text: string, page: number): void {
    while (this.#pages.length <= page) this.#pages.push(this.#length)
    this.separate(text)
  }

  end(): PagedText {
    while (this.#pages.length < this.#pageCount) this.#pages.push(this.#length)
    return { text: `${this.#parts.join('')}\n`, pages: this.#pages }
  }
}
