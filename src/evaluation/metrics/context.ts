import type { Span } from '../../ingest/chunking/sections.ts'
import { mean } from '../../statistics/sample.ts'
import { redundancyOf } from '../../text/shingles.ts'
import type { GoldPassage } from '../golden-set/evidence.ts'
import { type PackedSpan, tokenRanges, tokensInside, unionOf, wordsOf } from './reference-tokens.ts'

/** A gold passage counts as found when at least this share of its tokens is in the context. */
const HIT_SHARE = 0.9

/** The share of a query's evidence in one packed context; every figure is in [0,1]. */
export interface EvidenceFigures {
  /** Gold passages found ÷ gold passages. */
  recall: number
  /** 1 when every gold passage is found, else 0. */
  all: number
  /** Share of the tokens in the context, mean over the gold passages: recall without the threshold. */
  covered: number
}

/** Measures the answer recall of one query. `spans` are the ranges in the context, `texts` the documents by id. */
export function evidenceFigures(
  goldPassages: readonly GoldPassage[],
  spans: readonly PackedSpan[],
  texts: ReadonlyMap<string, string>,
): EvidenceFigures {
  if (goldPassages.length === 0) throw new RangeError('a query without gold passages has no recall')
  const shares = goldPassages.map(gold => {
    const { inside, total } = tokensInside(texts.get(gold.docId) ?? '', gold, packedIn(gold.docId, spans))
    return total === 0 ? 0 : inside / total
  })
  const hits = shares.filter(share => share >= HIT_SHARE).length
  return { recall: hits / goldPassages.length, all: hits === goldPassages.length ? 1 : 0, covered: mean(shares) }
}

/**
 * Tokens of the context outside the gold passages ÷ all its tokens, including headers. A passage that is packed twice counts once.
 * Null for a context without tokens.
 */
export function garbageFraction(
  context: string,
  goldPassages: readonly GoldPassage[],
  spans: readonly PackedSpan[],
  texts: ReadonlyMap<string, string>,
): number | null {
  const total = tokenRanges(context).length
  if (total === 0) return null
  let evidence = 0
  for (const docId of new Set(goldPassages.map(gold => gold.docId))) {
    const packed = packedIn(docId, spans)
    for (const range of unionOf(goldPassages.filter(gold => gold.docId === docId)))
      evidence += tokensInside(texts.get(docId) ?? '', range, packed).inside
  }
  return Math.max(0, 1 - evidence / total)
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

function packedIn(docId: string, spans: readonly PackedSpan[]): Span[] {
  return unionOf(spans.filter(span => span.docId === docId))
}
