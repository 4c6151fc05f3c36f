import { listMark } from './lists/list-mark.ts'
import type { Line } from './page-text.ts'

/** Distance of two lines of a paragraph over the font size, at most, as a multiple of the usual one. */
const MOST_LEADING = 1.3
/** The usual distance where the document does not tell. */
const USUAL_LEADING = 1.2
/** After the end of a sentence, a smaller distance parts paragraphs. */
const MOST_LEADING_AFTER_SENTENCE = 1.15
const SENTENCE_END = /[.!?:;]["'”’)\]]*\d{0,2}$/
/** The start of a line that is no start of a sentence. */
const GOES_ON = /^[\p{Ll}\p{Lo}("'“‘]/u
/** A first line is indented by more than this share of the font size. */
const INDENT = 0.6

/** Dots that lead to a page number in a table of contents. */
export const LEADERS = /(?:\s?\.){4,}/

/** The usual distance of two lines of a paragraph, as a multiple of the font size. Only lines that surely go on count. */
export function usualLeading(lines: readonly Line[]): number {
  const ratios: number[] = []
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1]
    if (before === undefined || before.page !== line.page || before.size !== line.size) continue
    if (SENTENCE_END.test(before.text) || !GOES_ON.test(line.text)) continue
    const ratio = (line.y - before.y) / line.size
    if (ratio > 0.8 && ratio < 2.5) ratios.push(ratio)
  }
  ratios.sort((a, b) => a - b)
  return ratios[Math.floor(ratios.length / 2)] ?? USUAL_LEADING
}

/** Whether a new paragraph or item begins with `line`. `first` is the first line of the paragraph so far. */
export function begins(line: Line, before: Line, first: Line, leading: number): boolean {
  if (line.tag && before.tag && !areParagraphsOnTwoPages(before, line)) return line.tag.block !== before.tag.block
  if (Math.abs(line.size - before.size) > 0.12 * before.size && line.page === before.page) return true
  const isSameColumn = line.page === before.page && line.y > before.y
  if (!isSameColumn) return !goesOn(before, line)
  const distance = (line.y - before.y) / (leading * line.size)
  if (distance > (SENTENCE_END.test(before.text) ? MOST_LEADING_AFTER_SENTENCE : MOST_LEADING)) return true
  const inList = listMark(first.text) !== null
  if (listMark(line.text) && isItemStart(line, before, inList)) return true
  if (inList) return line.x0 < first.x0 + 0.3 * line.size
  if (isIndented(line) && !isIndented(before) && endsLine(before)) return true
  return isShort(before, line) && /[.!?:]["'”’)\]]?$/.test(before.text)
}

/**
 * Whether a line surely goes on with the line before, whatever its font: tags say that both are one block, or that line ends exactly at the
 * right edge of the column, as lines of set text do, and the line stands right below it or at the top of the next page, and no deeper.
 */
export function surelyGoesOn(line: Line, before: Line, leading: number): boolean {
  if (SENTENCE_END.test(before.text) || isShort(before, line) || listMark(line.text)) return false
  if (line.tag && before.tag && !areParagraphsOnTwoPages(before, line)) return line.tag.block === before.tag.block
  if (before.column.right - before.x1 > 0.1 * before.size) return false
  if (Math.abs(line.size - before.size) > 0.12 * before.size) return false
  const isBelow = line.page === before.page && line.y > before.y
  const distance = (line.y - before.y) / (leading * line.size)
  const depth = line.x0 - line.column.left - (before.x0 - before.column.left)
  return (!isBelow || distance <= MOST_LEADING) && (depth < 0.3 * line.size || listMark(before.text) !== null)
}

/** Tags number the blocks of each page anew, so that they do not tell whether a paragraph goes on. */
function areParagraphsOnTwoPages(before: Line, line: Line): boolean {
  const isPlain = ({ tag }: Line) => tag?.item === null && tag.cell === null && tag.headingLevel === 0
  return before.page !== line.page && isPlain(before) && isPlain(line)
}

/** Whether a paragraph goes on in the next column or on the next page. */
function goesOn(before: Line, line: Line): boolean {
  if (listMark(line.text) || Math.abs(line.size - before.size) > 0.3) return false
  if (/[\p{L}][-\u00AD\u2010]$/u.test(before.text)) return true
  return !/[.!?:]["'”’)\]]*$/.test(before.text) && !isShort(before) && /^[\p{Ll}\p{Lo}\d("'“‘]/u.test(line.text)
}

function isItemStart(line: Line, before: Line, inList: boolean): boolean {
  return inList || line.x0 > line.column.left + 0.5 * line.size || isShort(before) || /[.!?:;,]$/.test(before.text)
}

function isIndented(line: Line): boolean {
  const indent = line.x0 - line.column.left
  return indent > INDENT * line.size && indent < 5 * line.size
}

function endsLine(before: Line): boolean {
  return isShort(before) || SENTENCE_END.test(before.text)
}

/** Whether a line ends clearly before its column does, or so early that the first word of the next line had room. */
function isShort(line: Line, next?: Line): boolean {
  const space = line.column.right - line.x1
  if (space > 0.12 * (line.column.right - line.column.left)) return true
  if (next === undefined || next.text === '') return false
  const word = /^\S+/.exec(next.text)?.[0].length ?? 0
  return space > ((word + 2) * (next.x1 - next.x0)) / next.text.length
}
