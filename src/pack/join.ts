import type { Chunk } from '../core/types.ts'
import type { Unit } from './unit.ts'

/** How a unit goes on from the one before it. */
interface Join {
  /** Characters at the unit's start that the one before it ends with. */
  overlap: number
  separator: string
}

/** Texts longer than this are not searched for an overlap nobody announced. */
const LONGEST_UNKNOWN_OVERLAP = 2000

/** Tells how `next` continues `previous`, or null when text is left out between them. */
export function joinOf(previous: Unit | undefined, next: Unit): Join | null {
  if (!previous) return null
  const left = previous.candidate.chunk
  const right = next.candidate.chunk
  if (previous.candidate.key === next.candidate.key) {
    const between = left.text.slice(previous.end, next.start)
    return between.trim() === '' ? { overlap: 0, separator: between } : null
  }
  const endsOpen = left.text.slice(previous.end).trim() === ''
  const startsOpen = right.text.slice(0, next.start).trim() === ''
  if (!areNeighbours(left, right) || !endsOpen || !startsOpen) return null
  if (next.start > 0 || previous.end < left.text.length) return { overlap: 0, separator: '\n' }
  const repeated = Math.min(overlapOf(left, right), next.end)
  // A unit cut shorter than the overlap does not hold all of it: then the repetition stays, for no text may go missing.
  const overlap = repeated <= previous.end - previous.start ? repeated : 0
  const touching = left.charEnd !== null && left.charEnd === right.charStart
  return { overlap, separator: overlap > 0 || touching ? '' : '\n' }
}

/** Whether `right` is the chunk after `left` in the same document. */
export function areNeighbours(left: Chunk, right: Chunk): boolean {
  return (
    left.collection === right.collection &&
    left.docId === right.docId &&
    left.orderIndex !== null &&
    right.orderIndex === left.orderIndex + 1
  )
}

/** Characters at the start of `right` that repeat the end of `left`: by offsets where known and true, else by comparing the texts. */
function overlapOf(left: Chunk, right: Chunk): number {
  if (left.charEnd !== null && right.charStart !== null) {
    const announced = left.charEnd - right.charStart
    if (announced <= 0 || announced > right.text.length) return 0
    return left.text.endsWith(right.text.slice(0, announced)) ? announced : 0
  }
  return longestBorder(left.text.slice(-LONGEST_UNKNOWN_OVERLAP), right.text.slice(0, LONGEST_UNKNOWN_OVERLAP))
}

/** Longest suffix of `left` that is a prefix of `right`, in linear time (Knuth, Morris, Pratt 1977). */
function longestBorder(left: string, right: string): number {
  if (right === '') return 0
  const text = `${right}\u0000${left}`
  const border = new Int32Array(text.length)
  for (let index = 1; index < text.length; index++) {
    let length = border[index - 1] ?? 0
    while (length > 0 && text[index] !== text[length]) length = border[length - 1] ?? 0
    border[index] = text[index] === text[length] ? length + 1 : 0
  }
  const found = border[text.length - 1] ?? 0
  return Math.min(found, right.length)
}

/**
 * Two texts as one. White space at the seam stays as it is up to a paragraph's break; more than that is layout gone wrong, and would be
 * paid for in tokens.
 */
export function joinTexts(left: string, separator: string, right: string): string {
  const from = left.trimEnd()
  const to = right.trimStart()
  const seam = `${left.slice(from.length)}${separator}${right.slice(0, right.length - to.length)}`
  return `${from}${seam.length <= 2 ? seam : seam.includes('\n') ? '\n\n' : ' '}${to}`
}
