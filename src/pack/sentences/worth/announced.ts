import { addTo } from '../../../core/collections.ts'
import type { MeasuredSentence } from '../measured.ts'

/** Share of the probability of a lead-in that the items of its list get. */
const LEAD_IN_SHARE = 0.5
const FEWEST_ITEMS = 2

/** Places of the rows below the head of a table, or of the items of the list below a lead-in, by the place of what announces them. */
type Announced = ReadonlyMap<number, readonly number[]>

export function announcedParts(sentences: readonly MeasuredSentence[]): Announced {
  const announced = new Map<number, number[]>()
  for (const { place, kind, opens, isHeading, isItem, head } of sentences) {
    if (kind === 'row' && !opens) for (const above of head) addTo(announced, above, place)
    if (kind === 'row' || !opens || isHeading || isItem) continue
    const items = itemsFrom(place + 1, sentences)
    if (items.length >= FEWEST_ITEMS) announced.set(place, items)
  }
  return announced
}

function itemsFrom(first: number, sentences: readonly MeasuredSentence[]): number[] {
  const items: number[] = []
  for (let at = first; sentences[at]?.isItem; at++) items.push(at)
  return items
}

/**
 * The probabilities of sentences with those of what announces others shared out among these, in proportion to theirs: rows get that of the head of their table, which is shown with each of
 * them and has none itself, and the items of a list half of that of their lead-in, which keeps its own. So the first row or item is not chosen for what stands above it.
 */
export function sharedOut(
  probabilities: readonly number[],
  sentences: readonly MeasuredSentence[],
  announced: Announced,
): number[] {
  const shared = [...probabilities]
  for (const [place, parts] of announced) {
    const own = probabilities[place] ?? 0
    const sum = parts.reduce((total, part) => total + (probabilities[part] ?? 0), 0)
    if (sum === 0) continue
    const isHead = sentences[place]?.kind === 'row'
    const given = isHead ? own : LEAD_IN_SHARE * own
    for (const part of parts) shared[part] = (shared[part] ?? 0) + (given * (probabilities[part] ?? 0)) / sum
    if (isHead) shared[place] = 0
  }
  return shared
}
