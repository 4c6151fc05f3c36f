import MarkdownIt, { type Token } from 'markdown-it'
import type { Span } from '../../core/types.ts'
import { type DrawnTable, drawnLines, isDrawnRule, readDrawnTable } from '../../text/sentences/drawn-table.ts'
import { hasColumns, isTitleRule } from '../../text/sentences/line-forms.ts'
import { headingTitle } from '../markup/heading-title.ts'
import { CAPITAL_TITLE, readCapitalTitles } from './capital-titles.ts'
import { equalsTitles } from './equals-titles.ts'
import { maskForParsing } from './masking.ts'
import { numberedTitles, readNumberedTitles, type TitleLines } from './numbered-titles.ts'
import { LONGEST_TITLE, SENTENCE, underlinedTitles } from './underlined-titles.ts'

/** An item, a row or a line. */
export interface Part extends Span {
  /** The head of the table that a row belongs to: the names of the columns and the rule below them; the opening fence of a line of code; null for all else. */
  head: Span | null
}

export interface Block extends Span {
  kind: 'prose' | 'code' | 'atomic'
  /** Where a block that is too large is cut; empty for prose. */
  parts: Part[]
}

/** A heading with the text up to the next heading of any level. */
export interface Section {
  /** 0 before the first heading, else 1 to 6. */
  depth: number
  /** "A > B > C"; empty before the first heading. */
  path: string
  /** The line of the heading that has its text. */
  header: string
  heading: Span | null
  blocks: Block[]
}

// Only blocks are parsed. A link definition reads like a paragraph.
const blockParser = new MarkdownIt({ html: true }).disable(['reference'])
// In text that is no Markdown, `#` may begin a comment, and indented lines are mostly prose.
const plainParser = new MarkdownIt({ html: true }).disable(['reference', 'heading', 'code'])
const manualParser = new MarkdownIt({ html: true }).disable(['reference', 'heading', 'code']).use(readCapitalTitles)
const NO_TITLES: TitleLines = new Map()
const numberedParser = new MarkdownIt({ html: true }).disable(['reference', 'heading', 'code']).use(readNumberedTitles)

/**
 * Cuts a markdown or plain text into sections and blocks. Headings inside code, quotes and lists do not start sections, and front
 * matter is prose. Every character that is not white space is in a heading or a block. Time is linear in the length of the text.
 *
 * @param isPlain whether the text is no Markdown by its kind, so that lines with `#` may be comments in code
 */
export function readSections(text: string, isPlain = false): Section[] {
  const sections: Section[] = [{ depth: 0, path: '', header: '', heading: null, blocks: [] }]
  const titles: { depth: number; title: string }[] = []
  for (const block of parseBlocks(text, isPlain)) {
    if (block.heading === null) {
      sections.at(-1)?.blocks.push(block)
      continue
    }
    const { depth, title } = block.heading
    while ((titles.at(-1)?.depth ?? 0) >= depth) titles.pop()
    titles.push({ depth, title })
    sections.push({
      depth,
      path: titles.map(entry => entry.title).join(' > '),
      header: (withoutRule(text.slice(block.start, block.end)).split(/[\r\n]/, 1)[0] ?? '').trim(),
      heading: { start: block.start, end: block.end },
      blocks: [],
    })
  }
  return sections.filter(section => section.heading !== null || section.blocks.length > 0)
}

interface ParsedBlock extends Block {
  heading: { depth: number; title: string } | null
}

/** The blocks of the document itself, without those inside lists and quotes. */
function* parseBlocks(text: string, isPlain: boolean): Iterable<ParsedBlock> {
  const lines = linesOf(text)
  const tokens = tokensOf(text, lines, isPlain)
  for (const [index, token] of tokens.entries()) {
    if (token.level !== 0 || token.map === null) continue
    const span = spanOf(token, lines, text, isPlain)
    const heading = headingAt(tokens, index, isPlain)
    const block = heading === null ? partsOf(tokens, index, span, lines, text) : PROSE
    yield { ...span, ...block, heading }
  }
}

/** The heading of the document that opens at a token; null for what is none. */
function headingAt(tokens: readonly Token[], index: number, isPlain: boolean): ParsedBlock['heading'] {
  const token = tokens[index]
  if (token?.type !== 'heading_open' || token.level !== 0) return null
  const name = withoutRule(tokens[index + 1]?.content ?? '')
  return isProseAboveRule(token, name, isPlain)
    ? null
    : { depth: Number(token.tag.slice(1)), title: headingTitle(name) }
}

function tokensOf(text: string, lines: Span[], isPlain: boolean): Token[] {
  const masked = maskForParsing(text, isPlain)
  const parse = (parser: MarkdownIt, env = {}): Token[] => {
    const tokens: Token[] = []
    parser.block.parse(masked, parser, env, tokens)
    return tokens
  }
  const tokens = parse(blockParser)
  const marked = isPlain ? equalsTitles(text) : NO_TITLES
  if (marked.size > 0) {
    const ofEquals = parse(numberedParser, { titles: marked })
    // What stands in code is no title, and must not take the headings of Markdown around it.
    const titles = headingsOf(ofEquals).filter(({ markup }) => markup === 'number')
    if (titles.length > aloneWithHash(tokens, text, lines).length) return ofEquals
  }
  if (!isPlain) return tokens
  const underlined = underlinedTitles(text)
  if (underlined.size > aloneWithHash(tokens, text, lines).length) return parse(numberedParser, { titles: underlined })
  if (marksHeadings(tokens, text, lines)) return tokens
  const ofManual = parse(manualParser)
  if (isManual(ofManual, text, lines)) return ofManual
  const ofPlain = parse(plainParser)
  if (ofPlain.some((_, at) => headingAt(ofPlain, at, isPlain) !== null)) return ofPlain
  const titles = numberedTitles(text)
  return titles.size === 0 ? ofPlain : parse(numberedParser, { titles })
}

/** Paragraphs in the first column for each title. A page of a manual has its first and last line there, and indents its text. */
const MOST_PARAGRAPHS = 2

/** Whether lines in capitals are the titles of a text: one may be anything, and so may some in a text that begins its paragraphs in the first column. */
function isManual(tokens: readonly Token[], text: string, lines: Span[]): boolean {
  const titles = tokens.filter(({ type, markup }) => type === 'heading_open' && markup === CAPITAL_TITLE)
  const paragraphs = tokens.filter(
    ({ type, level, map }) =>
      type === 'paragraph_open' && level === 0 && /\S/u.test(text[lines[map?.[0] ?? 0]?.start ?? 0] ?? ''),
  )
  return titles.length > 1 && paragraphs.length <= MOST_PARAGRAPHS * titles.length
}

/** A line of a table or of a drawing. */
const DRAWN = /^\|/u

/** Whether Markdown takes prose for a heading because a line of hyphens stands below it: several lines, a long one, a row of a table or of a drawing, or, in text that is no Markdown, a sentence. */
function isProseAboveRule({ markup }: Token, name: string, isPlain: boolean): boolean {
  if (markup !== '-' && markup !== '=') return false
  if (name.includes('\n') || name.length > LONGEST_TITLE || DRAWN.test(name) || hasColumns(name)) return true
  return isPlain && SENTENCE.test(name)
}

/** Whether most headings are lines with `#` between blank lines. Code follows its comments without one. */
function marksHeadings(tokens: readonly Token[], text: string, lines: Span[]): boolean {
  return 2 * aloneWithHash(tokens, text, lines).length > headingsOf(tokens).length
}

const headingsOf = (tokens: readonly Token[]): Token[] =>
  tokens.filter(({ type, level }) => type === 'heading_open' && level === 0)

/** The headings with `#` between blank lines. */
function aloneWithHash(tokens: readonly Token[], text: string, lines: Span[]): Token[] {
  const isBlank = (line: Span | undefined): boolean =>
    line === undefined || text.slice(line.start, line.end).trim() === ''
  return headingsOf(tokens).filter(({ markup, map }) => {
    const [first, next] = map ?? [0, 0]
    return markup.startsWith('#') && isBlank(lines[first - 1]) && isBlank(lines[next])
  })
}

/** A heading without the line that reStructuredText may write above it, which Markdown takes for its first words. */
function withoutRule(heading: string): string {
  const [first = ''] = heading.split(/[\r\n]/, 1)
  return first !== heading && isTitleRule(first) ? heading.slice(first.length).trimStart() : heading
}

const PROSE = { kind: 'prose', parts: [] } satisfies Omit<Block, keyof Span>

/** Where a block is cut when it is too large: a list at its items, a table at its rows, also inside an item or a paragraph, code and HTML at their lines. */
function partsOf(tokens: Token[], index: number, span: Span, lines: Span[], text: string): Omit<Block, keyof Span> {
  const map = tokens[index]?.map ?? null
  switch (tokens[index]?.type) {
    case 'bullet_list_open':
    case 'ordered_list_open':
    case 'table_open':
      return { kind: 'atomic', parts: tile(span, startsOf(tokens, index, lines)) }
    case 'fence':
      return { kind: 'code', parts: tile(span, fencedStarts(linesIn(span, map, lines), text)) }
    case 'code_block':
      return { kind: 'code', parts: tile(span, drawnRows(linesIn(span, map, lines), text, true)) }
    case 'html_block':
      return { kind: 'atomic', parts: linesIn(span, map, lines) }
    default: {
      const rows = drawnRows(linesIn(span, map, lines), text)
      return rows.length > 1 ? { kind: 'atomic', parts: tile(span, rows) } : PROSE
    }
  }
}

/** Where a part begins, and the head that it is below. */
type Start = Pick<Part, 'start' | 'head'>

/** The starts of items and rows in the list or the table that opens at `index`, and of what follows a table in an item. */
function startsOf(tokens: Token[], index: number, lines: Span[]): Start[] {
  const starts: Start[] = []
  let open: { start: number; afterLast: number; head: Span | null } | null = null
  for (let at = index; at === index || (tokens[at]?.level ?? 0) > 0; at++) {
    const { type, level, map } = tokens[at] as Token
    const start = lines[map?.[0] ?? 0]?.start ?? 0
    if (type === 'list_item_open' && level === 1) starts.push({ start, head: null })
    if (type === 'table_open') open = { start, afterLast: map?.[1] ?? 0, head: null }
    if (type === 'tr_open' && open !== null) {
      if (start > open.start) open.head ??= { start: open.start, end: start }
      starts.push({ start, head: open.head })
    }
    if (type === 'table_close' && open !== null) {
      const next = lines[open.afterLast]
      if (next) starts.push({ start: next.start, head: null })
      open = null
    }
  }
  return starts
}

/** Extends each part to the next one, so that they cover the whole: the rule of a table joins its head row. */
function tile(whole: Span, starts: Start[]): Part[] {
  return starts
    .map(({ start, head }, index) => ({
      start: Math.max(start, whole.start),
      end: Math.min(starts[index + 1]?.start ?? whole.end, whole.end),
      head,
    }))
    .filter(({ start, end }) => start < end)
}

/**
 * The starts of the rows of tables that are drawn with signs, and of the text around them, or of its lines in code. A program writes its
 * result right below the command and above the number of rows.
 */
function drawnRows(lines: readonly Span[], text: string, isCode = false): Start[] {
  const starts: Start[] = []
  let isText = true
  for (let at = 0; at < lines.length; ) {
    const { start, end } = lines[at] as Span
    const drawn = isDrawnRule(text.slice(start, end)) ? drawnLines(text, start).slice(0, lines.length - at) : []
    const table = readDrawnTable(drawn)
    const isTable = table !== null && (table.headLines > 0 || drawn.length === lines.length)
    const next = at + Math.max(1, drawn.length)
    if (isTable) starts.push(...rowStarts(table, lines, at))
    else if (isCode) starts.push(...lines.slice(at, next).map(line => ({ start: line.start, head: null })))
    else if (!isText || at === 0) starts.push({ start, head: null })
    isText = !isTable
    at = next
  }
  return starts
}

/** @param first place of the first line of the table */
function rowStarts({ headLines, rows }: DrawnTable, lines: readonly Span[], first: number): Start[] {
  const startOf = (at: number): number => lines[first + at]?.start ?? 0
  const head = headLines === 0 ? null : { start: startOf(0), end: startOf(headLines) }
  const below = rows.map(at => ({ start: startOf(at), head }))
  return head === null ? below : [{ start: head.start, head: null }, ...below]
}

/** Where fenced code is cut: its fences, which say nothing alone, stay with the lines beside them. The opening one is the head of all lines that have no other. */
function fencedStarts(lines: readonly Part[], text: string): Start[] {
  const [fence, ...code] = lines
  if (fence === undefined) return []
  const below = drawnRows(code.slice(0, -1), text, true).slice(1)
  const head = { start: fence.start, end: fence.end }
  return [fence, ...below.map(line => ({ ...line, head: line.head ?? head }))]
}

function linesIn(span: Span, map: [number, number] | null, lines: Span[]): Part[] {
  const within = map === null ? [] : lines.slice(...map).filter(line => line.start < span.end)
  return within.map(line => ({ ...line, head: null }))
}

/** The lines with their ends. */
function linesOf(text: string): Span[] {
  return Array.from(text.matchAll(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g), ({ 0: line, index }) => {
    return { start: index, end: index + line.length }
  })
}

/** The lines of a token without white space around them; code and text that is no Markdown keep the indentation of their first line. */
function spanOf({ map, type }: Token, lines: Span[], text: string, isPlain: boolean): Span {
  const [first, afterLast] = map ?? [0, 0]
  const from = lines[first]?.start ?? 0
  const slice = text.slice(from, lines[afterLast - 1]?.end)
  const start = isPlain || type === 'code_block' ? from : from + slice.length - slice.trimStart().length
  return { start, end: Math.max(start, from + slice.trimEnd().length) }
}
