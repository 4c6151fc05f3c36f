import { splitSentences } from '../../text/sentences/sentences.ts'
import type { CutSentence } from './units.ts'

/** The first cell of a row of Markdown, with the bars around it: not one behind a backslash. */
const FIRST_CELL = /^\s*\|?(?:[^|\\]|\\.)*\|/su
/** The bar at the end of a row is no sentence. */
const WORD = /[\p{L}\p{N}]/u

/**
 * The sentences of a row of a table that is too long as a whole. The first part has the cells before the first sentence, too, so it is a row by itself: a row may lack its last cells and the bar at its end.
 * None when the row has no first cell or only one sentence behind it.
 */
export function rowPartsOf(row: CutSentence): CutSentence[] {
  const name = FIRST_CELL.exec(row.text)?.[0].length ?? 0
  const sentences = name === 0 ? [] : splitSentences(row.text.slice(name))
  const starts = sentences.filter(({ text }, at) => at > 0 && WORD.test(text)).map(({ start }) => name + start)
  if (starts.length === 0) return []
  return [0, ...starts].map((from, at) => {
    const to = starts[at] ?? row.text.length
    return { text: row.text.slice(from, to), start: row.start + from, end: row.start + to, kind: row.kind }
  })
}
