import { codeLanguageOf } from '../../text/code/file-language.ts'
import { isCode } from '../../text/code/is-code.ts'
import { closesFence, openingFence } from '../../text/fence.ts'
import { isUnderlinedTitle } from '../../text/sentences/line-forms.ts'
import { joinOf } from '../join.ts'
import { textOf, type Unit } from '../unit.ts'
import { isAnchor } from './anchors.ts'

/** Longest heading that is looked at, in UTF-16 code units. */
const LONGEST = 300
/** A heading with hashes, or a line in bold that names what is below it. */
const HEADING = /^[^\S\n]{0,3}(?:#{1,6}[^\S\n]+\S.*|(?:\*\*[^*\n]+\*\*|__[^_\n]+__)[^\S\n]*)$/u
/** The last paragraph of a text, and the blank lines above it. */
const LAST_PARAGRAPH = /(?:^|\n[^\S\n]*\n)([^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*){0,2})\s*$/u

/**
 * Units in reading order without the headings and anchors at their end, when what follows them in the document is not packed: splitters that count characters leave the heading of the next
 * section at the end of a chunk. A unit that has nothing else stays as it is, and so does code, in which such lines are comments.
 */
export function withoutDanglingHeadings(units: readonly Unit[]): Unit[] {
  return units.map((unit, at) => {
    const next = units[at + 1]
    if (next && joinOf(unit, next) !== null) return unit
    const text = textOf(unit)
    const end = endBeforeHeadings(text)
    if (end === text.length || isOfCode(unit, text, end)) return unit
    return { ...unit, end: unit.start + end }
  })
}

/** Where the headings at the end of a text begin; its length when it has none, or nothing else. */
function endBeforeHeadings(text: string): number {
  let end = text.length
  for (;;) {
    const from = Math.max(0, end - 2 * LONGEST)
    const last = LAST_PARAGRAPH.exec(text.slice(from, end))
    const paragraph = last?.[1] ?? ''
    if (last === null || paragraph.length > LONGEST || !isHeading(paragraph)) return end
    const start = from + last.index
    if (text.slice(0, start).trim() === '') return text.length
    end = start
  }
}

const isHeading = (paragraph: string): boolean =>
  HEADING.test(paragraph) || isUnderlinedTitle(paragraph) || isAnchor(paragraph)

/** Whether what begins at a place is code: the file is, the text is, or a fence is open there. */
function isOfCode({ candidate }: Unit, text: string, place: number): boolean {
  if (codeLanguageOf(candidate.chunk) !== null || isCode(text)) return true
  let fence: string | null = null
  for (const line of text.slice(0, place).split('\n')) {
    if (fence === null) fence = openingFence(line)
    else if (closesFence(line, fence)) fence = null
  }
  return fence !== null
}
