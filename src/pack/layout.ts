import { compareText, groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { ContextOrder } from '../core/types.ts'
import { type ContextLines, lineBefore, NO_CONTEXT_LINES } from './context-line.ts'
import { JoinedText, joinOf, runsOf } from './join.ts'
import { byPlaceInDocument, inReadingOrder, sectionOf, textOf, type Unit } from './unit.ts'

/** The text of units that continue each other. */
export interface Part {
  text: string
  /** Says where the text stands in its document; '' for none. */
  contextLine: string
}

/** The text of one section under one source line. */
export interface Block {
  collection: string
  docId: string
  docTitle: string
  sectionPath: string
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
  const parts: { text: JoinedText; contextLine: string }[] = []
  const runs = runsOf(units)
  runs.forEach((run, index) => {
    const text = textOf(run)
    const join = joinOf(runs[index - 1], run)
    const part = parts.at(-1)
    if (join === null || part === undefined)
      parts.push({ text: new JoinedText(text), contextLine: lineBefore(runs[index - 1], run, lines) })
    else part.text.append(join.separator, text.slice(join.overlap))
  })
  return parts.map(({ text, contextLine }) => ({ text: withoutIndentation(String(text)), contextLine }))
}

/**
 * The text of a part without the indentation of its first line, as far as the lines behind it are indented as well: a block that is cut out of an item
 * of a list, or code out of a class. Without it the end of a fence would be deeper than its opening.
 */
function withoutIndentation(text: string): string {
  const indent = /^(?:[^\S\n]*\n)*([ \t]+)\S/u.exec(text)?.[1]
  if (indent === undefined) return text
  const lines = text.split('\n')
  const outside = lines.findIndex(line => line.trim() !== '' && !line.startsWith(indent))
  const inside = outside < 0 ? lines.length : outside
  return lines.map((line, at) => (at < inside && line.startsWith(indent) ? line.slice(indent.length) : line)).join('\n')
}

/** Groups units by the turn that first packed them, oldest first, new units last. */
function byTurn(units: readonly Unit[], previous: ReadonlyMap<string, number>): Unit[][] {
  const turns = groupBy(units, ({ candidate }) => previous.get(candidate.key) ?? Number.POSITIVE_INFINITY)
  return [...turns].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, turn]) => turn)
}

function blocksOf(units: readonly Unit[], lines: ContextLines): Block[] {
  const sections = groupBy([...units].sort(inReadingOrder), sectionOf)
  return [...sections.values()].flatMap(section => {
    const [first] = section
    if (!first) return []
    const { collection, docId, docTitle, sectionPath } = first.candidate.chunk
    const value = section.reduce((best, unit) => Math.max(best, unit.value), 0)
    return [{ collection, docId, docTitle, sectionPath, value, parts: joinUnits(section, lines), units: section }]
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
