import type { Worker } from 'node:worker_threads'
import { StowageError } from '../../../core/errors.ts'
import type { FromWorker, ToWorker } from './protocol.ts'
import { closeWorker, startWorker } from './thread.ts'

export interface WorkerPoolOptions {
  /** The worker's module, as `workerModule` names it. */
  script: URL
  /** What every worker gets as `workerData`. */
  data: unknown
  size: number
}

/** Worker threads that share one queue of jobs. */
export interface WorkerPool<Job, Result, Details> {
  /** What the first worker said of itself when it was ready. */
  readonly details: Details
  /**
   * Runs jobs in the order given, over all workers, taking turns with other calls job by job. `results[i]` is null where
   * the signal came first or the job failed. Rejects when not one job was done and the fault is not the signal's.
   */
  run(jobs: readonly Job[], signal?: AbortSignal): Promise<PoolResults<Result>>
  /** Ends the workers after the job each is at; calls under way resolve with what they have. */
  close(): Promise<void>
}

export interface PoolResults<Result> {
  results: (Result | null)[]
  /** What the last job that failed said. */
  lastError: string | null
}

interface Batch<Job, Result> {
  jobs: readonly Job[]
  results: (Result | null)[]
  next: number
  open: number
  done: number
  lastError: string | null
  settle(): void
}

interface Slot<Job, Result> {
  worker: Worker
  ready: boolean
  underway: Map<number, { batch: Batch<Job, Result>; index: number }>
  lastError: string | null
}

/** Jobs handed to a worker at once: the second spares it the wait for the main thread. */
const DEPTH = 2
const MOST_FAILED_STARTS = 3

/** Starts a pool and waits until its first worker is ready. Rejects with the worker's own error when it cannot start. */
export async function createWorkerPool<Job, Result, Details>(
  options: WorkerPoolOptions,
): Promise<WorkerPool<Job, Result, Details>> {
  const slots = new Set<Slot<Job, Result>>()
  const batches: Batch<Job, Result>[] = []
  let nextId = 1
  let failedStarts = 0
  let everReady = false
  let closed = false
  let lastFault = 'its workers do not start'
  let onReady: (details: Details) => void
  let onFailed: (error: Error) => void
  const started = new Promise<Details>((resolve, reject) => {
    onReady = resolve
    onFailed = reject
  })

  function start(): void {
    const worker = startWorker(options.script, options.data)
    const slot: Slot<Job, Result> = { worker, ready: false, underway: new Map(), lastError: null }
    slots.add(slot)
    worker.on('message', (message: FromWorker<Result, Details>) => receive(slot, message))
    worker.on('error', error => {
      slot.lastError = error.message
    })
    worker.on('exit', code => end(slot, code))
  }

  function receive(slot: Slot<Job, Result>, message: FromWorker<Result, Details>): void {
    if ('ready' in message) {
      slot.ready = everReady = true
      slot.worker.unref()
      failedStarts = 0
      onReady(message.ready)
    } else {
      const task = slot.underway.get(message.id)
      slot.underway.delete(message.id)
      if (task !== undefined) finish(task.batch, task.index, message)
    }
    dispatch()
  }

  function finish(batch: Batch<Job, Result>, index: number, answer: { result: Result } | { error: string }): void {
    if ('result' in answer) {
      batch.results[index] = answer.result
      batch.done++
    } else batch.lastError = answer.error
    if (--batch.open === 0) batch.settle()
  }

  function end(slot: Slot<Job, Result>, code: number): void {
    slots.delete(slot)
    const error = slot.lastError ?? `a worker ended with code ${code}`
    for (const { batch, index } of slot.underway.values()) finish(batch, index, { error })
    if (closed) return
    lastFault = error
    if (!slot.ready) failedStarts++
    if (!everReady) {
      closed = true
      for (const { worker } of slots) void worker.terminate()
      onFailed(new Error(error))
      return
    }
    if (failedStarts < MOST_FAILED_STARTS) start()
    else if (slots.size === 0) {
      for (const batch of batches.splice(0)) {
        batch.lastError = error
        batch.settle()
      }
    }
  }

  function dispatch(): void {
    for (let depth = 1; depth <= DEPTH; depth++) {
      for (const slot of slots) {
        if (slot.ready && slot.underway.size < depth) assign(slot)
      }
    }
    for (const { ready, worker, underway } of slots) {
      if (ready && underway.size === 0) worker.unref()
    }
  }

  function assign(slot: Slot<Job, Result>): void {
    const batch = batches.shift()
    const job = batch?.jobs[batch.next]
    if (batch === undefined || job === undefined) return
    const id = nextId++
    slot.underway.set(id, { batch, index: batch.next++ })
    if (batch.next < batch.jobs.length) batches.push(batch)
    // A worker holds the process only while it works.
    slot.worker.ref()
    slot.worker.postMessage({ id, job } satisfies ToWorker<Job>)
  }

  for (let count = 0; count < options.size; count++) start()
  const details = await started

  return {
    details,
    run(jobs, signal) {
      if (jobs.length === 0 || signal?.aborted) {
        return Promise.resolve({ results: jobs.map(() => null), lastError: null })
      }
      if (closed || slots.size === 0) {
        return Promise.reject(
          new StowageError('upstream_unavailable', `The model cannot be run: ${closed ? 'it is closed' : lastFault}`),
        )
      }
      return new Promise((resolve, reject) => {
        const batch: Batch<Job, Result> = {
          jobs,
          results: jobs.map(() => null),
          next: 0,
          open: jobs.length,
          done: 0,
          lastError: null,
          settle() {
            signal?.removeEventListener('abort', batch.settle)
            const queued = batches.indexOf(batch)
            if (queued >= 0) batches.splice(queued, 1)
            if (batch.done === 0 && batch.lastError !== null && !signal?.aborted) {
              reject(new StowageError('upstream_unavailable', `The model cannot be run: ${batch.lastError}`))
            } else resolve({ results: [...batch.results], lastError: batch.lastError })
          },
        }
        signal?.addEventListener('abort', batch.settle, { once: true })
        batches.push(batch)
        dispatch()
      })
    },
    async close() {
      closed = true
      for (const batch of batches.splice(0)) batch.settle()
      await Promise.all([...slots].map(({ worker }) => closeWorker(worker)))
    },
  }
}
