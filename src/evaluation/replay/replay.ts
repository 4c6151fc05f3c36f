import { StowageError } from '../../core/errors.ts'
import { planFingerprint } from '../../pipeline/plan/derived.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { GoldenQuery, GoldenSet } from '../golden-set/golden-set.ts'
import type { Arm } from './arms.ts'
import { measureRun, type ReplayRun, type RunFigures } from './run-metrics.ts'

export interface ReplayJob {
  sets: readonly GoldenSet[]
  arms: readonly Arm[]
  budgets: readonly number[]
  chunkTokens: number
  /** Folder for ingested sets. */
  cacheFolder: string
  /** Queries of each set, at even distances; null uses all. */
  limitQueries: number | null
  onProgress: OnProgress
}

/** `phase` is the name of the set and `ingest` or `ask`, for example `isharoth: ask`. */
export type OnProgress = (phase: string, done: number, total: number) => void

/** A golden set in its own collection. */
export interface PreparedSet {
  chunks: number
  /** Version of the embedder; null without one. */
  embedder: string | null
  run(query: string, plan: Plan): Promise<ReplayRun>
  close(): Promise<void>
}

export interface ReplayDependencies {
  /** Ingests the set, or opens the copy of an earlier replay in the cache folder. */
  prepare(set: GoldenSet, job: ReplayJob): Promise<PreparedSet>
  /** Counts with the reference tokenizer, which is the same for all arms. */
  countTokens(text: string): number
}

/** The figures of one query, by name of the arm and budget. */
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
  /** Number of runs with each degradation. */
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
 * Runs every query of every set under every arm and budget and measures the contexts. Queries run one after the other. The arm that
 * runs first changes from query to query, so that warm caches favour no arm.
 * @throws StowageError at the first run that fails, with its set, query, arm and budget
 */
export async function replay(job: ReplayJob, dependencies: ReplayDependencies): Promise<ReplayReport> {
  const sets: SetResult[] = []
  for (const set of job.sets) sets.push(await replaySet(set, job, dependencies))
  const arms = job.arms.map(({ name, plan }) => ({ name, planFingerprint: planFingerprint(plan), plan }))
  return { version: 1, budgets: [...job.budgets], chunkTokens: job.chunkTokens, arms, sets }
}

async function replaySet(set: GoldenSet, job: ReplayJob, dependencies: ReplayDependencies): Promise<SetResult> {
  const { arms, budgets, limitQueries, onProgress } = job
  const queries = spread(set.queries, limitQueries)
  const texts = new Map(set.documents.map(({ docId, text }) => [docId, text]))
  const prepared = await dependencies.prepare(set, job)
  const degraded: Record<string, number> = {}
  const results: QueryResult[] = []
  try {
    for (const [index, query] of queries.entries()) {
      const figures: QueryResult['arms'] = Object.fromEntries(arms.map(({ name }) => [name, {}]))
      for (const arm of rotated(arms, index)) {
        for (const budgetTokens of budgets) {
          const plan = { ...arm.plan, budgetTokens }
          const run = await prepared.run(query.query, plan).catch((error: unknown) => {
            const place = `set ${set.name}, query ${query.id}, arm ${arm.name}, budget ${budgetTokens}`
            const message = error instanceof Error ? error.message : String(error)
            throw new StowageError('internal', `${place}: ${message}`, { cause: error })
          })
          for (const code of new Set(run.degraded)) degraded[code] = (degraded[code] ?? 0) + 1
          const ofArm = figures[arm.name] ?? {}
          ofArm[budgetTokens] = measureRun(run, plan, query, texts, dependencies.countTokens)
        }
      }
      const { id, intent, grade, goldPassages } = query
      results.push({ id, query: query.query, intent, grade, golds: goldPassages.length, arms: figures })
      onProgress(`${set.name}: ask`, index + 1, queries.length)
    }
  } finally {
    await prepared.close()
  }
  const { chunks, embedder } = prepared
  const { name, hash, documents } = set
  return { name, hash, documents: documents.length, chunks, embedder, degraded, queries: results }
}

/** Takes `limit` queries at even distances, because neighbouring queries of a set are often about one document. */
function spread(queries: readonly GoldenQuery[], limit: number | null): GoldenQuery[] {
  if (limit === null || limit >= queries.length) return [...queries]
  const places = new Set(Array.from({ length: limit }, (_, index) => Math.floor((index * queries.length) / limit)))
  return queries.filter((_, index) => places.has(index))
}

function rotated<Item>(items: readonly Item[], by: number): Item[] {
  const first = by % Math.max(1, items.length)
  return [...items.slice(first), ...items.slice(0, first)]
}
