import type MarkdownIt from 'markdown-it'

/** A line in capitals from the first column on: `FILE FORMAT`, `OPTIONS:`. It has no end of a sentence and no columns. */
const CAPITALS = /^\p{Lu}(?:[^\p{Ll}\s]|[^\S\t](?!\s))*$/u
const LONGEST = 80
const TWO_LETTERS = /\p{Lu}.*\p{Lu}/u
const ENDS = /[.,;!?]$/
/** Sections of a page of a manual stand below its title. */
const DEPTH = 2

/**
 * Reads lines in capitals above indented text as headings, as pages of manuals have them. Such a line begins a paragraph. One line in the
 * first column may stand between: the title of the first of several parts, such as "For assemble:" below `OPTIONS`.
 */
export function readCapitalTitles(parser: MarkdownIt): void {
  parser.block.ruler.before('lheading', 'capital_title', (state, startLine, endLine, silent) => {
    const title = state.src.slice(state.bMarks[startLine], state.eMarks[startLine]).trimEnd()
    const isOutside = state.level === 0 && state.sCount[startLine] === 0
    if (!isOutside || !isInCapitals(title)) return false
    const isIndented = (line: number): boolean => line < endLine && state.sCount[line] !== 0
    const next = state.skipEmptyLines(startLine + 1)
    const isAboveTitle = next === startLine + 1 && isIndented(next + 1)
    if (!isIndented(next) && !isAboveTitle) return false
    if (silent) return true
    const map: [number, number] = [startLine, startLine + 1]
    Object.assign(state.push('heading_open', `h${DEPTH}`, 1), { map, markup: CAPITAL_TITLE })
    Object.assign(state.push('inline', '', 0), { map, content: title, children: [] })
    state.push('heading_close', `h${DEPTH}`, -1)
    state.line = startLine + 1
    return true
  })
}

/** The markup of headings in capitals. */
export const CAPITAL_TITLE = 'capitals'

function isInCapitals(line: string): boolean {
  return line.length <= LONGEST && CAPITALS.test(line) && TWO_LETTERS.test(line) && !ENDS.test(line)
}
