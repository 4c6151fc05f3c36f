import type { Reranker } from '../../core/ports.ts'
import { createCachedReranker } from './cached-reranker.ts'
import type { PairJob } from './cross-encoder.worker.ts'
import { type LocalModelOptions, startLocalModel } from './local-model.ts'
import type { Calibration } from './model-folder.ts'
import { workerModule } from './workers/pool.ts'

export interface CrossEncoderOptions extends LocalModelOptions {
  /** Scored pairs remembered, about 200 bytes each. */
  cacheEntries?: number
  /** In place of the folder's calibration.json. */
  calibration?: Calibration
}

/**
 * A cross-encoder in a pool of worker threads, one pair per run so that every pair is a point to stop at. Scores are
 * `sigmoid(logit / temperature + bias)`, in [0,1]. Rejects with ModelUnavailableError when the model cannot be had.
 */
export async function createCrossEncoder(options: CrossEncoderOptions): Promise<Reranker> {
  const { source, pool } = await startLocalModel<PairJob, number, null>(
    options,
    'RERANK_MODEL',
    workerModule('cross-encoder.worker', import.meta.url),
  )
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
