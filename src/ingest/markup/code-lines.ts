import { columnsOf } from '../../text/columns.ts'
import { closesFence, openingFence } from '../../text/fence.ts'

/** What stands before a fence in a quote or a list. */
const BEFORE_FENCE = /^[\s>]*/
const HEADING = /^ {0,3}#{1,6}\s/
/** An item of a list, up to its text. */
const LIST_ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?=\S)/
const CODE_COLUMNS = 4
const TAB_COLUMNS = 4

/** Follows code from line to line: fenced code, and code that is indented by four columns. */
export class CodeLines {
  #fence: string | null = null
  /** Columns at which the text of each open list item begins. */
  #items: number[] = []
  #isIndented = false
  /** Whether indented code can begin in the next line: it does not break a paragraph. */
  #canBegin = true

  /** Whether the next line is in code or is one of its fences. `indents` is false where indentation means nothing. */
  contains(line: string, { indents = true } = {}): boolean {
    const inner = line.replace(BEFORE_FENCE, '')
    if (this.#fence !== null) {
      if (closesFence(inner, this.#fence)) this.#fence = null
      return true
    }
    if (this.#followIndented(line) && indents) return true
    this.#fence = openingFence(inner)
    return this.#fence !== null
  }

  #followIndented(line: string): boolean {
    if (line.trim() === '') {
      this.#canBegin = true
      return false
    }
    const columns = columnsOf(line, TAB_COLUMNS)
    const item = LIST_ITEM.exec(line)?.[0]
    if (this.#canBegin || item) while (columns < (this.#items.at(-1) ?? 0)) this.#items.pop()
    const isDeep = columns >= (this.#items.at(-1) ?? 0) + CODE_COLUMNS
    this.#isIndented = isDeep && (this.#canBegin || this.#isIndented)
    this.#canBegin = HEADING.test(line)
    if (item && !this.#isIndented) this.#items.push(item.length)
    return this.#isIndented
  }
}
