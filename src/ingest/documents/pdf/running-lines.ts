import { groupBy } from '../../../core/collections.ts'
import { type Line, type Segment, textOf } from './page-text.ts'
import { groupRows, joinRow } from './rows.ts'
import { readTable } from './tables/aligned.ts'

/** Rows at the top and at the bottom of a page that may be running headers or footers. */
const EDGE_ROWS = 3
/** A running line is on at least this many pages, and on at least this share of them: half of them when left and right pages differ. */
const FEWEST_PAGES = 3
const SHARE = 0.4
/** Notes that something goes on on the next page stand at this many page breaks, at least. */
const FEWEST_BREAKS = 2
const WORDS = /\p{L}{2}.*\s.*\p{L}{2}/u
/** Rows at the same place differ by at most this many points. */
const SAME_PLACE = 4
/** Rows of a table follow each other within this multiple of the font size; a running line stands further from the text. */
const ROW_DISTANCE = 1.9
/** `7`, `- 7 -`, `vii`, `Page 7 of 9`, `7 / 9`, with the number as group 1 where it is in digits. */
const PAGE_NUMBER = /^\W*(?:(?:page|seite|p\.)\s*)?(?:(\d{1,5})|[ivxlc]{1,7})(?:\s*(?:of|von|\/)\s*\d{1,5})?\W*$/i

interface EdgeRow {
  page: number
  y: number
  /** Its text with each number as `#`. */
  key: string
  /** Numbers at the start and at the end of the row. */
  ends: number[]
  /** Value of a row that is only a page number; null otherwise. */
  number: number | null
  segments: Segment[]
}

/** Leaves out headers, footers and page numbers: rows at the edge of a page that most pages have at the same place. */
export function withoutRunningLines(pages: Segment[][]): Segment[][] {
  const rows = pages.flatMap((segments, page) => edgeRows(segments, page))
  const running = new Set<Segment>()
  for (const row of [...repeated(rows, pages.length), ...pageNumbers(rows), ...countingRows(rows, pages.length)])
    for (const segment of row.segments) running.add(segment)
  const bodies = pages.map(segments => segments.filter(segment => !running.has(segment)))
  const notes = new Set(notesAtBreaks(bodies))
  return bodies.map(segments => segments.filter(segment => !notes.has(segment)))
}

/**
 * The last row of a page and the first of the next one, where the same two stand at several page breaks: "continues on next page" and "continued from previous page".
 * Where the rows beside them are the same, too, the pages are copies, and the two are text.
 */
function notesAtBreaks(bodies: readonly Segment[][]): Segment[] {
  const pages = bodies.map(segments => groupRows(segments))
  const breaks = pages.slice(1).map((next, at) => {
    const [last = [], beforeLast = []] = (pages[at] ?? []).slice(-2).reverse()
    const [first = [], second = []] = next
    return { first, last, beside: `${textOf(beforeLast)}\n${textOf(second)}` }
  })
  const notes = breaks.filter(
    ({ first, last }) => WORDS.test(textOf(first)) && WORDS.test(textOf(last)) && textOf(first) !== textOf(last),
  )
  const same = groupBy(notes, ({ first, last }) => `${textOf(last)}\n${textOf(first)}`)
  return [...same.values()]
    .filter(group => group.length >= FEWEST_BREAKS && new Set(group.map(({ beside }) => beside)).size > 1)
    .flatMap(group => group.flatMap(({ first, last }) => [...last, ...first]))
}

function edgeRows(segments: Segment[], page: number): EdgeRow[] {
  const rows = groupRows(segments)
  const edges = rows.length <= 2 * EDGE_ROWS ? rows : [...rows.slice(0, EDGE_ROWS), ...rows.slice(-EDGE_ROWS)]
  return edges
    .filter(row => !isTableHead(row, rows[rows.indexOf(row) + 1]))
    .map(row => {
      const text = row.map(segment => segment.text.trim()).join(' ')
      const key = text.toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, ' ')
      const found = PAGE_NUMBER.exec(text)
      const isOutermost = row === rows[0] || row === rows.at(-1)
      const number = found && isOutermost ? Number(found[1] ?? Number.NaN) : null
      const ends = isOutermost
        ? [/^\d{1,5}(?=\s)/, /(?<=\s)\d{1,5}$/].flatMap(end => end.exec(text)?.map(Number) ?? [])
        : []
      return { page, y: row[0]?.y ?? 0, key, number, ends, segments: row }
    })
}

/** A table that goes on over pages may repeat its head, whose cells stand right above those of the next row. */
function isTableHead(row: Segment[], next: Segment[] | undefined): boolean {
  if (row.every(({ tag }) => tag?.cell?.isHead)) return true
  const [first, below] = [row[0], next?.[0]]
  if (!first || !below || !next || row.length < 2 || next.length < 2) return false
  if (below.y - first.y > ROW_DISTANCE * first.size) return false
  const lines = [row, next].map(segments => joinRow(segments, 0, { left: 0, right: 0 }))
  return readTable(lines, 0) !== null
}

function repeated(rows: EdgeRow[], pages: number): EdgeRow[] {
  return [...groupBy(rows, ({ key }) => key).values()].flatMap(same => atSamePlace(same, pages))
}

/** Rows at the same place of most pages whose first or last number counts the pages: the name of a chapter and the page. */
function countingRows(rows: EdgeRow[], pages: number): EdgeRow[] {
  const numbered = rows.flatMap(row => row.ends.map(number => ({ row, offset: number - row.page })))
  const byOffset = [...groupBy(numbered, ({ offset }) => offset).values()]
  return byOffset.flatMap(same =>
    atSamePlace(
      same.map(({ row }) => row),
      pages,
    ),
  )
}

/** Those rows that most pages have at the same place. The last page may end early, so the row from the bottom does not count. */
function atSamePlace(rows: EdgeRow[], pages: number): EdgeRow[] {
  const most = Math.max(FEWEST_PAGES, SHARE * pages)
  return clusters(rows.sort((a, b) => a.y - b.y))
    .filter(place => new Set(place.map(({ page }) => page)).size >= most)
    .flat()
}

/** Runs of rows, ordered by their place, without a step of more than `SAME_PLACE`. */
function clusters(rows: EdgeRow[]): EdgeRow[][] {
  const groups: EdgeRow[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last && row.y - (last.at(-1)?.y ?? 0) <= SAME_PLACE) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** Rows that hold only a number which counts the pages; and rows with a Roman number, when there is such a row on another page. */
function pageNumbers(rows: EdgeRow[]): EdgeRow[] {
  const numbers = rows.filter(({ number }) => number !== null)
  const offsets = groupBy(numbers, ({ number, page }) => (number ?? 0) - page)
  return numbers.filter(({ number, page }) => {
    if (Number.isNaN(number)) return numbers.length > 1
    const offset = (number ?? 0) - page
    return offset === 1 || (offsets.get(offset)?.length ?? 0) >= FEWEST_PAGES
  })
}

const LEADERS = /(?:\s?\.){4,}\s*(.*)$/u
const NUMBER = /^(?:\d{1,5}|[ivxlc]{1,7})$/iu
/** Entries that a page of contents has at least, and the share of them whose names are lines of later pages. */
const FEWEST_ENTRIES = 5
const SHARE_OF_ENTRIES = 0.5
/** Share of the entries that may have a smaller number than the one before: where a list of figures follows, the pages begin anew. */
const SHARE_OF_DESCENTS = 0.2

const NUMBER_AT_END = /\s(\d{1,5})$/u
const LETTER = /\p{L}/u
const NUMBER_OF_CHAPTER = /^(?:\p{Lu}|[IVXLC]{1,7}|\d{1,3}(?:\.\d{1,3})*)\.?\s+/u

/**
 * Leaves out the entries of contents: lines that end with dots and a number, on pages where these numbers rise and most of the names come
 * back later as lines. A list of prices has such lines as well. Without dots, the name must come back on the page with that number.
 */
export function withoutContents(lines: readonly Line[]): Line[] {
  const leftOut = new Set([...entriesWithLeaders(lines), ...plainEntries(lines)])
  return lines.filter(line => !leftOut.has(line))
}

function entriesWithLeaders(lines: readonly Line[]): Line[] {
  const lastPages = new Map(lines.map(({ text, page }) => [bareName(text), page]))
  const entries = lines.flatMap(line => {
    const leaders = LEADERS.exec(line.text)
    const number = leaders?.[1] ?? ''
    if (leaders === null || !NUMBER.test(number)) return []
    const name = bareName(line.text.slice(0, leaders.index))
    return [{ line, number: Number(number), comesBack: name !== '' && (lastPages.get(name) ?? 0) > line.page }]
  })
  const contents = [...groupBy(entries, ({ line }) => line.page).values()].filter(
    page =>
      page.length >= FEWEST_ENTRIES &&
      page.filter(({ number }, at) => number < (page[at - 1]?.number ?? 0)).length <= SHARE_OF_DESCENTS * page.length &&
      page.filter(({ comesBack }) => comesBack).length >= SHARE_OF_ENTRIES * page.length,
  )
  return contents.flat().map(({ line }) => line)
}

/** Lines that end with the number of a later page which has their name as a line. The numbers of contents all differ from the count of the pages by one offset. */
function plainEntries(lines: readonly Line[]): Line[] {
  const lastPages = new Map<string, number>()
  for (const { text, page } of lines) {
    lastPages.set(bareName(text), page)
    lastPages.set(nameOfChapter(text), page)
  }
  const entries = lines.flatMap(line => {
    const end = NUMBER_AT_END.exec(line.text)
    const name = nameOfChapter(line.text.slice(0, end?.index))
    const page = lastPages.get(name) ?? 0
    return end !== null && LETTER.test(name) && page > line.page ? [{ line, offset: page - Number(end[1]) }] : []
  })
  const [contents = []] = [...groupBy(entries, ({ offset }) => offset).values()].sort((a, b) => b.length - a.length)
  return contents.length >= FEWEST_ENTRIES ? contents.map(({ line }) => line) : []
}

function nameOfChapter(text: string): string {
  return bareName(text.replace(NUMBER_OF_CHAPTER, ''))
}

/** A name may be set otherwise in the contents than above its section. */
function bareName(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase()
}
