import { StowageError } from '../../core/errors.ts'
import { type Arm, reportArm } from '../arms/arm.ts'
import type { GoldenQuery, GoldenSet } from '../golden-set/golden-set.ts'
import { measureRun, type ReplayRun } from '../metrics/measure-run.ts'
import { QueryEvidence } from '../metrics/query-evidence.ts'
import type { QueryResult, ReplayReport, SetResult } from './results.ts'

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

/** A golden set in its own collection. `RunArm`: the kind of arms that it can run. */
export interface PreparedSet<RunArm extends Arm = Arm> {
  chunks: number
  /** Version of the embedder; null without one. */
  embedder: string | null
  /** Runs one query under one arm, once for each budget, in their order. */
  run(query: GoldenQuery, arm: RunArm, budgets: readonly number[]): Promise<ReplayRun[]>
  /** Called when all arms of a query have run: what was kept for them can go. */
  forget?(query: GoldenQuery): void
  close(): Promise<void>
}

export interface ReplayDependencies<RunArm extends Arm = Arm> {
  /** Ingests the set, or opens the copy of an earlier replay in the cache folder. */
  prepare(set: GoldenSet, job: ReplayJob): Promise<PreparedSet<RunArm>>
  /** Counts with the reference tokenizer, which is the same for all arms. */
  countTokens(text: string): number
}

/**
 * Runs every query of every set under every arm and budget and measures the contexts. Queries run one after the other. The arm that
 * runs first changes from query to query, so that warm caches favour no arm.
 * @throws StowageError at the first run that fails, with its set, query and arm
 */
export async function replay(job: ReplayJob, dependencies: ReplayDependencies): Promise<ReplayReport> {
  const sets: SetResult[] = []
  for (const set of job.sets) sets.push(await replaySet(set, job, dependencies))
  return { version: 2, budgets: [...job.budgets], chunkTokens: job.chunkTokens, arms: job.arms.map(reportArm), sets }
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
      const evidence = new QueryEvidence(query)
      for (const arm of rotated(arms, index)) {
        const runs = await prepared.run(query, arm, budgets).catch((error: unknown) => {
          const message = error instanceof Error ? error.message : String(error)
          throw new StowageError('internal', `set ${set.name}, query ${query.id}, arm ${arm.name}: ${message}`, {
            cause: error,
          })
        })
        for (const [at, run] of runs.entries()) {
          const budgetTokens = budgets[at] ?? 0
          for (const code of new Set(run.degraded)) degraded[code] = (degraded[code] ?? 0) + 1
          const ofArm = figures[arm.name] ?? {}
          ofArm[budgetTokens] = measureRun(run, budgetTokens, evidence, {
            texts,
            countTokens: dependencies.countTokens,
          })
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
