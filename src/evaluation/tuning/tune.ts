import { compareText } from '../../core/collections.ts'
import { badRequest } from '../../core/errors.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { BOOTSTRAP_DEFAULTS } from '../../statistics/bootstrap.ts'
import type { Comparison } from '../../statistics/comparison.ts'
import { macroMean, type QuerySets } from '../../statistics/macro-mean.ts'
import { seededRandom } from '../../statistics/seeded-random.ts'
import { sha256 } from '../../text/fingerprint.ts'
import type { PlanArm } from '../arms/arm.ts'
import type { GoldenQuery, GoldenSet } from '../golden-set/golden-set.ts'
import { type Split, splitOf } from '../golden-set/split.ts'
import { MEASURE_NAMES, type MeasureName, signOf } from '../metrics/measures.ts'
import { type ReplayDependencies, type ReplayJob, replay } from '../replay/replay.ts'
import type { ReplayReport } from '../replay/results.ts'
import { comparePairs } from '../summary/figures.ts'
import { type Slice, slicesOf } from '../summary/slices.ts'
import { differenceOf } from '../summary/values.ts'
import { type Candidate, type Changes, proposeCandidates, withOneChangeLess } from './candidates.ts'
import { choose, type Measured } from './choose.ts'
import { halve, type Rung, rungsOf } from './halving.ts'

export interface TuneJob extends Omit<ReplayJob, 'arms' | 'details' | 'limitQueries'> {
  start: PlanArm
  /** What is improved, mean over budgets, then over queries, then over sets. */
  measure: MeasureName
  /** Paths of the plan values that change. */
  values: readonly string[]
  trials: number
  seed: number
  /** Share of the queries for the search, in (0,1); the others judge its result. */
  trainShare: number
}

/** What the held-out queries say of the chosen plan. Differences are `chosen − start` in the unit of the measure. */
interface HeldOut {
  /** By measure, over all sets; measures without values are left out. */
  measures: Map<MeasureName, Comparison>
  /** The tuned measure by set; empty with a single set. */
  sets: Map<string, Comparison>
}

export interface TuneReport {
  start: PlanArm
  measure: MeasureName
  budgets: readonly number[]
  rungs: Rung[]
  /** Candidates that were drawn. */
  candidates: number
  queries: Record<Split, number>
  /** Null when no candidate is better than the start plan on the train half by more than one standard error. */
  best: { changes: Changes; plan: Plan; train: { difference: number; error: number }; heldOut: HeldOut } | null
}

/** No arm of the command line has a space in its name. */
const CHOSEN = 'chosen plan'
const SPLIT_NAMES: Record<Split, string> = { train: 'train', test: 'held-out' }

/**
 * Searches for plan values on one part of the queries, and judges the best plan on the other part, which the search never sees. The start
 * plan takes part in every comparison, and stays when nothing is better (see `choose`). The result depends on the job only.
 * @throws StowageError `bad_request` when a part has too few queries, and as `replay` does
 */
export async function tune(job: TuneJob, dependencies: ReplayDependencies): Promise<TuneReport> {
  const { start, values, trials, measure, budgets } = job
  const parts = { train: partOf(job, 'train'), test: partOf(job, 'test') }
  const queries = { train: queriesOf(parts.train), test: queriesOf(parts.test) }
  const random = seededRandom(job.seed)
  const drawn = proposeCandidates(start.plan, { trials, values, random })
  if (drawn.length === 0) throw badRequest('the plan values leave nothing to try')
  const rungs = rungsOf(drawn.length, queries.train)

  const measureOn = async (sets: readonly GoldenSet[], candidates: readonly Candidate[], phase: string) => {
    const arms = [start, ...candidates.map(({ name, plan }): PlanArm => ({ kind: 'plan', name, plan }))]
    const report = await replay(replayJob(job, phase, sets, arms), dependencies)
    return candidates.map((candidate): Measured => ({ candidate, differences: differencesOf(report, candidate, job) }))
  }
  let last: Measured[] = []
  const ranked = await halve(drawn, rungs, async (candidates, share, rung) => {
    const phase = `rung ${rung + 1} of ${rungs.length}, ${candidates.length} plans`
    last = await measureOn(shareOf(parts.train, share, job.seed), candidates, phase)
    return last.map(({ differences }) => macroMean(differences).value)
  })
  const simpler = ranked[0] ? withOneChangeLess(start.plan, ranked[0]) : []
  const more = simpler.length === 0 ? [] : await measureOn(parts.train, simpler, 'one change less')
  const finalists = [...last, ...more]
  const chosen = choose(finalists)
  const common = { start, measure, budgets, rungs, candidates: drawn.length, queries }
  if (chosen === null) return { ...common, best: null }

  const { changes, plan } = chosen
  const differences = finalists.find(({ candidate }) => candidate === chosen)?.differences ?? []
  const { value, error } = macroMean(differences)
  const arms: PlanArm[] = [start, { kind: 'plan', name: CHOSEN, plan }]
  const heldOut = heldOutOf(await replay(replayJob(job, 'held-out', parts.test, arms), dependencies), job)
  return { ...common, best: { changes, plan, train: { difference: value, error }, heldOut } }
}

/** The queries of one split, by set. Sets without such queries are left out. */
function partOf({ sets, trainShare }: TuneJob, split: Split): GoldenSet[] {
  const part = sets
    .map(set => withQueries(set, query => splitOf(query, trainShare) === split))
    .filter(({ queries }) => queries.length > 0)
  if (queriesOf(part) >= 2) return part
  throw badRequest(`--tune: the ${SPLIT_NAMES[split]} part has fewer than 2 queries; change --train-share`)
}

/** The same queries for a share at every call, and those of a smaller share among those of a larger one. */
function shareOf(sets: readonly GoldenSet[], share: number, seed: number): GoldenSet[] {
  return sets.map(set => {
    const byChance = set.queries
      .map(query => ({ query, key: sha256(`${seed}\n${query.id}`) }))
      .sort((one, other) => compareText(one.key, other.key))
    const taken = new Set(byChance.slice(0, Math.max(2, Math.ceil(share * byChance.length))).map(({ query }) => query))
    return withQueries(set, query => taken.has(query))
  })
}

/** A part of a set. Its hash belongs to its queries: a journal must not mix the figures of two parts. */
function withQueries(set: GoldenSet, isTaken: (query: GoldenQuery) => boolean): GoldenSet {
  const queries = set.queries.filter(isTaken)
  if (queries.length === set.queries.length) return set
  return { ...set, queries, hash: sha256(JSON.stringify([set.hash, queries.map(({ id }) => id)])) }
}

function queriesOf(sets: readonly GoldenSet[]): number {
  return sets.reduce((sum, { queries }) => sum + queries.length, 0)
}

/** The job of one replay, whose progress names the phase of the search. */
function replayJob(job: TuneJob, phase: string, sets: readonly GoldenSet[], arms: readonly PlanArm[]): ReplayJob {
  const { onProgress } = job
  return {
    ...job,
    ...{ sets, arms, limitQueries: null },
    onProgress: (what, ...progress) => onProgress(`${phase}: ${what}`, ...progress),
  }
}

/** More is better. A query without a value under one of the plans tells nothing: 0. */
function differencesOf(report: ReplayReport, { name }: Candidate, { start, measure }: TuneJob): QuerySets {
  const budgets = report.budgets.map(String)
  const pair = { arm: name, against: start.name }
  return report.sets.map(({ queries }) =>
    queries.map(query => signOf(measure) * (differenceOf(query, pair, measure, budgets) ?? 0)),
  )
}

function heldOutOf(report: ReplayReport, { start, measure }: TuneJob): HeldOut {
  const budgets = report.budgets.map(String)
  const pair = new Map([[CHOSEN, { arm: CHOSEN, against: start.name }]])
  const compared = <Name>(name: Name, slice: Slice, of: MeasureName): [Name, Comparison][] => {
    const comparison = comparePairs(slice, pair, { measure: of, budgets, bootstrap: BOOTSTRAP_DEFAULTS }).get(CHOSEN)
    return comparison === undefined ? [] : [[name, comparison]]
  }
  const slices = slicesOf(report)
  const all = slices.filter(({ by }) => by === 'all')
  const bySet = slices.filter(({ by }) => by === 'set')
  return {
    measures: new Map(all.flatMap(slice => MEASURE_NAMES.flatMap(name => compared(name, slice, name)))),
    sets: new Map(bySet.flatMap(slice => compared(slice.value, slice, measure))),
  }
}
