import { countOf } from '../../core/collections.ts'
import { messageOf, StowageError } from '../../core/errors.ts'
import type { Chunking, Effort } from '../../core/types.ts'
import { eachAtOnce } from '../../pipeline/pacing/each-at-once.ts'
import { type Arm, reportArm } from '../arms/arm.ts'
import { type GoldenQuery, type GoldenSet, spread, textsOf } from '../golden-set/golden-set.ts'
import { createMemoryJournal, type Journal, type SetFacts } from '../journal/journal.ts'
import { addJudgement, type ReplayJudge } from '../judge/judge.ts'
import { createExplainRun } from '../loss/explain-run.ts'
import { type MeasureWith, measureRun, type ReplayRun } from '../metrics/measure-run.ts'
import { QueryEvidence } from '../metrics/query-evidence.ts'
import type { QueryDetails, QueryResult, ReplayReport, SetResult } from './results.ts'

export interface ReplayJob {
  sets: readonly GoldenSet[]
  arms: readonly Arm[]
  budgets: readonly number[]
  chunkTokens: number
  /** How documents are cut. Default: `sections`. */
  chunking?: Chunking
  /** Folder for ingested sets. */
  cacheFolder: string
  /** Queries of each set, at even distances; null uses all. */
  limitQueries: number | null
  /** Queries in flight; default 1. The figures do not depend on it, but the latencies do. */
  parallel?: number
  /** Whether the details of every query are noted for a report; default false. */
  details?: boolean
  /** Whether it is noted of every run where it lost its gold passages; default false. */
  explain?: boolean
  /** Judges answers, which costs calls of a language model; default none. */
  judge?: ReplayJudge
  /** Begins anew, where an earlier replay was interrupted; default false. */
  fresh?: boolean
  onProgress: OnProgress
  /** Called before a set of which an earlier replay has done some queries. */
  onResume?: OnProgress
}

/**
 * `phase` is the name of the set and `ingest` or `ask`, for example `isharoth: ask`. `effort` is there where the things that are counted take
 * unequal time.
 */
type OnProgress = (phase: string, done: number, total: number, detail?: string, effort?: Effort) => void

/** A golden set in its own collection. `RunArm`: the kind of arms that it can run. */
export interface PreparedSet<RunArm extends Arm = Arm> extends SetFacts {
  /** Runs one query under one arm, once for each budget, in their order. */
  run(query: GoldenQuery, arm: RunArm, budgets: readonly number[]): Promise<ReplayRun[]>
  /** Called when all arms of a query have run: what was kept for them can go. */
  forget?(query: GoldenQuery): void
  close(): Promise<void>
}

/** The models of the arms that run in this process. */
export interface ReplayModels {
  /** Version of the embedder; null without one. */
  embedder: string | null
  /** The model that reranks; null without one. */
  reranker: string | null
}

export interface ReplayDependencies<RunArm extends Arm = Arm> extends ReplayModels {
  /** Ingests the set, or opens the copy of an earlier replay in the cache folder. */
  prepare(set: GoldenSet, job: ReplayJob): Promise<PreparedSet<RunArm>>
  /** Counts with the reference tokenizer, which is the same for all arms. */
  countTokens(text: string): number
  /** Opens the journal of this replay, which may know queries that are done. Without it, a replay that is interrupted is lost. */
  openJournal?(job: ReplayJob): Journal
}

/** Uses a finished replay. The details come in the order of the report, one query at a time; none without `details` in the job. */
export type UseReplay = (report: ReplayReport, details: AsyncIterable<QueryDetails>) => Promise<void>

/**
 * Runs every query of every set under every arm and budget and measures the contexts. Queries run `parallel` at a time. The arm that
 * runs first changes from query to query, so that warm caches favour no arm. Each finished query is noted in the journal, which is removed
 * after `use`: a replay that ends before, for whatever reason, goes on from there when it is started again.
 * @throws StowageError at the first run that fails, with its set, query and arm
 */
export async function replay(
  job: ReplayJob,
  dependencies: ReplayDependencies,
  use: UseReplay = async () => {},
): Promise<ReplayReport> {
  const journal = dependencies.openJournal?.(job) ?? createMemoryJournal()
  let isFinished = false
  try {
    const sets: SetResult[] = []
    for (const [at, set] of job.sets.entries()) sets.push(await replaySet({ at, set }, job, dependencies, journal))
    const { budgets, chunkTokens, parallel = 1 } = job
    const arms = job.arms.map(reportArm)
    const { reranker } = dependencies
    const report: ReplayReport = { version: 2, budgets: [...budgets], chunkTokens, parallel, reranker, arms, sets }
    await use(report, detailsOf(report, journal))
    isFinished = true
    return report
  } finally {
    journal.close(isFinished)
  }
}

interface PlacedSet {
  /** Place among the sets of the job. */
  at: number
  set: GoldenSet
}

async function replaySet(
  { at, set }: PlacedSet,
  job: ReplayJob,
  dependencies: ReplayDependencies,
  journal: Journal,
): Promise<SetResult> {
  const queries = spread(set.queries, job.limitQueries ?? set.queries.length)
  const left = [...queries.entries()].filter(([, { id }]) => journal.result(at, id) === null)
  const done = queries.length - left.length
  if (done > 0) job.onResume?.(set.name, done, queries.length)
  const known = left.length === 0 ? journal.facts(at) : null
  const { chunks, embedder } = known ?? (await askQueries(left, { at, set, done }, job, dependencies, journal))
  const results = queries.flatMap(({ id }) => journal.result(at, id) ?? [])
  const { name, hash, documents } = set
  return { name, hash, documents: documents.length, chunks, embedder, degraded: degradedOf(results), queries: results }
}

/** Asks the queries, each with its place in the set, and notes them in the journal. */
async function askQueries(
  queries: readonly (readonly [number, GoldenQuery])[],
  { at, set, done: before }: PlacedSet & { done: number },
  job: ReplayJob,
  dependencies: ReplayDependencies,
  journal: Journal,
): Promise<SetFacts> {
  const prepared = await dependencies.prepare(set, job)
  try {
    const { chunks, embedder } = prepared
    journal.addFacts(at, { chunks, embedder })
    let done = before
    const total = before + queries.length
    const tell = () => job.onProgress(`${set.name}: ask`, done, total)
    const measuring = { texts: textsOf(set), countTokens: dependencies.countTokens }
    tell()
    await eachAtOnce(queries, job.parallel ?? 1, async ([place, query]) => {
      const { result, details } = await askQuery(query, rotated(job.arms, place), { set, job, prepared, measuring })
      await journal.add(at, result, details)
      done++
      tell()
    })
    return { chunks, embedder }
  } finally {
    await prepared.close()
  }
}

/** Asks one query under all arms, in the given order. */
async function askQuery(
  query: GoldenQuery,
  arms: readonly Arm[],
  { set, job, prepared, measuring }: { set: GoldenSet; job: ReplayJob; prepared: PreparedSet; measuring: MeasureWith },
): Promise<{ result: QueryResult; details: QueryDetails | null }> {
  const { id, intent, grade, goldPassages } = query
  const evidence = new QueryEvidence(query)
  const explainRun = job.explain ? createExplainRun(query, measuring) : null
  // In the order of the job, whichever arm runs first.
  const figures: QueryResult['arms'] = Object.fromEntries(job.arms.map(({ name }) => [name, {}]))
  const judgements: Promise<void>[] = []
  const details = job.details ? newDetails(set.name, query, job.arms) : null
  const note = (arm: Arm, budgetTokens: number, run: ReplayRun) => {
    const ofArm = figures[arm.name] ?? {}
    const { figures: measured, found } = measureRun(run, budgetTokens, evidence, measuring)
    const loss = explainRun?.(run, budgetTokens, found) ?? null
    ofArm[budgetTokens] = { ...measured, ...(loss && { loss }) }
    if (job.judge?.budgetTokens === budgetTokens)
      judgements.push(addJudgement(query.query, run.context, measured, job.judge))
    if (details) addDetails(details, arm.name, budgetTokens, run)
  }
  try {
    for (const arm of arms) {
      const runs = await prepared.run(query, arm, job.budgets).catch((error: unknown) => {
        const message = messageOf(error)
        const place = `set ${set.name}, query ${id}, arm ${arm.name}`
        throw new StowageError('internal', `${place}: ${message}`, { cause: error })
      })
      for (const [at, run] of runs.entries()) note(arm, job.budgets[at] ?? 0, run)
    }
  } finally {
    prepared.forget?.(query)
    await Promise.all(judgements)
  }
  const result = { id, query: query.query, intent, grade, golds: goldPassages.length, arms: figures }
  return { result, details }
}

async function* detailsOf({ sets }: ReplayReport, journal: Journal): AsyncGenerator<QueryDetails> {
  for (const [at, { queries }] of sets.entries())
    for (const { id } of queries) {
      const details = await journal.details(at, id)
      if (details !== null) yield details
    }
}

/** Number of runs with each degradation. */
function degradedOf(results: readonly QueryResult[]): Record<string, number> {
  const runs = results.flatMap(({ arms }) => Object.values(arms).flatMap(byBudget => Object.values(byBudget)))
  return Object.fromEntries(countOf(runs.flatMap(({ degraded }) => degraded)))
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % Math.max(1, items.length)
  return [...items.slice(first), ...items.slice(0, first)]
}

/** @param arms in the order of the report */
function newDetails(set: string, query: GoldenQuery, arms: readonly { name: string }[]): QueryDetails {
  const golds = query.goldPassages.map(({ text }) => text)
  return { set, id: query.id, golds, texts: {}, arms: Object.fromEntries(arms.map(({ name }) => [name, {}])) }
}

/** Notes what a report shows of a run beside its figures. */
function addDetails({ texts, arms }: QueryDetails, arm: string, budgetTokens: number, run: ReplayRun): void {
  for (const { id, text } of run.candidates?.() ?? run.ranked ?? []) texts[id] ??= text
  const ofArm = arms[arm]
  if (ofArm) ofArm[budgetTokens] = { context: run.context, trace: run.trace() }
}
