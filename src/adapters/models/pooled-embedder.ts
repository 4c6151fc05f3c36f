import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { rememberQueries } from './vectors.ts'
import type { WorkerPool } from './workers/pool.ts'

export interface PooledEmbedderOptions {
  modelId: string
  /** How one vector is made from the vectors of the tokens; part of the version. */
  pooling: string
  /** Embeds texts; its details are the number of dimensions. */
  pool: WorkerPool<string, Float32Array, number>
  queryPrefix?: string
  passagePrefix?: string
}

/**
 * Embeds with a pool whose jobs are texts. One text per job, because batches are not faster on a CPU (padding costs time) and
 * an abort takes effect between jobs. One failed text rejects the call.
 */
export function createPooledEmbedder(options: PooledEmbedderOptions): Embedder {
  const { pool, queryPrefix = '', passagePrefix = '' } = options
  const dimensions = pool.details

  async function embed(prefix: string, texts: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    const prefixed = texts.map(text => prefix + text)
    const { results, lastError } = await pool.run(prefixed, signal)
    signal?.throwIfAborted()
    return results.map((vector, at) => {
      if (vector === null) throw new StowageError('upstream_unavailable', `Text ${at} was not embedded: ${lastError}`)
      return vector
    })
  }

  return {
    version: `${options.modelId}:${dimensions}:${options.pooling}`,
    dimensions,
    embedQuery: rememberQueries((texts, signal) => embed(queryPrefix, texts, signal)),
    embedPassages: (texts, signal) => embed(passagePrefix, texts, signal),
    close: () => pool.close(),
  }
}
