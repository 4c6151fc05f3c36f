import { StowageError } from '../../core/errors.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { GoldenQuery, GoldenSet } from '../golden-set/golden-set.ts'
import type { Arm } from './arms.ts'
import { measureRun, type ReplayRun, type RunFigures } from './run-metrics.ts'

/** A golden set in a collection of its own, ready to be asked. */
export interface PreparedSet {
  chunks: number
  /** Version of the embedder behind its vectors; null without one. */
  embedder: string | null
  run(query: string, plan: Plan): Promise<ReplayRun>
  close(): Promise<void>
}

/** What a replay asks of the world. */
export interface ReplayDependencies {
  /** Ingests the set, or opens the copy that an earlier replay left in the cache folder. */
  prepare(set: GoldenSet, options: ReplayOptions, onProgress: OnProgress): Promise<PreparedSet>
  /** The reference tokenizer: all arms' contexts are counted with it. */
  countTokens(text: string): number
  fingerprint(plan: Plan): string
}

export interface ReplayOptions {
  chunkTokens: number
  /** Folder for ingested sets. */
  cacheFolder: string
  /** Ask only this many queries of each set, spread evenly over it; null asks all. */
  limitQueries: number | null
}

export type OnProgress = (progress: { set: string; phase: 'ingest' | 'ask'; done: number; total: number }) => void

/** All that was measured of one query: arm by name, then budget. */
export interface QueryResult {
  id: string
  query: string
  intent: string | null
  grade: string | null
  golds: number
  arms: Record<string, Record<string, RunFigures>>
}

export interface SetResult {
  name: string
  hash: string
  documents: number
  chunks: number
  embedder: string | null
  /** How many runs each degradation touched. */
  degraded: Record<string, number>
  queries: QueryResult[]
}

export interface ReplayReport {
  version: 1
  budgets: number[]
  chunkTokens: number
  arms: { name: string; planFingerprint: string; plan: Plan }[]
  sets: SetResult[]
}

/**
 * Asks every query of every set under every arm and budget and measures the contexts. Queries run one after the other; arms take turns
 * in going first, so that no arm's latency profits from the others' warm caches. Throws at the first run that fails, naming it.
 */
export async function replay(
  sets: readonly GoldenSet[],
  arms: readonly Arm[],
  budgets: readonly number[],
  options: ReplayOptions,
  dependencies: ReplayDependencies,
  onProgress: OnProgress = () => {},
): Promise<ReplayReport> {
  const results: SetResult[] = []
  for (const set of sets) results.push(await replaySet(set, arms, budgets, options, dependencies, onProgress))
  return {
    version: 1,
    budgets: [...budgets],
    chunkTokens: options.chunkTokens,
    arms: arms.map(({ name, plan }) => ({ name, planFingerprint: dependencies.fingerprint(plan), plan })),
    sets: results,
  }
}

async function replaySet(
  set: GoldenSet,
  arms: readonly Arm[],
  budgets: readonly number[],
  options: ReplayOptions,
  dependencies: ReplayDependencies,
  onProgress: OnProgress,
): Promise<SetResult> {
  const queries = spread(set.queries, options.limitQueries)
  const texts = new Map(set.documents.map(({ docId, text }) => [docId, text]))
  const prepared = await dependencies.prepare(set, options, onProgress)
  const degraded: Record<string, number> = {}
  const asked: QueryResult[] = []
  try {
    for (const [index, query] of queries.entries()) {
      const figures: QueryResult['arms'] = Object.fromEntries(arms.map(({ name }) => [name, {}]))
      for (const arm of rotated(arms, index)) {
        for (const budgetTokens of budgets) {
          const plan = { ...arm.plan, budgetTokens }
          const run = await named(`set ${set.name}, query ${query.id}, arm ${arm.name}, budget ${budgetTokens}`, () =>
            prepared.run(query.query, plan),
          )
          for (const code of new Set(run.degraded)) degraded[code] = (degraded[code] ?? 0) + 1
          const ofArm = figures[arm.name] ?? {}
          ofArm[budgetTokens] = measureRun(run, plan, query, texts, dependencies.countTokens)
        }
      }
      asked.push(resultOf(query, figures))
      onProgress({ set: set.name, phase: 'ask', done: index + 1, total: queries.length })
    }
  } finally {
    await prepared.close()
  }
  const { name, hash, documents } = set
  const { chunks, embedder } = prepared
  return { name, hash, documents: documents.length, chunks, embedder, degraded, queries: asked }
}

function resultOf({ id, query, intent, grade, goldPassages }: GoldenQuery, arms: QueryResult['arms']): QueryResult {
  return { id, query, intent, grade, golds: goldPassages.length, arms }
}

/** `limit` of the queries at even distances: the first ones of a set are often about one document. */
function spread(queries: readonly GoldenQuery[], limit: number | null): GoldenQuery[] {
  if (limit === null || limit >= queries.length) return [...queries]
  const places = new Set(Array.from({ length: limit }, (_, index) => Math.floor((index * queries.length) / limit)))
  return queries.filter((_, index) => places.has(index))
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % Math.max(1, items.length)
  return [...items.slice(first), ...items.slice(0, first)]
}

async function named<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StowageError('internal', `${name}: ${message}`, { cause: error })
  }
}
