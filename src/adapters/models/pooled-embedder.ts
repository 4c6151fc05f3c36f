import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { BoundedCache } from '../../text/bounded-cache.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { WorkerPool } from './workers/pool.ts'

/** What a worker tells of the model it loaded. */
export interface EmbedderDetails {
  dimensions: number
}

export interface PooledEmbedderOptions {
  modelId: string
  /** How token vectors become one: part of the version. */
  pooling: string
  pool: WorkerPool<string, Float32Array, EmbedderDetails>
  queryPrefix?: string
  passagePrefix?: string
}

const CACHED_QUERIES = 256

/**
 * An embedder over a pool whose jobs are texts. One text per run: on a CPU a batch is no faster, padding costs, and each
 * text is a point to stop at. A text that fails rejects the call, because a missing vector has no stand-in.
 */
export function createPooledEmbedder(options: PooledEmbedderOptions): Embedder {
  const { pool, queryPrefix = '', passagePrefix = '' } = options
  const { dimensions } = pool.details
  const queries = new BoundedCache<string, Float32Array>(CACHED_QUERIES)

  async function embed(texts: string[], signal?: AbortSignal): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    const { results, lastError } = await pool.run(texts, signal)
    signal?.throwIfAborted()
    return results.map((vector, at) => {
      if (vector === null) throw new StowageError('upstream_unavailable', `Text ${at} was not embedded: ${lastError}`)
      return vector
    })
  }

  return {
    version: `${options.modelId}:${dimensions}:${options.pooling}`,
    dimensions,
    async embedQuery(text, signal) {
      const key = contentHash(text)
      const known = queries.get(key)
      if (known !== undefined) return known.slice()
      const [vector = new Float32Array(dimensions)] = await embed([queryPrefix + text], signal)
      queries.set(key, vector)
      return vector.slice()
    },
    embedPassages: (texts, signal) =>
      embed(
        texts.map(text => passagePrefix + text),
        signal,
      ),
    close: () => pool.close(),
  }
}

/** The vector scaled to length 1; a vector without a direction is an error. */
export function unitVector(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (!Number.isFinite(norm) || norm === 0) throw new Error('the model gave a vector without a direction')
  return vector.map(value => value / norm)
}
