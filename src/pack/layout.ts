import { compareText, groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { ContextOrder } from '../core/types.ts'
import { codeLanguageOf } from '../text/code/file-language.ts'
import { isCode } from '../text/code/is-code.ts'
import { openingFence } from '../text/fence.ts'
import { LIST_ITEM } from '../text/sentences/line-forms.ts'
import { type ContextLines, lineBefore, NO_CONTEXT_LINES } from './context-line.ts'
import { withoutDanglingHeadings } from './headings/dangling.ts'
import { JoinedText, joinOf, runsOf } from './join.ts'
import { byPlaceInDocument, inReadingOrder, sectionOf, textOf, type Unit } from './unit.ts'

/** The text of units that continue each other. */
export interface Part {
  text: string
  /** Says where the text stands in its document; '' for none. */
  contextLine: string
  /** Whether it begins in the chunk in which the part before it ends. */
  isSameChunk: boolean
}

/** The text of one section under one source line. */
export interface Block {
  collection: string
  docId: string
  docTitle: string
  pageTitle: string | undefined
  /** See `Candidate`. */
  sourceName: string | undefined
  sectionPath: string
  /** The language of its source code; '' for an unknown one; null for other text. */
  language: string | null
  /** Highest value of its units. */
  value: number
  /** Runs of joined units in reading order, to be separated by gap marks. */
  parts: Part[]
  /** In reading order. */
  units: Unit[]
}

/**
 * Arranges units into blocks, one per section, in reading order inside a block. Orders of the blocks:
 * - `relevance`: best block first;
 * - `document`: documents by their best block, each in reading order;
 * - `edges`: best first and last, the weakest in the middle (Liu et al. 2023, "Lost in the Middle");
 * - `stable`: by document and place, but what an earlier turn of the session packed comes first, so that a prompt cache keeps its prefix.
 * @param previous for `stable`: the turn that first packed a candidate, by its key
 * @param lines the context lines to be shown
 */
export function layOut(
  units: readonly Unit[],
  order: ContextOrder,
  previous: ReadonlyMap<string, number> = new Map(),
  lines: ContextLines = NO_CONTEXT_LINES,
): Block[] {
  if (order === 'stable') return byTurn(units, previous).flatMap(turn => blocksOf(turn, lines).sort(byPlace))
  const blocks = blocksOf(units, lines).sort(byBest)
  if (order === 'document') return groupByDocument(blocks)
  if (order === 'edges') return toEdges(blocks)
  return blocks
}

/** Joins consecutive units that continue each other, without their overlap. */
export function joinUnits(units: readonly Unit[], lines: ContextLines = NO_CONTEXT_LINES): Part[] {
  const parts: (Omit<Part, 'text'> & { text: JoinedText; first: Unit })[] = []
  const runs = runsOf(units)
  runs.forEach((run, index) => {
    const text = textOf(run)
    const before = runs[index - 1]
    const join = joinOf(before, run)
    const part = parts.at(-1)
    if (join === null || part === undefined) {
      const isSameChunk = before?.candidate.key === run.candidate.key
      parts.push({ text: new JoinedText(text), contextLine: lineBefore(before, run, lines), isSameChunk, first: run })
    } else part.text.append(join.separator, text.slice(join.overlap))
  })
  let lost = ''
  return parts.map(({ text, first, ...part }) => {
    const shown = withoutIndentation(String(text), first, part.isSameChunk ? lost : null)
    lost = shown.lost
    return { ...part, text: shown.text }
  })
}

/**
 * The text of a part without blank lines, also those of a quotation, and white space around it, and without indentation that says nothing here.
 * - The first part loses what all its lines have, and in prose its first line all of it that no other line has: of a list or of code, an item of a nested list, or a statement of a
 *   function, is not shown as one of the outer list or of the module. A few lines of code do not look like code, but their chunk does.
 * - A later part of the same chunk loses the same, as far as all its lines have it, so that what it stands in can be seen.
 * - A part that begins inside of a line loses the indentation of that line.
 * - A block of code that is cut out of an item of a list loses that of its fence, because the end of a fence cannot be deeper than its opening.
 *
 * @param first the unit that the part begins with
 * @param lost the indentation that the first part of the chunk lost; null for the first part
 * @returns the text, and the indentation that the first part of the chunk lost
 */
function withoutIndentation(text: string, first: Unit, lost: string | null) {
  const whole = withoutBlankEnds(text)
  const lines = whole.split('\n')
  const above = lineBeforeUnit(first)
  if (above !== '') {
    const shared = sharedIndentation(lines.slice(1), indentationOf(above + text))
    return { text: dedented(lines, shared).trimStart(), lost: lost ?? shared }
  }
  const indent = indentationOf(whole)
  if (indent === '') return { text: whole.trimStart(), lost: lost ?? '' }
  if (openingFence(whole) !== null) {
    const end = lines.findIndex(line => isOutside(line, indent))
    return { text: dedented(lines, indent, end), lost: lost ?? indent }
  }
  const common = sharedIndentation(lines, lost ?? indent)
  const shifted = dedented(lines, common)
  if (lost !== null) return { text: shifted, lost }
  const left = indent.slice(common.length)
  const isShared = lines.slice(1).some(line => line.startsWith(indent))
  const { chunk } = first.candidate
  const isOfCode = codeLanguageOf(chunk) !== null || [whole, chunk.text].some(isCode)
  const keepsPlace = left === '' || isShared || LIST_ITEM.test(whole) || isOfCode
  return { text: keepsPlace ? shifted : shifted.trimStart(), lost: common }
}

/** Blank lines at the start, and the blank lines of a quotation that goes on. */
const BLANK_START = /^(?:[^\S\n]*\n)*(?:(?:[^\S\n]*>[^\S\n]*\n)+(?=[^\S\n]*>))?/u

function withoutBlankEnds(text: string): string {
  const lines = text.replace(BLANK_START, '').trimEnd().split('\n')
  // A sign alone ends code, too: only a quotation has one in the line above.
  while (lines.at(-1)?.trim() === '>' && lines.at(-2)?.trimStart().startsWith('>')) lines.pop()
  return lines.join('\n')
}

/** What stands before a unit in the line that it begins in; '' where it begins with the line. */
function lineBeforeUnit({ candidate, start }: Unit): string {
  const { text } = candidate.chunk
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
}

const indentationOf = (text: string): string => /^[ \t]*/u.exec(text)?.[0] ?? ''

/** What all lines that are not blank have of an indentation. */
function sharedIndentation(lines: readonly string[], indent: string): string {
  return lines.filter(line => line.trim() !== '').reduce((shared, line) => sharedStart(shared, line), indent)
}

const isOutside = (line: string, indent: string): boolean => line.trim() !== '' && !line.startsWith(indent)

/** The lines before `end` without an indentation; all of them when it is below 0. */
function dedented(lines: readonly string[], indent: string, end = -1): string {
  const isInside = (line: string, at: number) => (end < 0 || at < end) && line.startsWith(indent)
  return lines.map((line, at) => (isInside(line, at) ? line.slice(indent.length) : line)).join('\n')
}

function sharedStart(left: string, right: string): string {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return left.slice(0, length)
}

/** Groups units by the turn that first packed them, oldest first, new units last. */
function byTurn(units: readonly Unit[], previous: ReadonlyMap<string, number>): Unit[][] {
  const turns = groupBy(units, ({ candidate }) => previous.get(candidate.key) ?? Number.POSITIVE_INFINITY)
  return [...turns].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, turn]) => turn)
}

function blocksOf(units: readonly Unit[], lines: ContextLines): Block[] {
  const sections = groupBy([...units].sort(inReadingOrder), sectionOf)
  return [...sections.values()].map(withoutDanglingHeadings).flatMap(section => {
    const [first] = section
    if (!first) return []
    const { collection, docId, docTitle, sectionPath } = first.candidate.chunk
    const { sourceName, pageTitle } = first.candidate
    const value = section.reduce((best, unit) => Math.max(best, unit.value), 0)
    const parts = joinUnits(section, lines)
    const languages = new Set(section.map(({ candidate }) => codeLanguageOf(candidate.chunk)))
    const [language = null] = languages.size === 1 ? languages : []
    const named = { collection, docId, docTitle, pageTitle, sourceName, sectionPath }
    return [{ ...named, language, value, parts, units: section }]
  })
}

function byBest(a: Block, b: Block): number {
  return b.value - a.value || byPlace(a, b)
}

function byPlace(a: Block, b: Block): number {
  return (
    compareText(a.collection, b.collection) ||
    compareText(a.docId, b.docId) ||
    byFirstPlace(a, b) ||
    compareText(a.sectionPath, b.sectionPath)
  )
}

function byFirstPlace({ units: [a] }: Block, { units: [b] }: Block): number {
  return a && b ? byPlaceInDocument(a.candidate.chunk, b.candidate.chunk) : 0
}

function groupByDocument(blocks: readonly Block[]): Block[] {
  return [...groupBy(blocks, documentKey).values()].flatMap(group => group.sort(byPlace))
}

function toEdges(blocks: readonly Block[]): Block[] {
  const front = blocks.filter((_, index) => index % 2 === 0)
  const back = blocks.filter((_, index) => index % 2 === 1)
  return [...front, ...back.reverse()]
}
