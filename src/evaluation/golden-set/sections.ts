import type { Span } from '../../core/types.ts'
import { readSections } from '../../ingest/chunking/sections.ts'

/** The range below a heading, from the end of its line to the next heading of the same or a higher level. */
export interface Section extends Span {
  /** "A > B > C", as ingest writes it to `section_path`. */
  path: string
  /** The path without the title of the document, when the first heading has level 1; else null. */
  shortPath: string | null
}

/** The sections of a markdown text in order. */
export function sectionsOf(text: string): Section[] {
  const headed = readSections(text).flatMap(({ heading, depth, path }) => (heading ? [{ heading, depth, path }] : []))
  let title = ''
  return headed.map(({ heading, depth, path }, index) => {
    if (depth === 1) title = path
    const next = headed.slice(index + 1).find(other => other.depth <= depth)
    const shortPath = title !== '' && path.startsWith(`${title} > `) ? path.slice(title.length + 3) : null
    return { path, shortPath, start: heading.end, end: next?.heading.start ?? text.length }
  })
}

/** The sections with this path. White space does not matter, and the title of the document may be left out. */
export function sectionsAt(sections: readonly Section[], path: string): Section[] {
  const wanted = normalizedPath(path)
  return sections.filter(
    section =>
      normalizedPath(section.path) === wanted || (section.shortPath && normalizedPath(section.shortPath) === wanted),
  )
}

/** A section path with one space between its words and around each `>`, and with composed letters (NFC). */
export function normalizedPath(path: string): string {
  return path
    .normalize()
    .replace(/\s*>\s*/g, ' > ')
    .replace(/\s+/g, ' ')
    .trim()
}
