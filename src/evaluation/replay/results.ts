import type { Trace } from '../../pipeline/trace/schema.ts'
import type { ReportedArm } from '../arms/arm.ts'
import type { RunFigures } from '../metrics/measure-run.ts'

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
  /** Version of the embedder; null without one. */
  embedder: string | null
  /** Number of runs with each degradation. */
  degraded: Record<string, number>
  queries: QueryResult[]
}

export interface ReplayReport {
  version: 2
  budgets: number[]
  chunkTokens: number
  /** Queries in flight; absent for one. Latencies depend on it. */
  parallel?: number
  /** The model that reranks; null without one. */
  reranker: string | null
  arms: ReportedArm[]
  sets: SetResult[]
}

/** What a report shows of one query beside its figures. It is large, so it is written while the replay runs, and read query by query. */
export interface QueryDetails {
  set: string
  id: string
  /** Texts of the gold passages, in the order of the set. */
  golds: string[]
  /** Texts of the candidates by point id. */
  texts: Record<string, string>
  /** By name of the arm and budget. A server arm may have no trace. */
  arms: Record<string, Record<string, { context: string; trace: Trace | null }>>
}
