import { groupBy } from '../../core/collections.ts'
import { documentKey } from '../../core/keys.ts'
import { repeatedLength } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate, Chunk } from '../../core/types.ts'
import { chainsOf } from './chains.ts'
import { bySpan, type Following, followingOf, isAtStart, type StoredSpan, spanOf } from './stored-spans.ts'

/**
 * Gives places to the candidates of documents whose chunks have no order index, as frameworks store them. They come from the offsets or the
 * lines that the payload has, or else from the text that neighbouring chunks share. Two chunks have places that follow each other
 * when one goes on where the other ends. Between others is a gap, because it is not known what stands there.
 * Of a document without offsets, chunks that share no text keep the order of the candidates.
 *
 * @param byOffsetsAlone leaves documents without offsets alone. The other places are not the same for the candidates of each question
 * @returns the candidates in the same order
 */
export function* withDerivedPlaces(candidates: readonly Candidate[], byOffsetsAlone = false): Steps<Candidate[]> {
  const places = new Map<Candidate, number>()
  for (const own of groupBy(candidates, ({ chunk }) => documentKey(chunk)).values()) {
    if (own.length < 2 || own.some(({ chunk }) => chunk.orderIndex !== null)) continue
    let place = 0
    for (const [at, step] of (yield* stepsBetween(own, byOffsetsAlone)).entries()) {
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

function* stepsBetween(own: readonly Candidate[], byOffsetsAlone: boolean): Steps<PlaceStep[]> {
  const spanned = own.flatMap(candidate => {
    const span = spanOf(candidate.chunk)
    return span === null ? [] : [{ candidate, span }]
  })
  const isSpanned = spanned.length === own.length && new Set(spanned.map(({ span }) => span.unit)).size === 1
  if (isSpanned && spanned[0]?.span.unit === 'characters') return yield* bySpans(spanned)
  if (byOffsetsAlone) return []
  const chains = yield* chainsOf(own.map(({ chunk }) => chunk.text))
  // Several chunks of one line have one span, so shared text orders them.
  if (isSpanned) return yield* bySpans(chains.flat().flatMap(place => spanned[place] ?? []))
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

/**
 * The place 0 is that of the chunk at the start of the document. Where the texts deny some spans, such as those that begin anew on each page or in each row of a
 * table, the spans alone join no chunks of the document.
 */
function* bySpans(placed: readonly SpannedCandidate[]): Steps<PlaceStep[]> {
  const sorted = [...placed].sort((left, right) => bySpan(left.span, right.span))
  const followings: (Following | 'same')[] = []
  for (const [at, { candidate, span }] of sorted.entries()) {
    const before = sorted[at - 1]
    const [left = '', right] = [before?.candidate.chunk.text, candidate.chunk.text]
    if (before === undefined) followings.push('none')
    else if (left === right) followings.push('same')
    else followings.push(followingOf(before.span, span, () => sharesText(left, right, before.span.end - span.start)))
    yield
  }
  const isDenied = followings.includes('denied')
  const keys = sorted.map(({ span }) => keyOf(span))
  // Parts of one long line in an order that is not known.
  const mixed = new Set(keys.filter((key, at) => key === keys[at - 1] && followings[at] === 'none'))
  const joins = (at: number) => {
    if (followings[at] !== 'said') return followings[at] === 'shown'
    return !isDenied && !mixed.has(keys[at] ?? '') && !mixed.has(keys[at - 1] ?? '')
  }
  return sorted.map(({ candidate, span }, at) => {
    if (followings[at] === 'same' || (at === 0 && isAtStart(span))) return { candidate, length: 0 }
    return { candidate, length: joins(at) ? 1 : 2 }
  })
}

const keyOf = ({ page, start, end }: StoredSpan): string => `${page} ${start} ${end}`

/** @param said the length of what is shared by the spans, which is looked at first, because that is quick */
function sharesText(left: string, right: string, said: number): boolean {
  return (said > 0 && said <= right.length && left.endsWith(right.slice(0, said))) || repeatedLength(left, right) > 0
}
