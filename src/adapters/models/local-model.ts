import { availableParallelism } from 'node:os'
import { findModel, loadFailure, type ModelRequest, type ModelSource } from './model-folder.ts'
import { createWorkerPool, type WorkerPool } from './workers/pool.ts'

export interface LocalModelOptions {
  /** A folder in Hugging Face layout, or the id of a model on the hub. */
  model: string
  /** Number of worker threads; default is one per core, at most 4. */
  workers?: number
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
  const named = { model: options.model, variable }
  const source = await findModel({ ...named, allowRemote: options.allowRemote ?? true })
  const size = options.workers ?? Math.min(4, availableParallelism())
  const pool = await createWorkerPool<Job, Result, Details>({ script, data: source, size }).catch(
    (error: Error): never => {
      throw loadFailure(named, source, error)
    },
  )
  return { source, pool }
}
