import { readSections } from '../../ingest/chunking/sections.ts'

/** A heading of a document with the text it governs. Offsets are UTF-16 code units, end exclusive. */
export interface Section {
  /** "A > B > C", as ingestion writes it to `section_path`. */
  path: string
  /** The path without the document's title, when its first heading is of level 1; null otherwise. */
  shortPath: string | null
  /** Behind the heading's own line. */
  start: number
  /** At the next heading of the same or a higher rank: subsections belong to the section. */
  end: number
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

/** The sections that a path names; a title over everything may be left out of it, and white space does not matter. */
export function sectionsAt(sections: readonly Section[], path: string): Section[] {
  const wanted = tidy(path)
  return sections.filter(
    section => tidy(section.path) === wanted || (section.shortPath && tidy(section.shortPath) === wanted),
  )
}

/** The first heading of a text, of any level; null when it has none. */
export function firstHeading(text: string): string | null {
  return sectionsOf(text)[0]?.path ?? null
}

function tidy(path: string): string {
  return path
    .replace(/\s*>\s*/g, ' > ')
    .replace(/\s+/g, ' ')
    .trim()
}
