import { mean } from '../../statistics/sample.ts'
import { redundancyOf } from '../../text/shingles.ts'
import type { DocumentSpan, GoldPassage } from '../golden-set/evidence.ts'
import type { CommonText, CommonWords } from './common-runs.ts'
import { isFound } from './found.ts'
import { isInside, tokensAt } from './reference-tokens.ts'
import { unionOf, wordsOf } from './reference-words.ts'

/** The share of a query's evidence in one packed context; every figure is in [0,1]. */
interface EvidenceFigures {
  /** Gold passages found ÷ gold passages. */
  recall: number
  /** 1 when every gold passage is found, else 0. */
  all: number
  /** Share of the words in the context, mean over the gold passages: recall without the threshold. */
  covered: number
}

/** The share of the words of each gold passage that a text holds, in [0,1], wherever they stand in it (see `GoldFinder`). */
export function sharesByText(golds: readonly CommonWords[]): number[] {
  return golds.map(({ found, total }) => (total === 0 ? 0 : found / total))
}

/**
 * The same by place: text counts only where the gold passage stands. Null when the place of a gold passage, or the text of its document,
 * is unknown.
 * @param spans the ranges in the context
 * @param texts the documents by id
 */
export function sharesByPlace(
  goldPassages: readonly GoldPassage[],
  spans: readonly DocumentSpan[],
  texts: ReadonlyMap<string, string>,
): number[] | null {
  const places = knownPlaces(goldPassages, texts)
  if (places === null) return null
  return places.map(place => {
    const tokens = tokensAt(place, texts)
    const packed = unionOf(spans.filter(({ docId }) => docId === place.docId))
    return tokens.length === 0 ? 0 : tokens.filter(token => isInside(token, packed)).length / tokens.length
  })
}

/** The places of gold passages; null when one of them, or the text of its document, is unknown. */
export function knownPlaces(
  goldPassages: readonly GoldPassage[],
  texts: ReadonlyMap<string, string>,
): DocumentSpan[] | null {
  const places = goldPassages.flatMap(({ place }) => place ?? [])
  return places.length === goldPassages.length && places.every(({ docId }) => texts.has(docId)) ? places : null
}

/**
 * Measures the answer recall of one query.
 * @param shares of its gold passages
 * @throws RangeError without gold passages
 */
export function evidenceFigures(shares: readonly number[]): EvidenceFigures {
  if (shares.length === 0) throw new RangeError('a query without gold passages has no recall')
  const hits = shares.filter(isFound).length
  return { recall: hits / shares.length, all: hits === shares.length ? 1 : 0, covered: mean(shares) }
}

/** Words of the context outside the gold passages ÷ all its words, including headers. Null for a context without words. */
export function garbageFraction({ inside, words }: CommonText): number | null {
  return words === 0 ? null : 1 - inside / words
}

/** How much the context repeats itself, from 1 on: see `redundancyOf`. */
export function redundancyRatio(context: string): number {
  return redundancyOf(wordsOf(context))
}

/**
 * The budget from which more tokens add less recall than on average: the point farthest above the chord between the ends of the curve,
 * both axes scaled to [0,1] (Satopää et al. 2011, "Finding a kneedle in a haystack"). Null with fewer than three budgets, or when no
 * point lies above the chord.
 */
export function kneeOfCurve(points: readonly { budget: number; recall: number }[]): number | null {
  const curve = [...points].sort((left, right) => left.budget - right.budget)
  const [first, last] = [curve[0], curve.at(-1)]
  if (curve.length < 3 || !first || !last || last.budget === first.budget || last.recall <= first.recall) return null
  let knee: number | null = null
  let farthest = 1e-9
  for (const { budget, recall } of curve) {
    const gained = (recall - first.recall) / (last.recall - first.recall)
    const spent = (budget - first.budget) / (last.budget - first.budget)
    if (gained - spent > farthest) [knee, farthest] = [budget, gained - spent]
  }
  return knee
}
