import { setTimeout as pause } from 'node:timers/promises'
import { StowageError } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { internalError } from '../../http/error-handler.ts'
import type { ReindexEstimate, Reindexing, ReindexProgress, ReindexRequest, ReindexResult } from './reindexing.ts'

/** A run in the background. Its fields change while it runs. */
export interface Job {
  readonly id: string
  readonly owner: string
  readonly request: Omit<ReindexRequest, 'apiKey'>
  readonly startedAt: Date
  state: 'running' | 'done' | 'failed' | 'cancelled'
  /** Null before the collection was looked at. */
  progress: ReindexProgress | null
  result: ReindexResult | null
  /** Why it failed; null when it did not. */
  error: string | null
  endedAt: Date | null
}

export interface Jobs {
  estimate(request: ReindexRequest, signal: AbortSignal): Promise<ReindexEstimate>
  /** Starts a run and returns at once. A call that is cancelled before starts none. @throws StowageError `too_many_requests` while the collection, or the process, has enough of them */
  start(request: ReindexRequest, owner: string, signal: AbortSignal): Promise<Job>
  /** @param id null for the owner's latest; null: there is none, or it is another owner's */
  find(id: string | null, owner: string): Job | null
  /** Resolves at the end of the job, after `ms`, or when the signal aborts, whatever comes first. */
  wait(job: Job, ms: number, onProgress: (progress: ReindexProgress) => void, signal: AbortSignal): Promise<void>
  /** Ends all runs, and waits until each has left its state in order. */
  close(): Promise<void>
}

interface JobsOptions {
  reindexing: Reindexing
  newId: () => string
  wallClock: () => Date
  onUnexpected: (error: unknown, id: string) => void
}

/** Each of them may send as many requests to a model as its writer allows. */
const MOST_RUNNING = 2
const MOST_KEPT = 100

export function createJobs({ reindexing, newId, wallClock, onUnexpected }: JobsOptions): Jobs {
  const jobs = new Map<string, Running>()
  const closing = new AbortController()
  const running = () => [...jobs.values()].filter(({ job }) => job.state === 'running')

  function forgetOld(): void {
    const ended = [...jobs.values()].filter(({ job }) => job.state !== 'running')
    for (const { job } of ended.slice(0, Math.max(0, jobs.size - MOST_KEPT))) jobs.delete(job.id)
  }

  function end(job: Job, state: Job['state'], result: ReindexResult | null, error: string | null): void {
    Object.assign(job, { state, result, error, endedAt: wallClock() })
  }

  async function run(job: Job, request: ReindexRequest, onProgress: (progress: ReindexProgress) => void) {
    const { signal } = closing
    try {
      end(job, 'done', await reindexing.run(request, onProgress, signal), null)
    } catch (error) {
      if (signal.aborted) return end(job, 'cancelled', null, 'stowage ended; start it again to go on')
      if (error instanceof StowageError) return end(job, 'failed', null, `${error.code}: ${redactUrls(error.message)}`)
      onUnexpected(error, job.id)
      end(job, 'failed', null, internalError(job.id).message)
    }
  }

  return {
    estimate: (request, signal) => reindexing.estimate(request, signal),
    async start(request, owner, signal) {
      const name = await reindexing.nameOf(request, signal)
      signal.throwIfAborted()
      const busy = running()
      if (closing.signal.aborted) throw new StowageError('overloaded', 'stowage is ending')
      if (busy.some(other => other.name === name))
        throw new StowageError('too_many_requests', `contexts for ${name} are being written already`)
      if (busy.length >= MOST_RUNNING)
        throw new StowageError('too_many_requests', `${MOST_RUNNING} jobs are running; wait until one has ended`)
      const { apiKey: _key, ...shown } = request
      const job: Job = {
        ...{ id: newId(), owner, request: shown, startedAt: wallClock(), endedAt: null },
        ...{ state: 'running', progress: null, result: null, error: null },
      }
      const listeners = new Set<(progress: ReindexProgress) => void>()
      const ended = run(job, request, progress => {
        job.progress = progress
        for (const listener of listeners) listener(progress)
      })
      jobs.set(job.id, { job, name, listeners, ended })
      forgetOld()
      return job
    },
    find(id, owner) {
      const own = [...jobs.values()].filter(({ job }) => job.owner === owner)
      return (id === null ? own.at(-1)?.job : own.find(({ job }) => job.id === id)?.job) ?? null
    },
    async wait({ id, state }, ms, onProgress, signal) {
      const found = jobs.get(id)
      if (found === undefined || state !== 'running' || ms <= 0 || signal.aborted) return
      found.listeners.add(onProgress)
      await Promise.race([found.ended, pause(ms, undefined, { signal, ref: false }).catch(() => {})])
      found.listeners.delete(onProgress)
    },
    async close() {
      closing.abort(new StowageError('overloaded', 'stowage is ending'))
      await Promise.all([...jobs.values()].map(({ ended }) => ended))
    },
  }
}

interface Running {
  job: Job
  /** The name of the collection itself. */
  name: string
  listeners: Set<(progress: ReindexProgress) => void>
  ended: Promise<void>
}
