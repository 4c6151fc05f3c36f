import { compareText, groupBy } from '../core/collections.ts'
import { documentKey, sectionKey } from '../core/keys.ts'
import type { ContextOrder } from '../core/types.ts'
import { joinOf, joinTexts } from './join.ts'
import { textOf, type Unit } from './unit.ts'

/** A run of text under one source line. `parts` are separated by gap marks. */
export interface Block {
  collection: string
  docId: string
  docTitle: string
  sectionPath: string
  /** Value of its best unit. */
  value: number
  parts: string[]
  units: Unit[]
}

/**
 * Arranges units into blocks, one per section of a document: reading order inside a block, neighbours joined without their overlap,
 * gap marks where text is left out. Blocks then stand in the order asked for:
 * - `relevance`: best block first;
 * - `document`: documents by their best block, each in reading order;
 * - `edges`: best first and last, the weakest in the middle (Liu et al. 2023, "Lost in the Middle");
 * - `stable`: by document and place, what a session packed in an earlier turn before what is new, so that a prompt cache keeps its prefix.
 * @param previous for `stable` only: the turn in which a candidate was first packed in this session, by its key
 */
export function layOut(
  units: readonly Unit[],
  order: ContextOrder,
  previous: ReadonlyMap<string, number> = new Map(),
): Block[] {
  if (order === 'stable') return byTurn(units, previous).flatMap(turn => blocksOf(turn).sort(byPlace))
  const blocks = blocksOf(units).sort(byBest)
  if (order === 'document') return groupByDocument(blocks)
  if (order === 'edges') return toEdges(blocks)
  return blocks
}

/** Units by the turn that first packed them, oldest first, new ones last. */
function byTurn(units: readonly Unit[], previous: ReadonlyMap<string, number>): Unit[][] {
  const turns = groupBy(units, ({ candidate }) => previous.get(candidate.key) ?? Number.POSITIVE_INFINITY)
  return [...turns].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, turn]) => turn)
}

function blocksOf(units: readonly Unit[]): Block[] {
  return [...groupBy(units, ({ candidate }) => sectionKey(candidate.chunk)).values()].map(toBlock)
}

function toBlock(group: readonly Unit[]): Block {
  const units = [...group].sort(inReadingOrder)
  const { collection, docId, docTitle, sectionPath } = units[0]?.candidate.chunk ?? {
    collection: '',
    docId: '',
    docTitle: '',
    sectionPath: '',
  }
  const parts: string[] = []
  units.forEach((unit, index) => {
    const text = textOf(unit)
    const join = joinOf(units[index - 1], unit)
    if (join === null) parts.push(text)
    else parts.push(joinTexts(parts.pop() ?? '', join.separator, text.slice(join.overlap)))
  })
  return {
    collection,
    docId,
    docTitle,
    sectionPath,
    value: units.reduce((best, { value }) => Math.max(best, value), 0),
    parts,
    units,
  }
}

function inReadingOrder(a: Unit, b: Unit): number {
  const left = a.candidate.chunk
  const right = b.candidate.chunk
  return (
    (left.orderIndex ?? 0) - (right.orderIndex ?? 0) ||
    (left.charStart ?? 0) - (right.charStart ?? 0) ||
    compareText(a.candidate.key, b.candidate.key) ||
    a.start - b.start
  )
}

function byBest(a: Block, b: Block): number {
  return b.value - a.value || byPlace(a, b)
}

function byPlace(a: Block, b: Block): number {
  return (
    compareText(a.collection, b.collection) ||
    compareText(a.docId, b.docId) ||
    firstPlace(a) - firstPlace(b) ||
    compareText(a.sectionPath, b.sectionPath)
  )
}

function firstPlace(block: Block): number {
  return block.units[0]?.candidate.chunk.orderIndex ?? 0
}

function groupByDocument(blocks: readonly Block[]): Block[] {
  return [...groupBy(blocks, documentKey).values()].flatMap(group => group.sort(byPlace))
}

function toEdges(blocks: readonly Block[]): Block[] {
  const front = blocks.filter((_, index) => index % 2 === 0)
  const back = blocks.filter((_, index) => index % 2 === 1)
  return [...front, ...back.reverse()]
}
