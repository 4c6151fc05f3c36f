import MarkdownIt from 'markdown-it'

/** A line that has the form of a source line. */
export interface SourceLine {
  line: string
  /** Kind of the block at the top level that begins with this line; null when a Markdown parser reads the line inside another block. */
  block: string | null
}

/** CommonMark with tables and HTML. */
const parser = new MarkdownIt({ html: true })

/** The source lines of a context as a Markdown parser sees them. */
export function sourceLinesOf(context: string): SourceLine[] {
  const blocks = new Map(
    parser.parse(context, {}).flatMap(({ type, level, map }) => (level === 0 && map ? [[map[0], type]] : [])),
  )
  return [...context.matchAll(/^[^\S\n]*\[\d+\] .*$/gmu)].map(({ 0: line, index }) => ({
    line,
    // The parser counts every form of a line end.
    block: blocks.get(context.slice(0, index).split(/\r\n|\r|\n/u).length - 1) ?? null,
  }))
}

/** The fences at the top level of a text that open a block of code without end, as a Markdown parser sees them. */
export function openFencesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/u)
  return parser.parse(text, {}).flatMap(({ type, level, map, markup }) => {
    if (type !== 'fence' || level > 0 || !map) return []
    const [start, end] = map
    const last = lines[end - 1]?.trim() ?? ''
    const isClosed = end - 1 > start && last.length >= markup.length && last === markup[0]?.repeat(last.length)
    return isClosed ? [] : [lines[start] ?? '']
  })
}
