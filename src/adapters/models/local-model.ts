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
 * Finds a model, and opens what runs it.
 * @throws ModelUnavailableError when it is missing, or cannot be opened
 */
export async function openLocalModel<Opened>(
  { model, allowRemote = true }: LocalModelOptions,
  variable: ModelRequest['variable'],
  open: (source: ModelSource) => Promise<Opened>,
): Promise<{ source: ModelSource; opened: Opened }> {
  const source = await findModel({ model, variable, allowRemote })
  const opened = await open(source).catch((error: Error): never => {
    throw loadFailure({ model, variable }, source, error)
  })
  return { source, opened }
}

/** Starts the workers of a model, one per core, at most 4. Rejects with the worker's own error. */
export function startWorkers<Job, Result, Details>(
  source: ModelSource,
  { workers = Math.min(4, availableParallelism()) }: LocalModelOptions,
  script: URL,
): Promise<WorkerPool<Job, Result, Details>> {
  return createWorkerPool<Job, Result, Details>({ script, data: source, size: workers })
}
