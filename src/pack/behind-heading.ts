import type { Candidate, Chunk } from '../core/types.ts'
import { isUnderlined } from '../text/sentences/underlined-title.ts'
import { longestNameIn, type Renderer } from './render.ts'

const HASHES = /^[^\S\n]{0,3}#{1,6}(?=[^\S\n])/u
const CLOSING_HASHES = /#+$/u
const BLANK_LINES = /^(?:[^\S\n]*\n)*/u
const PATH_SEPARATOR = ' > '
/** Marks of Markdown, which a heading can have and a section path has not. */
const MARKS = /[*_`~\\\s]+/gu
/** Longest heading that is looked at, in UTF-16 code units. */
const LONGEST = 300

/** The candidates, whose texts begin behind a heading where it is the last one of the section path and the source line shows it whole. */
export function behindHeadings(
  candidates: readonly Candidate[],
  renderer: Renderer,
  budgetTokens: number,
): Candidate[] {
  const longestName = longestNameIn(budgetTokens)
  return candidates.map(candidate => {
    const textStart = textStartOf(candidate.chunk, chunk => renderer.shownPath(chunk, longestName))
    return textStart === 0 ? candidate : { ...candidate, textStart }
  })
}

function textStartOf(chunk: Chunk, shownPath: (chunk: Chunk) => string): number {
  const { text, sectionPath } = chunk
  if (sectionPath === '') return 0
  const { name, end } = headingOf(text) ?? { name: '', end: 0 }
  const heading = plain(name)
  if (heading === '' || heading !== plain(lastOf(sectionPath)) || heading !== plain(lastOf(shownPath(chunk)))) return 0
  const start = end + (BLANK_LINES.exec(text.slice(end))?.[0].length ?? 0)
  return text.slice(start).trim() === '' ? 0 : start
}

/** The heading that a text begins with, and where its lines end. */
function headingOf(text: string): { name: string; end: number } | null {
  const end = text.indexOf('\n') + 1
  if (end === 0 || end > LONGEST) return null
  const line = text.slice(0, end)
  const hashes = HASHES.exec(line)?.[0]
  if (hashes !== undefined) return { name: line.slice(hashes.length).trim().replace(CLOSING_HASHES, ''), end }
  const below = text.indexOf('\n', end) + 1
  if (below === 0 || below - end > LONGEST || !isUnderlined(line, text.slice(end, below))) return null
  return { name: line, end: below }
}

const lastOf = (path: string): string => path.split(PATH_SEPARATOR).at(-1) ?? ''
const plain = (name: string): string => name.toLowerCase().replace(MARKS, ' ').trim()
