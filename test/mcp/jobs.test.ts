import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { resultText } from '../../src/commands/contextualize/report.ts'
import { StowageError } from '../../src/core/errors.ts'
import { createJobs } from '../../src/mcp/jobs/jobs.ts'
import type { Reindexing, ReindexProgress, ReindexRequest, ReindexResult } from '../../src/mcp/jobs/reindexing.ts'
import { jobText } from '../../src/mcp/tools/reindex-progress.ts'

const RESULT: ReindexResult = {
  points: 3,
  stored: 3,
  fallbacks: 0,
  postponed: 0,
  left: 0,
  stoppedBy: null,
  dollars: 0,
  warnings: [],
}
const { signal } = new AbortController()
const request = (collection: string): ReindexRequest => ({ collection, writer: 'rules', budgetUsd: null, apiKey: 'k' })

interface Run {
  end: { resolve(result: ReindexResult): void; reject(error: Error): void }
  report(progress: ReindexProgress): void
}

/** Runs that end when the test says so. */
function openWorld() {
  const runs: Run[] = []
  const unexpected: unknown[] = []
  const reindexing: Reindexing = {
    nameOf: async ({ collection }) => collection.replace('alias-of-', ''),
    estimate: async () => {
      throw new Error('not used')
    },
    run: (_request, report, ended) =>
      new Promise((resolve, reject) => {
        ended.addEventListener('abort', () => reject(ended.reason))
        runs.push({ end: { resolve, reject }, report })
      }),
  }
  let ids = 0
  const jobs = createJobs({
    reindexing,
    newId: () => `job-${++ids}`,
    wallClock: () => new Date(0),
    onUnexpected: error => unexpected.push(error),
  })
  return { jobs, runs, unexpected }
}

describe('the progress of a job', () => {
  it('says in its result which contexts are not of the model, in the words of the command', async () => {
    const { jobs, runs } = openWorld()
    const job = await jobs.start(request('docs'), 'me', signal)
    const counts = { ...RESULT, fallbacks: 1_200, postponed: 7 }
    runs[0]?.end.resolve(counts)
    await jobs.wait(job, 60_000, () => {}, signal)
    const text = jobText(job)
    const spending = {}
    const command = resultText('docs', { ...counts, withoutText: 0, before: 0, spending, warnings: [] }, 0)
    for (const sentence of [
      '1,200 of the stored contexts are of the rules, in the place of those of the model',
      '7 of them because the endpoint could not answer: run again to ask it for them',
    ]) {
      expect(text).toContain(`${sentence}.`)
      expect(command).toContain(`  ${sentence}\n`)
    }
  })
})

describe('jobs', () => {
  it('answer at once, and end with the result of their run', async () => {
    const { jobs, runs } = openWorld()
    const job = await jobs.start(request('docs'), 'me', signal)
    expect(job.state).toBe('running')
    runs[0]?.end.resolve(RESULT)
    await jobs.wait(job, 60_000, () => {}, signal)
    expect(jobs.find(job.id, 'me')).toMatchObject({ state: 'done', result: RESULT })
    expect(JSON.stringify(job)).not.toContain('"k"')
  })

  it('run once per collection at a time, also by an alias, and at most two together', async () => {
    const { jobs, runs } = openWorld()
    await jobs.start(request('docs'), 'me', signal)
    await expect(jobs.start(request('alias-of-docs'), 'me', signal)).rejects.toMatchObject({
      code: 'too_many_requests',
    })
    await jobs.start(request('faq'), 'me', signal)
    await expect(jobs.start(request('third'), 'me', signal)).rejects.toMatchObject({ code: 'too_many_requests' })
    runs[0]?.end.resolve(RESULT)
    await turn()
    await jobs.start(request('docs'), 'me', signal)
    await jobs.close()
  })

  it('start once when two calls for one collection come together', async () => {
    const { jobs, runs } = openWorld()
    const started = await Promise.allSettled([1, 2, 3].map(() => jobs.start(request('docs'), 'me', signal)))
    expect(started.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(runs).toHaveLength(1)
    await jobs.close()
  })

  it('do not start when the call is cancelled before', async () => {
    const { jobs, runs } = openWorld()
    const call = new AbortController()
    const starting = jobs.start(request('docs'), 'me', call.signal)
    call.abort()
    await expect(starting).rejects.toThrow('aborted')
    expect([runs.length, jobs.find(null, 'me')]).toEqual([0, null])
  })

  it('are seen by their owner alone', async () => {
    const { jobs } = openWorld()
    const { id } = await jobs.start(request('docs'), 'me', signal)
    expect(jobs.find(id, 'other')).toBeNull()
    expect(jobs.find(null, 'other')).toBeNull()
    expect(jobs.find(null, 'me')?.id).toBe(id)
    await jobs.close()
  })

  it('tell their progress to those who wait, and let a cancelled call go', async () => {
    const { jobs, runs } = openWorld()
    const job = await jobs.start(request('docs'), 'me', signal)
    const seen: number[] = []
    const call = new AbortController()
    const waiting = jobs.wait(job, 60_000, ({ done }) => seen.push(done), call.signal)
    runs[0]?.report({ done: 1, total: 3, dollars: 0 })
    runs[0]?.report({ done: 2, total: 3, dollars: 0 })
    call.abort()
    await waiting
    runs[0]?.report({ done: 3, total: 3, dollars: 0 })
    expect(seen).toEqual([1, 2])
    expect(job.progress?.done).toBe(3)
    await jobs.close()
  })

  it('fail with what the caller can act on, and hide what nobody expected', async () => {
    const { jobs, runs, unexpected } = openWorld()
    const known = await jobs.start(request('docs'), 'me', signal)
    runs[0]?.end.reject(new StowageError('upstream_unavailable', 'Qdrant is away'))
    await jobs.wait(known, 60_000, () => {}, signal)
    expect(known).toMatchObject({ state: 'failed', error: 'upstream_unavailable: Qdrant is away' })
    const unknown = await jobs.start(request('docs'), 'me', signal)
    runs[1]?.end.reject(new Error('text of a customer'))
    await jobs.wait(unknown, 60_000, () => {}, signal)
    expect(unknown.error).toBe('Internal error; see the log entry of request job-2')
    expect(unexpected).toHaveLength(1)
  })

  it('end with the process, each when its run has ended', async () => {
    const { jobs } = openWorld()
    const job = await jobs.start(request('docs'), 'me', signal)
    await jobs.close()
    expect(job.state).toBe('cancelled')
    await expect(jobs.start(request('docs'), 'me', signal)).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('are forgotten when there are many, but not while they run', async () => {
    const { jobs, runs } = openWorld()
    const first = await jobs.start(request('docs'), 'me', signal)
    for (let at = 1; at <= 150; at++) {
      const { id } = await jobs.start(request('faq'), 'me', signal)
      runs[at]?.end.resolve(RESULT)
      await turn()
      expect(jobs.find(id, 'me')?.state).toBe('done')
    }
    expect(jobs.find('job-2', 'me')).toBeNull()
    expect(jobs.find(first.id, 'me')?.state).toBe('running')
    await jobs.close()
  })
})
