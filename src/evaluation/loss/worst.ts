import { mean } from '../../statistics/sample.ts'
import type { GoldenSet } from '../golden-set/golden-set.ts'
import type { QueryResult, ReplayReport } from '../replay/results.ts'
import { runsOf } from '../summary/values.ts'
import type { GoldLoss } from './loss.ts'

/** A question that lost gold passages under one arm. */
export interface LostQuestion {
  arm: string
  set: string
  id: string
  query: string
  /** Points of answer recall that are lost, mean over the budgets. */
  lost: number
  /** The gold passages that are lost at some budget. */
  golds: LostGold[]
}

export interface LostGold {
  /** Place among the gold passages of the question, from 1. */
  gold: number
  text: string
  /** By budget, those where it is lost. Counted by text. */
  losses: Record<string, GoldLoss>
}

/** The questions that lost something, for each arm the worst first. @param sets of the replay, in its order */
export function worstQuestions(
  { sets: results, arms, budgets }: ReplayReport,
  sets: readonly Pick<GoldenSet, 'queries'>[],
): LostQuestion[] {
  const places = budgets.map(String)
  return arms.flatMap(({ name: arm }) =>
    results
      .flatMap(({ name: set, queries }, at) => {
        const goldsOf = new Map(sets[at]?.queries.map(({ id, goldPassages }) => [id, goldPassages]))
        return queries.flatMap(query => {
          const texts = goldsOf.get(query.id)?.map(({ text }) => text) ?? []
          const golds = lostGolds(query, arm, places, texts)
          const recall = runsOf(query, arm, places).map(({ measures }) => measures.recall ?? 0)
          const { id, query: question } = query
          return golds.length === 0 ? [] : [{ arm, set, id, query: question, lost: 100 * (1 - mean(recall)), golds }]
        })
      })
      .sort((left, right) => right.lost - left.lost),
  )
}

function lostGolds(query: QueryResult, arm: string, budgets: readonly string[], texts: readonly string[]): LostGold[] {
  const runs = runsOf(query, arm, budgets)
  return Array.from({ length: query.golds }, (_, gold) => {
    const losses = budgets.flatMap((budget, at) => {
      const loss = runs[at]?.loss?.text.golds[gold]
      return loss === undefined || loss.step === 'found' ? [] : [[budget, loss] as const]
    })
    return { gold: gold + 1, text: texts[gold] ?? '', losses: Object.fromEntries(losses) }
  }).filter(({ losses }) => Object.keys(losses).length > 0)
}
