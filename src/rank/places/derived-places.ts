import { groupBy } from '../../core/collections.ts'
import { documentKey } from '../../core/keys.ts'
import { repeatedLength } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate, Chunk } from '../../core/types.ts'
import { chainsOf } from './chains.ts'
import { bySpan, goesOn, isAtStart, type StoredSpan, spanOf } from './stored-spans.ts'

/**
 * Gives places to the candidates of documents whose chunks have no order index, as frameworks store them. They come from the offsets or the
 * lines that the payload has, or else from the text that neighbouring chunks share. Two chunks have places that follow each other
 * when one goes on where the other ends. Between others is a gap, because it is not known what stands there.
 * Of a document without offsets, chunks that share no text keep the order of the candidates.
 *
 * @returns the candidates in the same order
 */
export function* withDerivedPlaces(candidates: readonly Candidate[]): Steps<Candidate[]> {
  const places = new Map<Candidate, number>()
  for (const own of groupBy(candidates, ({ chunk }) => documentKey(chunk)).values()) {
    if (own.length < 2 || own.some(({ chunk }) => chunk.orderIndex !== null)) continue
    let place = 0
    for (const [at, step] of (yield* stepsBetween(own)).entries()) {
      place += step.length
      places.set(step.candidate, place)
      if (at % PLACED_PER_STEP === 0) yield
    }
  }
  if (places.size === 0) return [...candidates]
  return candidates.map(candidate => {
    const orderIndex = places.get(candidate)
    return orderIndex === undefined
      ? candidate
      : { ...candidate, chunk: { ...candidate.chunk, orderIndex, isPlaceDerived: true } }
  })
}

/** The place that the collection stores; null for one that was derived. */
export function storedOrderIndex({ orderIndex, isPlaceDerived }: Chunk): number | null {
  return isPlaceDerived ? null : orderIndex
}

const PLACED_PER_STEP = 16

/** A candidate of a document, and how far its place is behind the one before: 0 for the same text, 1 when it goes on there, 2 for a gap. */
interface PlaceStep {
  candidate: Candidate
  length: number
}

function* stepsBetween(own: readonly Candidate[]): Steps<PlaceStep[]> {
  const spanned = own.flatMap(candidate => {
    const span = spanOf(candidate.chunk)
    return span === null ? [] : [{ candidate, span }]
  })
  const isSpanned = spanned.length === own.length && new Set(spanned.map(({ span }) => span.unit)).size === 1
  if (isSpanned && spanned[0]?.span.unit === 'characters') return bySpans(spanned)
  const chains = yield* chainsOf(own.map(({ chunk }) => chunk.text))
  // Several chunks of one line have one span, so shared text orders them.
  if (isSpanned) return bySpans(chains.flat().flatMap(place => spanned[place] ?? []))
  return chains.flatMap(chain =>
    chain.flatMap((place, at) => {
      const candidate = own[place]
      return candidate === undefined ? [] : [{ candidate, length: at === 0 ? 2 : 1 }]
    }),
  )
}

interface SpannedCandidate {
  candidate: Candidate
  span: StoredSpan
}

/** The place 0 is that of the chunk at the start of the document. */
function bySpans(placed: readonly SpannedCandidate[]): PlaceStep[] {
  const sorted = [...placed].sort((left, right) => bySpan(left.span, right.span))
  return sorted.map(({ candidate, span }, at) => {
    const before = sorted[at - 1]
    if (before === undefined) return { candidate, length: isAtStart(span) ? 0 : 2 }
    const [left, right] = [before.candidate.chunk, candidate.chunk]
    if (left.text === right.text) return { candidate, length: 0 }
    return { candidate, length: goesOn(before.span, span, () => shareText(left, right)) ? 1 : 2 }
  })
}

const shareText = (left: Chunk, right: Chunk): boolean => repeatedLength(left.text, right.text) > 0
