import type { GoldenQuery } from '../golden-set/golden-set.ts'
import type { ReplayRun } from '../metrics/measure-run.ts'
import type { QueryDetails } from './results.ts'

/** @param arms in the order of the report */
export function newDetails(set: string, query: GoldenQuery, arms: readonly { name: string }[]): QueryDetails {
  const golds = query.goldPassages.map(({ text }) => text)
  return { set, id: query.id, golds, texts: {}, arms: Object.fromEntries(arms.map(({ name }) => [name, {}])) }
}

/** Notes what a report shows of a run beside its figures. */
export function addDetails({ texts, arms }: QueryDetails, arm: string, budgetTokens: number, run: ReplayRun): void {
  for (const { id, text } of run.candidates?.() ?? run.ranked ?? []) texts[id] ??= text
  const ofArm = arms[arm]
  if (ofArm) ofArm[budgetTokens] = { context: run.context, trace: run.trace() }
}
