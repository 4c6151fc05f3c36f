import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { type LocalModelOptions, startLocalModel } from './local-model.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { rememberQueries } from './vectors.ts'
import { type WorkerPool, workerModule } from './workers/pool.ts'

/**
 * Embeds with a feature-extraction model of transformers.js in worker threads. Pooling, prefixes and window are set in
 * stowage.json in the model's folder; the defaults are mean, none and 512.
 * @throws ModelUnavailableError when the model is missing or cannot be loaded
 */
export async function createLocalEmbedder(options: LocalModelOptions): Promise<Embedder> {
  const { source, pool } = await startLocalModel<string, Float32Array, number>(
    options,
    'EMBEDDING_MODEL',
    workerModule('local-embedder.worker', import.meta.url),
  )
  const { settings } = source
  const dimensions = pool.details
  if (settings.dimensions !== undefined && settings.dimensions !== dimensions) {
    await pool.close()
    throw new ModelUnavailableError(
      `EMBEDDING_MODEL: ${options.model} returns ${dimensions} dimensions, but its stowage.json has ${settings.dimensions}.`,
    )
  }
  return createPooledEmbedder({
    modelId: source.id,
    pooling: settings.pooling,
    pool,
    queryPrefix: settings.query_prefix,
    passagePrefix: settings.passage_prefix,
  })
}

interface PooledEmbedderOptions {
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

  async function embed(
    prefix: string,
    texts: string[],
    signal?: AbortSignal,
    tenant?: string | null,
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    const prefixed = texts.map(text => prefix + text)
    const { results, lastError } = await pool.run(prefixed, { signal, tenant })
    signal?.throwIfAborted()
    return results.map((vector, at) => {
      if (vector === null) throw new StowageError('upstream_unavailable', `Text ${at} was not embedded: ${lastError}`)
      return vector
    })
  }

  return {
    version: `${options.modelId}:${dimensions}:${options.pooling}`,
    dimensions,
    embedQuery: rememberQueries((texts, signal, tenant) => embed(queryPrefix, texts, signal, tenant)),
    embedPassages: (texts, signal) => embed(passagePrefix, texts, signal),
    expectedWaitMs: tenant => pool.expectedWaitMs(tenant),
    close: () => pool.close(),
  }
}
