import { DEGRADATIONS, DROP_REASONS, STAGES } from '../../../../core/vocabulary.ts'
import type { BootstrapOptions } from '../../../../statistics/bootstrap.ts'
import { planValues } from '../../../arms/arm.ts'
import type { GoldenSet } from '../../../golden-set/golden-set.ts'
import { MEASURES } from '../../../metrics/measures.ts'
import type { ReplayReport, SetResult } from '../../../replay/results.ts'
import { summarize } from '../../../summary/summarize.ts'
import type { ReplaySummary } from '../../../summary/summary.ts'
import { fewQuestions } from '../../warnings.ts'
import type { AblationRow, ArmFacts, ReportData, ReportFacts, SetFacts } from '../report-data.ts'
import { curvesOf, effectsOf, stageTimesOf } from './figures.ts'
import { queryRow } from './queries.ts'

/** What the page is made of, but for the details of queries. */
export interface OverviewInput {
  report: ReplayReport
  /** Name of the arm that the others are compared with. */
  against: string
  /** The expected answers are taken from here. */
  sets: readonly Pick<GoldenSet, 'name' | 'queries'>[]
  /** Null when the replay was no ablation. */
  ablation: readonly AblationRow[] | null
  facts: Pick<ReportFacts, 'createdAt' | 'stowage' | 'command'>
  /** The budget whose contexts and candidates are kept; null: the middle one. */
  detailBudget?: number | null
  bootstrap?: BootstrapOptions
}

/**
 * Everything that the page shows without the details of queries.
 * @throws RangeError when `against` or `detailBudget` is not in the report
 */
export function overviewOf(input: OverviewInput): ReportData {
  const { report, against, sets, ablation, bootstrap } = input
  const reference = report.arms.findIndex(({ name }) => name === against)
  if (reference < 0) throw new RangeError(`no arm of the report is called ${against}`)
  const summary = summarize(report, { against, intervals: 'all', ...(bootstrap && { bootstrap }) })
  const { measures } = summary
  return {
    version: 1,
    facts: factsOf(input, summary),
    measures: measures.map(name => ({ name, ...MEASURES[name] })),
    budgets: [...report.budgets],
    arms: report.arms.map(armFacts),
    reference,
    sets: report.sets.map(setFacts),
    curves: curvesOf(summary),
    effects: effectsOf(summary),
    ablation: ablation && [...ablation],
    latency: stageTimesOf(summary),
    queries: report.sets.flatMap((set, index) => {
      const golden = new Map(sets.find(({ name }) => name === set.name)?.queries.map(query => [query.id, query]))
      return set.queries.map(query => queryRow(query, index, golden.get(query.id), report, measures))
    }),
    sentences: { dropReasons: DROP_REASONS, stages: STAGES, degradations: DEGRADATIONS },
    detailBudget: detailBudgetOf(input),
    detailArms: detailArmsOf(report.arms.length, reference),
    leftOut: [],
  }
}

/** Of more arms than a reader tells apart, contexts and candidates are kept for the first ones and the reference. An ablation has two for each rule. */
const DETAIL_ARMS = { whenMoreThan: 12, first: 8 }

function detailArmsOf(arms: number, reference: number): number[] {
  const all = Array.from({ length: arms }, (_, arm) => arm)
  if (arms <= DETAIL_ARMS.whenMoreThan) return all
  return all.filter(arm => arm < DETAIL_ARMS.first || arm === reference)
}

function detailBudgetOf({ report: { budgets }, detailBudget = null }: OverviewInput): number {
  if (detailBudget === null) return budgets[Math.floor(budgets.length / 2)] ?? 0
  if (!budgets.includes(detailBudget)) throw new RangeError(`the report has no budget of ${detailBudget} tokens`)
  return detailBudget
}

function factsOf({ report, facts }: OverviewInput, { bootstrap }: ReplaySummary): ReportFacts {
  const embedders = [...new Set(report.sets.map(({ embedder }) => embedder))].filter(name => name !== null)
  return {
    title: `stowage replay: ${report.sets.map(({ name }) => name).join(', ')}`,
    ...facts,
    reranker: report.reranker,
    embedder: embedders.length > 0 ? embedders.join(', ') : null,
    chunkTokens: report.chunkTokens,
    resamples: bootstrap.resamples,
    seed: bootstrap.seed,
    warnings: warningsOf(report),
    licences: [],
  }
}

function warningsOf({ sets, arms }: ReplayReport): string[] {
  const warnings: string[] = []
  for (const { name, degraded, queries } of sets) {
    warnings.push(...fewQuestions(queries.length).map(warning => `${name}: ${warning}`))
    for (const [code, runs] of Object.entries(degraded))
      warnings.push(`${name}: ${runs} degraded ${runs === 1 ? 'run' : 'runs'}: ${code}`)
    for (const arm of arms) {
      const runs = queries.flatMap(query => Object.values(query.arms[arm.name] ?? {}))
      const over = runs.filter(({ overrun }) => overrun > 0).length
      const lost = runs.reduce((sum, run) => sum + run.lost, 0)
      if (over > 0)
        warnings.push(`${name}: ${arm.name} exceeded its budget in ${over} of ${runs.length} runs and was cut`)
      if (lost > 0) warnings.push(`${name}: ${arm.name} reported ${lost} packed tokens that are not in its contexts`)
    }
  }
  return warnings
}

function armFacts({ name, planFingerprint, plan, url }: ReplayReport['arms'][number]): ArmFacts {
  const values = plan ? planValues(plan).map(([path, value]) => [path, shownValue(value)] as const) : []
  return { name, source: planFingerprint ?? url ?? '', plan: Object.fromEntries(values) }
}

function setFacts({ name, hash, queries, documents, chunks, degraded }: SetResult): SetFacts {
  return { name, hash, queries: queries.length, documents, chunks, degraded }
}

/** As settings and `--arms` write values. */
function shownValue(value: unknown): string {
  if (value === null) return 'off'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return String(value)
}
