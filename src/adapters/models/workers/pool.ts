import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { messageOf, StowageError } from '../../../core/errors.ts'
import { FairQueue } from '../../../core/work/fair-queue.ts'
import { loaderArguments } from '../../../core/work/worker-module.ts'

interface WorkerPoolOptions {
  /** Module of the worker: its default export runs a job (see `inTurn`), its export `details` returns the details. */
  script: URL
  /** The `workerData` of every worker. */
  data: unknown
  size: number
}

/** Worker threads that share one queue of jobs. */
export interface WorkerPool<Job, Result, Details> {
  readonly details: Details
  /** Number of workers. */
  readonly size: number
  /**
   * Runs jobs over all workers. Tenants take turns, and so do the calls of one tenant, job by job. `results[i]` is null if job i failed, or was not done when the
   * signal aborted or the pool closed.
   * @throws StowageError `upstream_unavailable` when the pool is closed, or no job was done and not because of the signal
   */
  run(jobs: readonly Job[], options?: PoolCallOptions): Promise<PoolResults<Result>>
  /** The same for work that decides what it sends to a worker when a worker is free for it. */
  runTurns<Outcome>(
    turns: readonly Turn<Job, Result, Outcome>[],
    options?: PoolCallOptions,
  ): Promise<PoolResults<Outcome>>
  /**
   * Estimated time until the jobs of a new call would start, in milliseconds: jobs before them × recent time of a job / workers. Of
   * the jobs of other tenants, no more count than the tenant itself has.
   */
  expectedWaitMs(tenant?: string | null): number
  /** Number of jobs that no worker has yet. */
  waiting(): number
  /** Waits for running jobs, then ends the workers. Pending calls resolve with the results so far. */
  close(): Promise<void>
}

/** Work that takes one place among the jobs. It may call `send` once, or not at all. */
export type Turn<Job, Result, Outcome> = (send: (job: Job) => Promise<Result>) => Promise<Outcome>

export interface PoolCallOptions {
  signal?: AbortSignal | undefined
  /** Default: null, as in open mode. */
  tenant?: string | null | undefined
  /** Whether the jobs are short work that no estimate of the wait counts. */
  isSmall?: boolean
}

interface PoolResults<Result> {
  results: (Result | null)[]
  /** Message of the last failed job. */
  lastError: string | null
}

/** Jobs per worker at a time: the next job is already in the thread when the running one ends. */
const DEPTH = 2
/** Of the heap of a worker. A job leaves little behind, and without a limit this part alone grows to 48 MiB in each thread. */
const YOUNG_GENERATION_MB = 8
/** More than any tokenizer takes. V8 lets garbage wait the longer the higher this limit is. */
const OLD_GENERATION_MB = 512
const CLOSE_TIMEOUT_MS = 5_000
/** Time of a job before the first one has ended, in milliseconds. */
const FIRST_GUESS_MS = 10
const SMOOTHING = 0.05

/** Starts a pool and loads the module in every worker. Rejects with the module's own error if that fails. */
export async function createWorkerPool<Job, Result, Details>({
  script,
  data,
  size,
}: WorkerPoolOptions): Promise<WorkerPool<Job, Result, Details>> {
  const pool = new Piscina({
    filename: fileURLToPath(script),
    workerData: data,
    execArgv: loaderArguments(script),
    minThreads: size,
    maxThreads: size,
    concurrentTasksPerWorker: DEPTH,
    recordTiming: false,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, maxOldGenerationSizeMb: OLD_GENERATION_MB },
  })
  const calls = new Set<AbortController>()
  const running = new Set<Promise<void>>()
  /** Calls with jobs that no worker has yet. */
  const waiting = new FairQueue<Call>()
  const load = trackLoad(size)
  let closed = false
  let fault: string | null = null
  const stopCalls = () => {
    for (const call of calls) call.abort()
  }
  /** Gives jobs to the workers while they take some, one of each call in turn. */
  const handOut = () => {
    while (running.size < size * DEPTH) {
      const call = waiting.take()
      if (call === undefined) return
      if (!call.hasNext()) continue
      const job = call.runNext().finally(() => {
        running.delete(job)
        handOut()
      })
      running.add(job)
      if (call.hasNext()) waiting.push(call.tenant, call)
    }
  }
  /** Ending a thread while a model loads or runs in native code aborts the process, and Piscina's own close does not wait for all threads. */
  const destroyAfter = async (work: Iterable<Promise<unknown>>) => {
    await Promise.race([Promise.allSettled(work), setTimeout(CLOSE_TIMEOUT_MS, null, { ref: false })])
    await pool.destroy()
  }
  pool.on('error', (error: Error) => {
    if (closed || pool.threads.length > 0) return
    fault = error.message
    stopCalls()
  })
  const loading = pool.threads.map(whenLoaded)
  const details: Details = await Promise.all(loading)
    .then(() => pool.run(null, { name: 'details' }))
    .catch(async (error: Error) => {
      closed = true
      await destroyAfter(loading)
      throw error
    })

  const send = (job: Job): Promise<Result> => pool.run(job)

  async function runTurns<Outcome>(
    turns: readonly Turn<Job, Result, Outcome>[],
    { signal, tenant = null, isSmall = false }: PoolCallOptions = {},
  ): Promise<PoolResults<Outcome>> {
    if (closed) throw unavailable('it is closed')
    const results: (Outcome | null)[] = turns.map(() => null)
    if (signal?.aborted || turns.length === 0) return { results, lastError: null }
    fault = null
    let lastError: string | null = null
    let next = 0
    let ended = 0
    let done = 0
    const over = new AbortController()
    const stop = () => over.abort()
    const call: Call = {
      tenant,
      hasNext: () => next < turns.length && !over.signal.aborted,
      // Piscina ends a thread to abort its running job, which would lose the loaded model. So it never gets the signal.
      async runNext() {
        const at = next++
        const end = isSmall ? () => {} : load.start(tenant)
        try {
          results[at] = (await turns[at]?.(send)) ?? null
          done++
        } catch (error) {
          lastError = messageOf(error)
        } finally {
          end()
          if (++ended === turns.length) stop()
        }
      },
    }
    calls.add(over)
    if (!isSmall) load.wait(tenant, turns.length)
    signal?.addEventListener('abort', stop, { once: true })
    waiting.push(tenant, call)
    handOut()
    await once(over.signal, 'abort')
    signal?.removeEventListener('abort', stop)
    calls.delete(over)
    waiting.delete(tenant, call)
    if (!isSmall) load.wait(tenant, next - turns.length)
    lastError ??= fault
    if (done === 0 && lastError !== null && !signal?.aborted) throw unavailable(lastError)
    return { results: [...results], lastError }
  }

  return {
    details,
    size,
    run(jobs, options) {
      const turnOf = (job: Job) => (send: (job: Job) => Promise<Result>) => send(job)
      return runTurns(jobs.map(turnOf), options)
    },
    runTurns,
    expectedWaitMs: (tenant = null) => load.expectedWaitMs(tenant),
    waiting: () => load.waiting(),
    async close() {
      closed = true
      stopCalls()
      await destroyAfter(running)
    },
  }
}

/** Resolves when a thread has loaded its module: its first message is that of Piscina which says so. Rejects when it cannot. */
function whenLoaded(thread: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    thread.once('message', () => resolve())
    thread.once('error', reject)
    thread.once('exit', code => reject(new Error(`worker exited with code: ${code}`)))
  })
}

/** A call with jobs that no worker has yet. */
interface Call {
  tenant: string | null
  /** False when all jobs are handed out, and when the call has ended. */
  hasNext(): boolean
  /** Runs its next job. Never rejects. */
  runNext(): Promise<void>
}

/** Counts the jobs of a pool and learns their time from the distance between two ends. */
function trackLoad(size: number) {
  /** Jobs that no worker has yet, by tenant. */
  const waiting = new Map<string | null, number>()
  let running = 0
  let lastEnd = 0
  let jobMs = FIRST_GUESS_MS
  const waitingOf = (tenant: string | null) => waiting.get(tenant) ?? 0
  const load = {
    /** Adds jobs that wait, or removes them with a negative number. */
    wait(tenant: string | null, jobs: number): void {
      const count = waitingOf(tenant) + jobs
      if (count === 0) waiting.delete(tenant)
      else waiting.set(tenant, count)
    },
    waiting: (): number => [...waiting.values()].reduce((sum, count) => sum + count, 0),
    expectedWaitMs(tenant: string | null): number {
      const own = waitingOf(tenant)
      let before = running + own
      for (const [other, count] of waiting) if (other !== tenant) before += Math.min(count, own + 1)
      return (before * jobMs) / size
    },
    /** Moves a job to a worker. Call the result when it has ended. */
    start(tenant: string | null): () => void {
      load.wait(tenant, -1)
      running++
      const from = performance.now()
      return () => {
        const now = performance.now()
        const parallel = Math.min(running, size)
        jobMs += SMOOTHING * ((now - Math.max(from, lastEnd)) * parallel - jobMs)
        lastEnd = now
        running--
      }
    },
  }
  return load
}

function unavailable(reason: string): StowageError {
  return new StowageError('upstream_unavailable', `The model cannot be run: ${reason}`)
}
