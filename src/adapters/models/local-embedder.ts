import type { Embedder } from '../../core/ports.ts'
import { type LocalModelOptions, startLocalModel } from './local-model.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { createPooledEmbedder } from './pooled-embedder.ts'
import { workerModule } from './workers/pool.ts'

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
