import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/** A line that has the form of a source line. */
export interface SourceLine {
  line: string
  /** Kind of the block at the top level that begins with this line; null when a Markdown parser reads the line inside another block. */
  block: string | null
}

/** The source lines of a context as a Markdown parser sees them. */
export function sourceLinesOf(context: string): SourceLine[] {
  const { children } = fromMarkdown(context, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  const kinds = new Map(children.map(({ type, position }) => [position?.start.offset, type]))
  return [...context.matchAll(/^[^\S\n]*\[\d+\] .*$/gmu)].map(({ 0: line, index }) => ({
    line,
    block: kinds.get(index) ?? null,
  }))
}
