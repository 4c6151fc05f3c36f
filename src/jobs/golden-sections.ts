import { fromMarkdown } from 'mdast-util-from-markdown'

/** A heading of a document with the text it governs. Offsets are UTF-16 code units, end exclusive. */
export interface Section {
  /** Texts of the headings from the outermost down to this one. */
  headings: string[]
  /** Level of the outermost heading, 1 to 6. */
  topLevel: number
  /** Behind the heading's own line. */
  start: number
  /** At the next heading of the same or a higher rank: subsections belong to the section. */
  end: number
}

interface MarkdownNode {
  type: string
  depth?: number
  value?: string
  alt?: string | null
  children?: MarkdownNode[]
  position?: { start: { offset?: number }; end: { offset?: number } }
}

/** The sections of a markdown text in order. Headings inside quotes or lists open none. */
export function sectionsOf(text: string): Section[] {
  const root = fromMarkdown(text) as MarkdownNode
  const open: { depth: number; text: string; section: Section }[] = []
  const sections: Section[] = []
  for (const node of root.children ?? []) {
    const { depth, position } = node
    if (node.type !== 'heading' || depth === undefined) continue
    const headingStart = position?.start.offset ?? 0
    while (open.length > 0 && (open.at(-1)?.depth ?? 0) >= depth) {
      const closed = open.pop()
      if (closed) closed.section.end = headingStart
    }
    const heading = textOf(node).replace(/\s+/g, ' ').trim()
    const section: Section = {
      headings: [...open.map(outer => outer.text), heading],
      topLevel: open[0]?.depth ?? depth,
      start: position?.end.offset ?? 0,
      end: text.length,
    }
    open.push({ depth, text: heading, section })
    sections.push(section)
  }
  return sections
}

/**
 * The sections that a path "A > B > C" names. A level-1 heading over everything is the document's title and may be left out of the path.
 */
export function sectionsAt(sections: Section[], path: string): Section[] {
  const wanted = path
    .split('>')
    .map(heading => heading.replace(/\s+/g, ' ').trim())
    .join(' > ')
  return sections.filter(({ headings, topLevel }) => {
    if (headings.join(' > ') === wanted) return true
    return topLevel === 1 && headings.length > 1 && headings.slice(1).join(' > ') === wanted
  })
}

function textOf(node: MarkdownNode): string {
  return node.value ?? node.alt ?? (node.children ?? []).map(textOf).join('')
}
