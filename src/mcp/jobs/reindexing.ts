import type { WriterKind } from '../../contexts/context.ts'
import type { ContextualizeResult } from '../../contextualize/contextualize.ts'
import type { Estimate } from '../../contextualize/report/estimate.ts'

/** What to write contexts for, and by whom. */
export interface ReindexRequest {
  collection: string
  writer: WriterKind
  /** Most US dollars over all runs for the collection; null only for `rules`. */
  budgetUsd: number | null
  /** The key for Qdrant; null sends none. */
  apiKey: string | null
}

export interface ReindexEstimate extends Estimate {
  /** Null without a price for the model. */
  dollars: number | null
}

export interface ReindexProgress {
  done: number
  total: number
  /** Spent until now; null without a price. */
  dollars: number | null
}

export interface ReindexResult
  extends Pick<ContextualizeResult, 'points' | 'stored' | 'fallbacks' | 'postponed' | 'left' | 'stoppedBy'> {
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
