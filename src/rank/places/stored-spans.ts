import { countCodePoints } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'

/** Where a chunk stands in its document or on its page, as the payload says it. */
export interface StoredSpan {
  unit: 'characters' | 'lines'
  /** 0 where the collection stores no pages. */
  page: number
  start: number
  end: number
}

/** Most characters between two chunks that follow each other: splitters take white space away. */
const MOST_CHARACTERS_BETWEEN = 4
/** Lines from the last one of a chunk to the first one of the next, with an empty line between. */
const MOST_LINES_BETWEEN = 2
/** A shorter overlap by the offsets may not be one of the texts, because white space was taken away. */
const SURE_OVERLAP = 16

/** Null when the payload says neither offsets nor lines. A chunk without an end is as long as its text, in code points: frameworks of Python store no ends. */
export function spanOf({ charStart, charEnd, text, lines, page = 0 }: Chunk): StoredSpan | null {
  if (charStart !== null)
    return { unit: 'characters', page, start: charStart, end: charEnd ?? charStart + countCodePoints(text) }
  return lines ? { unit: 'lines', page, start: lines.first, end: lines.last } : null
}

/** Compares for `sort`. */
export function bySpan(left: StoredSpan, right: StoredSpan): number {
  return left.page - right.page || left.start - right.start || left.end - right.end
}

/** Whether a chunk is the first one of its document. */
export function isAtStart({ unit, page, start }: StoredSpan): boolean {
  return page <= 1 && start <= (unit === 'lines' ? 1 : 0)
}

/**
 * How one span follows another one: its text goes on there as the texts `show`, or only as the spans `say`. `denied`: the spans overlap, and the texts do not,
 * so they are none of one text.
 */
export type Following = 'shown' | 'said' | 'denied' | 'none'

/**
 * Two spans on one line follow each other when they share text, because other chunks of the line can stand between them.
 * @param sharesText whether the end of the first text is the start of the second
 */
export function followingOf(left: StoredSpan, right: StoredSpan, sharesText: () => boolean): Following {
  if (left.page !== right.page) return 'none'
  const between = right.start - left.end
  if (left.unit === 'lines' && between > 0) return between <= MOST_LINES_BETWEEN ? 'said' : 'none'
  if (left.unit === 'lines') return sharesText() ? 'shown' : 'none'
  if (between > MOST_CHARACTERS_BETWEEN || right.end <= left.end) return 'none'
  if (between > -SURE_OVERLAP) return 'said'
  return sharesText() ? 'shown' : 'denied'
}
