import { codeLanguageOf } from '../../text/code/file-language.ts'
import { isCode } from '../../text/code/is-code.ts'
import { closesFence, openingFence } from '../../text/fence.ts'
import { isUnderlinedTitle } from '../../text/sentences/line-forms.ts'
import { joinOf } from '../join.ts'
import { textOf, type Unit } from '../unit.ts'
import { isAnchor } from './anchors.ts'

/** What is looked at of the end of a text, in UTF-16 code units. A longer paragraph is no heading. */
const LONGEST = 300
const HASHES = /^[^\S\n]{0,3}(#{1,6})[^\S\n]+\S/u
/** One hash stands before comments of code. The title of a document has one, too, and is at its start. */
const MAYBE_COMMENT = /^[^\S\n]*#[^#]/u
/** A sentence, or a name and its value. A horizontal rule stands below these, too. */
const SAYS_SOMETHING = /[.!?。！？:;,|]\s*$|[:=]\s/u
/** By how much the line below a title can be longer or shorter. */
const RULE_DIFFERENCE = 2
/** Of the levels of headings: the deepest one of Markdown, and that of a title with another line below it than of `=` or `-`. */
const DEEPEST = 6
const OTHER_RULE = 3

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

/**
 * Where the text before the headings and anchors at its end ends; its length when it has none, or nothing else. Above a heading stands one of a higher level, because
 * the section of any other one is empty, and so not left out.
 */
function endBeforeHeadings(text: string): number {
  let end = text.length
  for (let below = DEEPEST + 1; ; ) {
    const paragraph = lastParagraph(text, end)
    if (!isAnchor(paragraph)) {
      const level = levelOf(paragraph)
      const isLast = below > DEEPEST
      if (level === null || level >= below || (isLast && MAYBE_COMMENT.test(paragraph))) return end
      below = level
    }
    end = text.slice(0, text.lastIndexOf(paragraph, end)).trimEnd().length
    if (end === 0) return text.length
  }
}

/** The last paragraph before a place, without blank lines; '' when it is too long. */
function lastParagraph(text: string, end: number): string {
  const from = Math.max(0, end - LONGEST)
  const lines = text.slice(from, end).trimEnd().split('\n')
  const first = lines.findLastIndex(line => line.trim() === '') + 1
  return first === 0 && from > 0 ? '' : lines.slice(first).join('\n')
}

/** The level of a heading, from 1; null for other paragraphs. */
function levelOf(paragraph: string): number | null {
  const hashes = HASHES.exec(paragraph)?.[1]
  if (hashes !== undefined) return paragraph.includes('\n') ? null : hashes.length
  if (!isUnderlinedTitle(paragraph)) return null
  const [title = '', rule = ''] = paragraph.trim().split('\n').slice(-2)
  const difference = Math.abs(title.trim().length - rule.trim().length)
  if (difference > RULE_DIFFERENCE || SAYS_SOMETHING.test(title)) return null
  return '=-'.indexOf(rule.trim().charAt(0)) + 1 || OTHER_RULE
}

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
