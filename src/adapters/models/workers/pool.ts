import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { StowageError } from '../../../core/errors.ts'

export interface WorkerPoolOptions {
  /** Module of the worker: its default export runs a job (see `inTurn`), its export `details` returns the details. */
  script: URL
  /** The `workerData` of every worker. */
  data: unknown
  size: number
}

/** Worker threads that share one queue of jobs. */
export interface WorkerPool<Job, Result, Details> {
  readonly details: Details
  /**
   * Runs jobs over all workers; concurrent calls take turns. `results[i]` is null if job i failed, or was not done when the
   * signal aborted or the pool closed.
   * @throws StowageError `upstream_unavailable` when the pool is closed, or no job was done and not because of the signal
   */
  run(jobs: readonly Job[], signal?: AbortSignal): Promise<PoolResults<Result>>
  /** Estimated time until the jobs of a new call would start, in milliseconds: unfinished jobs × recent time of a job / workers. */
  expectedWaitMs(): number
  /** Waits for running jobs, then ends the workers. Pending calls resolve with the results so far. */
  close(): Promise<void>
}

export interface PoolResults<Result> {
  results: (Result | null)[]
  /** Message of the last failed job. */
  lastError: string | null
}

/** Jobs per worker at a time: the next job is already in the thread when the running one ends. */
const DEPTH = 2
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
  })
  const calls = new Set<AbortController>()
  const lanes = new Set<Promise<void>>()
  const load = trackLoad(size)
  let closed = false
  let fault: string | null = null
  const stopCalls = () => {
    for (const call of calls) call.abort()
  }
  const track = (lane: Promise<void>) => {
    lanes.add(lane)
    return lane.finally(() => lanes.delete(lane))
  }
  pool.on('error', (error: Error) => {
    if (closed || pool.threads.length > 0) return
    fault = error.message
    stopCalls()
  })
  // One job per worker, so that no call waits for a worker that is still loading.
  const loading = Array.from({ length: size }, () => pool.run(null, { name: 'details' }))
  const [details] = await Promise.all(loading).catch(async (error: Error) => {
    closed = true
    await pool.destroy()
    throw error
  })

  return {
    details,
    async run(jobs, signal) {
      if (closed) throw unavailable('it is closed')
      const results: (Result | null)[] = jobs.map(() => null)
      if (signal?.aborted) return { results, lastError: null }
      fault = null
      let lastError: string | null = null
      let next = 0
      let done = 0
      const call = new AbortController()
      const stop = () => call.abort()
      // Piscina ends a thread to abort its running job, which would lose the loaded model. So it never gets the signal.
      const lane = async () => {
        while (next < jobs.length && !call.signal.aborted) {
          const at = next++
          const ended = load.start()
          try {
            results[at] = await pool.run(jobs[at])
            done++
          } catch (error) {
            lastError = error instanceof Error ? error.message : String(error)
          } finally {
            ended()
          }
        }
      }
      calls.add(call)
      load.waiting += jobs.length
      signal?.addEventListener('abort', stop, { once: true })
      const started = Array.from({ length: size * DEPTH }, () => track(lane()))
      await Promise.race([Promise.all(started), once(call.signal, 'abort')])
      signal?.removeEventListener('abort', stop)
      calls.delete(call)
      load.waiting -= jobs.length - next
      lastError ??= fault
      if (done === 0 && lastError !== null && !signal?.aborted) throw unavailable(lastError)
      return { results: [...results], lastError }
    },
    expectedWaitMs: () => load.expectedWaitMs(),
    async close() {
      closed = true
      stopCalls()
      // Ending a thread while the model runs in native code aborts the process, and Piscina's own close does not wait for all threads.
      await Promise.race([Promise.all(lanes), setTimeout(CLOSE_TIMEOUT_MS, null, { ref: false })])
      await pool.destroy()
    },
  }
}

/** Counts the jobs of a pool and learns their time from the distance between two ends. */
function trackLoad(size: number) {
  let running = 0
  let lastEnd = 0
  let jobMs = FIRST_GUESS_MS
  const load = {
    /** Jobs that no worker has yet. */
    waiting: 0,
    expectedWaitMs: () => ((load.waiting + running) * jobMs) / size,
    /** Moves a job to a worker. Call the result when it has ended. */
    start(): () => void {
      load.waiting--
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

/** Module of a worker in the caller's folder, with the caller's extension: `.ts` in a clone, `.js` in a package. */
export function workerModule(name: string, callerUrl: string): URL {
  return new URL(`./${name}${callerUrl.endsWith('.ts') ? '.ts' : '.js'}`, callerUrl)
}

/** The `execArgv` of a worker. Workers do not inherit the TypeScript loader of this process. */
export function loaderArguments(script: URL): string[] {
  if (!script.pathname.endsWith('.ts')) return []
  const code = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register()`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}
