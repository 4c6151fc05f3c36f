import type { Embedder } from '../../core/ports.ts'
import { type LocalModelOptions, startLocalModel } from './local-model.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { createPooledEmbedder, type EmbedderDetails } from './pooled-embedder.ts'
import { workerModule } from './workers/pool.ts'

/**
 * Any feature-extraction model of transformers.js in a pool of worker threads. Pooling, prefixes and window come from the
 * folder's stowage.json (mean, none and 512 without one). Rejects with ModelUnavailableError when the model cannot be had.
 */
export async function createLocalEmbedder(options: LocalModelOptions): Promise<Embedder> {
  const { source, pool } = await startLocalModel<string, Float32Array, EmbedderDetails>(
    options,
    'EMBEDDING_MODEL',
    workerModule('local-embedder.worker', import.meta.url),
  )
  const { settings } = source
  const { dimensions } = pool.details
  if (settings.dimensions !== undefined && settings.dimensions !== dimensions) {
    await pool.close()
    throw new ModelUnavailableError(
      `EMBEDDING_MODEL: ${options.model} gives ${dimensions} dimensions, its stowage.json says ${settings.dimensions}.`,
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
