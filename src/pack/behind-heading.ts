import type { Candidate, Chunk } from '../core/types.ts'
import { isUnderlined } from '../text/sentences/underlined-title.ts'
import { longestNameIn } from './render.ts'

/** A heading with `#` in the first line of a text. */
const HEADING = /^[^\S\n]{0,3}#{1,6}[^\S\n]+([^\n]{1,300}?)[^\S\n]*#*[^\S\n]*\n/u
const PATH_SEPARATOR = ' > '
/** The last heading of a name that is too long is shown whole up to this share of what is shown. */
const SHOWN_SHARE = 0.6

/** The candidates, whose texts begin behind a heading where the source line has it: it is the last one of the section path, and not so long that it is cut there. */
export function behindHeadings(candidates: readonly Candidate[], budgetTokens: number): Candidate[] {
  const longest = SHOWN_SHARE * longestNameIn(budgetTokens)
  return candidates.map(candidate => {
    const textStart = textStartOf(candidate.chunk, longest)
    return textStart === 0 ? candidate : { ...candidate, textStart }
  })
}

function textStartOf({ text, sectionPath }: Chunk, longest: number): number {
  const { name, end } = headingOf(text) ?? { name: '', end: 0 }
  const words = wordsOf(name)
  if (words === '' || name.length > longest) return 0
  const heading = sectionPath.slice(sectionPath.lastIndexOf(PATH_SEPARATOR) + 1)
  if (words !== wordsOf(heading)) return 0
  const start = end + text.slice(end).search(/\S/u)
  return start < end ? 0 : start
}

/** The heading that a text begins with, and where it ends. */
function headingOf(text: string): { name: string; end: number } | null {
  const [line = '', name] = HEADING.exec(text) ?? []
  if (name !== undefined) return { name, end: line.length }
  const [title = '', rule] = text.split('\n', 2)
  return rule !== undefined && isUnderlined(title, rule) ? { name: title, end: title.length + rule.length + 2 } : null
}

/** Letters and digits in lower case: a heading can have marks of Markdown that a path has not. */
function wordsOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
