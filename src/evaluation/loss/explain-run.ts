import { getOrInsert } from '../../core/collections.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import { isFound } from '../metrics/found.ts'
import type { ConsideredText, FoundShares, MeasureWith, ReplayRun } from '../metrics/measure-run.ts'
import { type BestFill, bestFill } from './best-fill.ts'
import { CandidateSet } from './candidates.ts'
import { type Coverage, coverageByPlace, coverageByText } from './coverage.ts'
import type { GoldHolder, GoldLoss, RuleLoss, RunLoss } from './loss.ts'
import { CUTS } from './steps.ts'

/** Tells where a run lost the gold passages of its query; null when the arm does not tell its candidates. */
type ExplainRun = (run: ReplayRun, budgetTokens: number, found: FoundShares) => RunLoss | null

/** Explains the runs of one query. What is known of a chunk is kept for its other runs. */
export function createExplainRun({ goldPassages }: GoldenQuery, { texts, countTokens }: MeasureWith): ExplainRun {
  const counted = new Map<string, number>()
  const count = (text: string) => getOrInsert(counted, text, () => countTokens(text))
  const byText = coverageByText(goldPassages)
  const byPlace = coverageByPlace(goldPassages, texts)
  return (run, budgetTokens, found) => {
    const considered = run.candidates?.()
    if (considered === undefined) return null
    const explain = (coverage: Coverage, shares: readonly number[]) =>
      lossByRule(considered, coverage, { shares, budgetTokens, countTokens: count })
    return {
      text: explain(byText, found.text),
      place: byPlace && found.place && explain(byPlace, found.place),
    }
  }
}

interface Packing {
  /** Of each gold passage in the context. */
  shares: readonly number[]
  budgetTokens: number
  countTokens: (text: string) => number
}

function lossByRule(considered: readonly ConsideredText[], coverage: Coverage, packing: Packing): RuleLoss {
  const { shares, budgetTokens, countTokens } = packing
  const setOf = (candidates: readonly ConsideredText[]) => new CandidateSet(candidates, coverage)
  const fill = (candidates: CandidateSet) => bestFill(candidates, coverage, budgetTokens, countTokens)
  const all = [...considered].sort(byPreference)
  const left = CUTS.map((_, at) => withoutCuts(all, CUTS.slice(0, at + 1)))
  const afterCuts = left.map(setOf)
  const everything = setOf(all)
  const reached = afterCuts.at(-1) ?? everything
  const oracle = fill(reached)
  const fromLists = (candidates: readonly ConsideredText[]) =>
    setOf(candidates.filter(({ origin }) => origin === 'retrieved'))
  const total = shares.length
  return {
    golds: shares.map((share, gold) => {
      const cover = (reached.holds(gold) ? reached : everything).coverOf(gold)
      const holder = holderOf(cover)
      if (isFound(share)) return { step: 'found', share, holder }
      if (!everything.holds(gold)) return { step: 'not_retrieved', share, holder }
      const cut = CUTS.find((_, at) => !afterCuts[at]?.holds(gold))
      if (cut !== undefined) return { step: cut.step, share, holder }
      return { step: stepOfPacking(gold, cover, oracle), share, holder }
    }),
    oracle: {
      lists: fill(fromLists(all)).held.size / total,
      pool: fill(fromLists(left[1] ?? all)).held.size / total,
      packing: oracle.held.size / total,
    },
  }
}

/** Where packing lost a gold passage that the candidates hold. @param cover its candidates */
function stepOfPacking(
  gold: number,
  cover: readonly ConsideredText[],
  { held, fitting }: BestFill,
): Exclude<GoldLoss['step'], 'found'> {
  if (!fitting.has(gold)) return 'too_large'
  if (!held.has(gold)) return 'no_room'
  if (cover.some(({ isCapped }) => isCapped)) return 'capped'
  return cover.some(({ reason }) => reason === null) ? 'in_part' : 'ranked_low'
}

function withoutCuts(candidates: readonly ConsideredText[], cuts: typeof CUTS): ConsideredText[] {
  const reasons = new Set(cuts.flatMap(cut => cut.reasons))
  return candidates.filter(({ reason }) => reason === null || !reasons.has(reason))
}

/** Of candidates that hold equally much of a gold passage, a packed one comes first, then the best ranked one that was not cut. */
function byPreference(left: ConsideredText, right: ConsideredText): number {
  return preferenceOf(left) - preferenceOf(right) || (left.rank ?? Infinity) - (right.rank ?? Infinity) || 0
}

function preferenceOf({ reason }: ConsideredText): number {
  if (reason === null) return 0
  return CUTS.some(({ reasons }) => reasons.includes(reason)) ? 2 : 1
}

/** The largest part that is not packed, else the largest part. */
function holderOf(cover: readonly ConsideredText[]): GoldHolder | null {
  const holder = cover.find(({ reason }) => reason !== null) ?? cover[0]
  if (holder === undefined) return null
  const { id, docId, reason, rank } = holder
  return { id, docId, reason, rank }
}
