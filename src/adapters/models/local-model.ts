import { availableParallelism } from 'node:os'
import type { ModelToLoad } from './load.ts'
import { findModel, loadFailure, type ModelRequest, type ModelSource } from './model-folder.ts'
import { createWorkerPool, type WorkerPool } from './workers/pool.ts'

/** How a model runs in worker threads of this process. */
export interface LocalModelOptions {
  /** A folder in Hugging Face layout, or a hub's model id. */
  model: string
  /** Worker threads: one per core by default, at most 4. */
  workers?: number
  /** Longest input in tokens, special ones included: the folder's `max_tokens` by default, else 512. Fewer is faster. */
  maxTokens?: number
  /** Whether a hub may be asked for a model that is no folder, default true. */
  allowRemote?: boolean
  /** Where a hub's models are kept. */
  cacheFolder?: string
}

/** Finds a model and loads it in a pool of workers. Rejects with ModelUnavailableError when it cannot be found or loaded. */
export async function startLocalModel<Job, Result, Details>(
  options: LocalModelOptions,
  variable: ModelRequest['variable'],
  script: URL,
): Promise<{ source: ModelSource; pool: WorkerPool<Job, Result, Details> }> {
  const named = { model: options.model, variable }
  const source = await findModel({ ...named, allowRemote: options.allowRemote ?? true })
  const { location, local, dtype, settings, window } = source
  const wanted = options.maxTokens ?? settings.max_tokens ?? 512
  const data: ModelToLoad = {
    location,
    local,
    dtype,
    maxTokens: Math.min(wanted, window ?? wanted),
    cacheFolder: options.cacheFolder ?? null,
    pooling: settings.pooling,
    normalize: settings.normalize,
  }
  const size = options.workers ?? Math.min(4, availableParallelism())
  const pool = await createWorkerPool<Job, Result, Details>({ script, data, size }).catch((error: Error): never => {
    throw loadFailure(named, source, error)
  })
  return { source, pool }
}
