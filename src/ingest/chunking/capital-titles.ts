import type MarkdownIt from 'markdown-it'

/** A line in capitals that begins in the first column and is no end of a sentence: `FILE FORMAT`, `OPTIONS:`. */
const CAPITALS = /^(?! )\p{Lu}(?:(?!\p{Ll}| {2}|\t).){0,78}\p{Lu}(?:(?!\p{Ll}| {2}|\t)[^.,;!?]){0,40}$/u
/** Fewer such lines in a text may be anything. */
const FEWEST = 2
const DEPTH = 2

/** Makes lines in capitals above indented text headings, as pages of manuals have them, when the text has at least two. */
export function readCapitalTitles(parser: MarkdownIt): void {
  parser.block.ruler.before('lheading', 'capital_title', (state, line, endLine, isSilent) => {
    const title = titleAt(state.src, line)
    return false
  })
}
