import type { Trace } from '../../pipeline/trace/schema.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import type { ReplayRun } from '../metrics/measure-run.ts'
import type { QueryDetails } from './results.ts'

/** Gathers what a report shows of one query beside its figures. */
export class DetailsOfQuery {
  readonly noted: QueryDetails

  /** @param arms in the order of the report */
  constructor(set: string, { id, goldPassages }: GoldenQuery, arms: readonly { name: string }[]) {
    const golds = goldPassages.map(({ text }) => text)
    this.noted = { set, id, golds, texts: {}, arms: Object.fromEntries(arms.map(({ name }) => [name, {}])) }
  }

  add(arm: string, budgetTokens: number, run: ReplayRun): void {
    const { texts, arms } = this.noted
    for (const { id, text } of run.candidates?.() ?? run.ranked ?? []) texts[id] ??= text
    const ofArm: Record<string, { context: string; trace: Trace | null }> = arms[arm] ?? {}
    ofArm[budgetTokens] = { context: run.context, trace: run.trace() }
  }
}
