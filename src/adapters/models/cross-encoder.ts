import type { Reranker } from '../../core/ports.ts'
import { createCachedReranker } from './cached-reranker.ts'
import type { PairJob } from './cross-encoder.worker.ts'
import { type LocalModelOptions, startLocalModel } from './local-model.ts'
import type { Calibration } from './model-folder.ts'
import { workerModule } from './workers/pool.ts'

export interface CrossEncoderOptions extends LocalModelOptions {
  /** Number of scores in the cache, about 200 bytes each; default 20,000. */
  cacheEntries?: number
  /** Default is calibration.json in the folder. */
  calibration?: Calibration
}

/**
 * A cross-encoder in worker threads. One pair per job, because an abort takes effect between jobs. Scores are
 * `sigmoid(logit / temperature + bias)`, in [0,1].
 * @throws ModelUnavailableError when the model is missing or cannot be loaded
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
    cacheEntries: options.cacheEntries,
    async score(query, passages, signal, tenant) {
      const { results } = await pool.run(
        passages.map(passage => ({ query, passage })),
        { signal, tenant },
      )
      return results.map(logit => (Number.isFinite(logit) ? sigmoid(Number(logit) / temperature + bias) : null))
    },
    expectedWaitMs: tenant => pool.expectedWaitMs(tenant),
    waiting: () => pool.waiting(),
    close: () => pool.close(),
  })
}

/** The logistic function, in [0,1]. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x))
}
