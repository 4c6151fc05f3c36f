import type { Candidate, Dropped } from '../../core/types.ts'
import type { DropReason } from '../../core/vocabulary.ts'
import type { Packed } from '../../pack/pack.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import { CUTS } from '../loss/steps.ts'
import type { ConsideredText, RankedText } from '../metrics/measure-run.ts'

/** Candidates with these reasons never reached packing, so their values are on another scale. */
export const CUT_BEFORE_PACKING: ReadonlySet<DropReason> = new Set(CUTS.flatMap(({ reasons }) => reasons))

/** The candidates that reached packing, best first. A parent comes from packing; its children were ranked. */
export function rankedOf(packed: Packed): RankedText[] {
  return reachedPacking(packed).map(rankedText)
}

/** Every candidate, with what became of it. */
export function consideredOf(outcome: Packed): ConsideredText[] {
  const { packed, dropped } = outcome
  const ranks = new Map(reachedPacking(outcome).map(({ key }, at) => [key, at + 1]))
  const described = (candidate: Candidate, drop: Dropped | null): ConsideredText => ({
    ...rankedText(candidate),
    origin: candidate.origin,
    orderIndex: candidate.chunk.orderIndex,
    place: placeOf(candidate),
    reason: drop?.reason ?? null,
    rank: ranks.get(candidate.key) ?? (drop?.reason === 'below_pool' ? (drop.evidence.rank ?? null) : null),
    isCapped: drop !== null && drop.evidence.cap !== undefined && !CUT_BEFORE_PACKING.has(drop.reason),
  })
  return [
    ...packed.map(({ candidate }) => described(candidate, null)),
    ...dropped.map(drop => described(drop.candidate, drop)),
  ]
}

function reachedPacking({ packed, dropped }: Packed): Candidate[] {
  const tried = dropped.flatMap(({ candidate, reason }) => (CUT_BEFORE_PACKING.has(reason) ? [] : [candidate]))
  return [...packed.map(({ candidate }) => candidate), ...tried]
    .filter(({ origin }) => origin !== 'parent')
    .sort((left, right) => right.value - left.value)
}

function rankedText({ chunk: { id, docId, text } }: Candidate): RankedText {
  return { id: String(id), docId, text }
}

function placeOf({ chunk: { charStart, charEnd, text } }: Candidate): ConsideredText['place'] {
  return charStart === null ? null : { start: charStart, end: charEnd ?? charStart + text.length }
}

/** Ranges of the packed text in its documents. A chunk without offsets counts as no evidence. */
export function spansOf({ packed }: Packed): DocumentSpan[] {
  return packed.flatMap(({ candidate: { chunk }, spans }) => {
    const { docId, charStart, charEnd, text } = chunk
    if (charStart === null) return []
    // The head of a table that stands in front of a chunk is not part of its range.
    const origin = charEnd === null ? charStart : Math.min(charStart, charEnd - text.length)
    return spans.map(({ start, end }) => ({ docId, start: Math.max(charStart, origin + start), end: origin + end }))
  })
}
