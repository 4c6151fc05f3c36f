import { availableParallelism } from 'node:os'
import { findModel, loadFailure, type ModelRequest, type ModelSource } from './model-folder.ts'
import { createWorkerPool, type WorkerPool } from './workers/pool.ts'

export interface LocalModelOptions {
  /** A folder in Hugging Face layout, or the id of a model on the hub. */
  model: string
  /** Number of worker threads; default is one per core, at most 4. */
  workers?: number | undefined
  /** Whether the model may be downloaded from the hub; default true. */
  allowRemote?: boolean
}

/**
 * Finds a model and loads it in a pool of workers.
 * @throws ModelUnavailableError when it is missing or cannot be loaded
 */
export async function startLocalModel<Job, Result, Details>(
  options: LocalModelOptions,
  variable: ModelRequest['variable'],
  script: URL,
): Promise<{ source: ModelSource; pool: WorkerPool<Job, Result, Details> }> {
  const source = await findLocalModel(options, variable)
  const pool = await startWorkers<Job, Result, Details>(source, options, script).catch((error: Error): never => {
    throw loadFailure({ model: options.model, variable }, source, error)
  })
  return { source, pool }
}

/** @throws ModelUnavailableError when the model is missing, or a file in its folder is not valid */
export function findLocalModel(options: LocalModelOptions, variable: ModelRequest['variable']): Promise<ModelSource> {
  return findModel({ model: options.model, variable, allowRemote: options.allowRemote ?? true })
}

/** Starts the workers of a model, one per core, at most 4. Rejects with the worker's own error. */
export function startWorkers<Job, Result, Details>(
  source: ModelSource,
  { workers = Math.min(4, availableParallelism()) }: LocalModelOptions,
  script: URL,
): Promise<WorkerPool<Job, Result, Details>> {
  return createWorkerPool<Job, Result, Details>({ script, data: source, size: workers })
}
