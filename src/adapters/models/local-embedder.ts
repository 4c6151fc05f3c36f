import { availableParallelism } from 'node:os'
import type { Embedder } from '../../core/ports.ts'
import type { EmbedderToLoad } from './local-embedder.worker.ts'
import { findModel, loadFailure, ModelUnavailableError } from './model-folder.ts'
import { createPooledEmbedder, type EmbedderDetails } from './pooled-embedder.ts'
import { createWorkerPool } from './workers/pool.ts'
import { workerModule } from './workers/thread.ts'

export interface LocalEmbedderOptions {
  /** A folder in Hugging Face layout, or a hub's model id. */
  model: string
  /** Worker threads: one per core by default, at most 4. */
  workers?: number
  /** Longest text in tokens, special ones included: the folder's `max_tokens` by default, else 512. */
  maxTokens?: number
  /** Whether a hub may be asked for a model that is no folder. */
  allowRemote?: boolean
  /** Where a hub's models are kept. */
  cacheFolder?: string
}

/**
 * Any feature-extraction model of transformers.js in a pool of worker threads. Pooling, prefixes and window come from the
 * folder's stowage.json (mean, none and 512 without one). Rejects with ModelUnavailableError when the model cannot be had.
 */
export async function createLocalEmbedder(options: LocalEmbedderOptions): Promise<Embedder> {
  const named = { model: options.model, variable: 'EMBEDDING_MODEL' } as const
  const source = await findModel({ ...named, allowRemote: options.allowRemote ?? true })
  const { settings } = source
  const wanted = options.maxTokens ?? settings.max_tokens ?? 512
  const data: EmbedderToLoad = {
    location: source.location,
    local: source.local,
    dtype: source.dtype,
    maxTokens: Math.min(wanted, source.window ?? wanted),
    cacheFolder: options.cacheFolder ?? null,
    pooling: settings.pooling,
    normalize: settings.normalize,
  }
  const size = options.workers ?? Math.min(4, availableParallelism())
  const pool = await createWorkerPool<string, Float32Array, EmbedderDetails>({
    script: workerModule('local-embedder.worker', import.meta.url),
    data,
    size,
  }).catch((error: Error): never => {
    throw loadFailure(named, source, error)
  })
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
