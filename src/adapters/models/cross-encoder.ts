import { availableParallelism } from 'node:os'
import type { Reranker } from '../../core/ports.ts'
import { createCachedReranker } from './cached-reranker.ts'
import type { PairJob } from './cross-encoder.worker.ts'
import type { ModelToLoad } from './load.ts'
import { type Calibration, findModel, loadFailure } from './model-folder.ts'
import { createWorkerPool } from './workers/pool.ts'
import { workerModule } from './workers/thread.ts'

export interface CrossEncoderOptions {
  /** A folder in Hugging Face layout, or a hub's model id. */
  model: string
  /** Worker threads, one per core by default, at most 4. */
  workers?: number
  /** Longest pair in tokens, special ones included: the folder's `max_tokens` by default, else 512. Fewer is faster. */
  maxTokens?: number
  /** Scored pairs remembered, about 200 bytes each. */
  cacheEntries?: number
  /** Whether a hub may be asked for a model that is no folder. */
  allowRemote?: boolean
  /** Where a hub's models are kept. */
  cacheFolder?: string
  /** In place of the folder's calibration.json. */
  calibration?: Calibration
}

/**
 * A cross-encoder in a pool of worker threads, one pair per run so that every pair is a point to stop at. Scores are
 * `sigmoid(logit / temperature + bias)`, in [0,1]. Rejects with ModelUnavailableError when the model cannot be had.
 */
export async function createCrossEncoder(options: CrossEncoderOptions): Promise<Reranker> {
  const named = { model: options.model, variable: 'RERANK_MODEL' } as const
  const source = await findModel({ ...named, allowRemote: options.allowRemote ?? true })
  const wanted = options.maxTokens ?? source.settings.max_tokens ?? 512
  const data: ModelToLoad = {
    location: source.location,
    local: source.local,
    dtype: source.dtype,
    maxTokens: Math.min(wanted, source.window ?? wanted),
    cacheFolder: options.cacheFolder ?? null,
  }
  const size = options.workers ?? Math.min(4, availableParallelism())
  const pool = await createWorkerPool<PairJob, number, null>({
    script: workerModule('cross-encoder.worker', import.meta.url),
    data,
    size,
  }).catch((error: Error): never => {
    throw loadFailure(named, source, error)
  })
  const { temperature, bias } = options.calibration ?? source.calibration
  return createCachedReranker({
    model: source.id,
    cacheEntries: options.cacheEntries ?? 20_000,
    async score(query, passages, signal) {
      const { results } = await pool.run(
        passages.map(passage => ({ query, passage })),
        signal,
      )
      return results.map(logit => (Number.isFinite(logit) ? sigmoid(Number(logit) / temperature + bias) : null))
    },
    close: () => pool.close(),
  })
}

/** The logistic function, in [0,1]. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x))
}
