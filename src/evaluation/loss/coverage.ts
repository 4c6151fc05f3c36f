import { getOrInsert } from '../../core/collections.ts'
import type { Span } from '../../core/types.ts'
import type { GoldPassage } from '../golden-set/evidence.ts'
import { type CommonMarks, GoldFinder } from '../metrics/common-runs.ts'
import { knownPlaces } from '../metrics/context.ts'
import type { ConsideredText } from '../metrics/measure-run.ts'
import { isInside, tokensAt } from '../metrics/reference-tokens.ts'
import { wordRanges, wordsOf } from '../metrics/reference-words.ts'

/** Which parts of each gold passage a text holds: 1 for those that it holds, else 0. In the order of the gold passages. */
export type GoldMarks = readonly Uint8Array[]

/** One of the two rules of answer recall, for single candidates. */
export interface Coverage {
  /** Parts of each gold passage: words by text, tokens of the measures by place. */
  totals: readonly number[]
  marksOf(candidate: ConsideredText): GoldMarks
  /** What two neighbours in one document hold together: a run of words can begin in the first and end in the second. */
  marksOfPair(first: ConsideredText, second: ConsideredText): GoldMarks
  /** The shortest range of the candidate's text with all that it holds of a gold passage; null when it holds nothing of it. */
  excerptOf(candidate: ConsideredText, gold: number): Span | null
}

/** Counts by text: words of a gold passage count wherever they stand. Answers are kept, because many runs consider the same chunks. */
export function coverageByText(goldPassages: readonly GoldPassage[]): Coverage {
  const texts = goldPassages.map(({ text }) => text)
  const finder = new GoldFinder(texts)
  const known = new Map<string, CommonMarks[]>()
  const commonIn = (text: string) => getOrInsert(known, text, () => finder.marksIn(text))
  return {
    totals: texts.map(text => wordsOf(text).length),
    marksOf: ({ text }) => commonIn(text).map(({ found }) => found),
    marksOfPair: (first, second) => commonIn(`${first.text}\n${second.text}`).map(({ found }) => found),
    excerptOf: ({ text }, gold) => {
      const inside = commonIn(text)[gold]?.inside ?? new Uint8Array()
      const [from, to] = [inside.indexOf(1), inside.lastIndexOf(1)]
      if (from < 0) return null
      const words = wordRanges(text)
      return { start: words[from]?.start ?? 0, end: words[to]?.end ?? text.length }
    },
  }
}

/**
 * Counts by place: text counts only where the gold passage stands. Null when the place of a gold passage, or the text of its document, is
 * unknown.
 */
export function coverageByPlace(
  goldPassages: readonly GoldPassage[],
  texts: ReadonlyMap<string, string>,
): Coverage | null {
  const places = knownPlaces(goldPassages, texts)
  if (places === null) return null
  const golds = places.map(place => ({ place, tokens: tokensAt(place, texts) }))
  const marksOf = (candidates: readonly ConsideredText[]) =>
    golds.map(({ place: { docId }, tokens }) => {
      const ranges = candidates.flatMap(candidate => (candidate.docId === docId ? (candidate.place ?? []) : []))
      return Uint8Array.from(tokens, token => (isInside(token, ranges) ? 1 : 0))
    })
  const known = new Map<string, GoldMarks>()
  return {
    totals: golds.map(({ tokens }) => tokens.length),
    marksOf: candidate => getOrInsert(known, placeKeyOf(candidate), () => marksOf([candidate])),
    marksOfPair: (first, second) => marksOf([joined(first, second)]),
    excerptOf: ({ docId, place, text }, gold) => {
      const wanted = places[gold]
      if (wanted === undefined || place === null || wanted.docId !== docId) return null
      // The head of a table that stands in front of a chunk is not part of its range.
      const origin = Math.min(place.start, place.end - text.length)
      const start = Math.max(place.start, wanted.start)
      const end = Math.min(place.end, wanted.end)
      return start < end ? { start: start - origin, end: end - origin } : null
    },
  }
}

/** Two neighbours as one, when their ranges touch. */
function joined(first: ConsideredText, second: ConsideredText): ConsideredText {
  const touch = first.place !== null && second.place !== null && second.place.start <= first.place.end
  const place = touch ? { start: first.place?.start ?? 0, end: second.place?.end ?? 0 } : null
  return { ...first, place }
}

function placeKeyOf({ docId, place }: ConsideredText): string {
  return place === null ? '' : `${place.start} ${place.end} ${docId}`
}
