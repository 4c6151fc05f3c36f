import type { TokenUsage, WriterKind } from '../../contexts/context.ts'

/** What to write contexts for, and by whom. */
export interface ReindexRequest {
  collection: string
  writer: WriterKind
  /** Most US dollars over all runs for the collection; null only for `rules`. */
  budgetUsd: number | null
  /** The key for Qdrant; null sends none. */
  apiKey: string | null
}

export interface ReindexEstimate {
  points: number
  withoutText: number
  /** Contexts that are missing. */
  left: number
  documents: number
  usage: TokenUsage
  /** Null without a price for the model. */
  dollars: number | null
  seconds: number
}

export interface ReindexProgress {
  done: number
  total: number
  /** Spent until now; null without a price. */
  dollars: number | null
}

export interface ReindexResult {
  points: number
  /** Contexts that this run stored. */
  stored: number
  /** Points that still need one. */
  left: number
  stoppedBy: 'budget' | 'changes' | null
  dollars: number | null
  warnings: readonly string[]
}

/** Writes the contexts of live collections. Every method rejects with StowageError for what the caller can do something about. */
export interface Reindexing {
  /** The name of the collection itself, for an alias. */
  nameOf(request: ReindexRequest, signal: AbortSignal): Promise<string>
  estimate(request: ReindexRequest, signal: AbortSignal): Promise<ReindexEstimate>
  /** Leaves whatever it has reached in order when the signal aborts; the next run goes on from there. */
  run(
    request: ReindexRequest,
    onProgress: (progress: ReindexProgress) => void,
    signal: AbortSignal,
  ): Promise<ReindexResult>
}
