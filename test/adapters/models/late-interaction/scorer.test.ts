import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeptSides } from '../../../../src/adapters/models/late-interaction/kept-sides.ts'
import type { ScoreJob, ScoreResult } from '../../../../src/adapters/models/late-interaction/late-interaction.worker.ts'
import { createLateInteraction } from '../../../../src/adapters/models/late-interaction/scorer.ts'
import { createWorkerPool, type WorkerPool } from '../../../../src/adapters/models/workers/pool.ts'
import type { PassageObserver } from '../../../../src/core/ports.ts'
import { workerModule } from '../../../../src/core/work/worker-module.ts'
import { noSignal } from '../../../support/model-folders.ts'
import { MODEL_MS } from '../../../support/timeouts.ts'

vi.setConfig({ testTimeout: MODEL_MS, hookTimeout: MODEL_MS })

const PLENTY = 1_000_000
const memory = new SharedArrayBuffer(8)
const encoded = () => Atomics.load(new Int32Array(memory), 0)
const encodedQueries = () => Atomics.load(new Int32Array(memory), 1)
let pool: WorkerPool<ScoreJob, ScoreResult, null>
beforeAll(async () => {
  const script = workerModule('support/counting-worker', import.meta.url)
  pool = await createWorkerPool({ script, data: memory, size: 2 })
})
afterAll(() => pool.close())
beforeEach(() => {
  new Int32Array(memory).fill(0)
})

/** A scorer that has kept nothing yet, on the same workers. */
function open(maxBytes = PLENTY, folder: Parameters<typeof createKeptSides>[1] = null, observer?: PassageObserver) {
  const scorer = createLateInteraction(pool, createKeptSides(maxBytes, folder), 512, observer)
  const score = (query: string, passages: string[], signal = noSignal(), tenant: string | null = null) =>
    scorer.score(query, passages, signal, tenant)
  return { scorer, score }
}

const passagesOf = (count: number, name = 'passage') => Array.from({ length: count }, (_, at) => `${name} ${at}`)
const scoresOf = (query: string, passages: string[]) => passages.map(passage => query.length + passage.length)

describe('scoring by late interaction', () => {
  it('encodes a passage once for all queries and tenants, in any mix of kept and new ones', async () => {
    const { score } = open()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 40 })), fc.string(), async (numbers, query) => {
        const passages = [...new Set(numbers)].map(number => 'p'.repeat(number + 1))
        const logits = await score(query, passages, noSignal(), query.length % 2 === 0 ? 'a' : 'b')
        expect(logits).toEqual(scoresOf(query, passages))
      }),
      { numRuns: 40 },
    )
    expect(encoded()).toBeLessThanOrEqual(41)
  })

  it('encodes a passage once for requests that need it at the same time', async () => {
    const { score } = open()
    for (const passages of [passagesOf(1, 'alone'), passagesOf(6)]) {
      const before = encoded()
      const queries = ['a', 'bb', 'ccc', 'dddd', 'eeeee']
      const all = await Promise.all(queries.map((query, at) => score(query, passages, noSignal(), `tenant ${at % 2}`)))
      expect(all).toEqual(queries.map(query => scoresOf(query, passages)))
      expect(encoded()).toBe(before + passages.length)
    }
  })

  it('encodes a query of a tenant once for all its passages and requests', async () => {
    const { score } = open()
    const passages = passagesOf(60)
    await score('warm', passages)
    const all = await Promise.all(['a', 'a', 'b', 'a'].map(tenant => score('the query', passages, noSignal(), tenant)))
    expect(all).toEqual(Array(4).fill(scoresOf('the query', passages)))
    expect(await score('the query', passages, noSignal(), 'b')).toEqual(scoresOf('the query', passages))
    // `warm`, and one for each tenant.
    expect(encodedQueries()).toBe(3)
  })

  it('matches parts of passages that it has kept without reading them again', async () => {
    const { scorer, score } = open()
    const texts = passagesOf(4)
    await score('which part', texts)
    const before = [encoded(), encodedQueries()]
    const passages = texts.map(text => ({
      text,
      parts: [
        { start: 0, end: 3 },
        { start: 3, end: text.length },
      ],
    }))
    const matches = await scorer.matchParts?.({ query: 'which part', passages, signal: noSignal() })
    expect(matches).toEqual(texts.map(text => [10 + 3, 10 + text.length - 3]))
    expect([encoded(), encodedQueries()]).toEqual(before)
  })

  it('reads passages whose parts are matched before they were scored, and keeps them', async () => {
    const { scorer, score } = open()
    const [text = ''] = passagesOf(1, 'unread')
    expect(
      await scorer.matchParts?.({
        query: 'new',
        passages: [{ text, parts: [{ start: 0, end: 2 }] }],
        signal: noSignal(),
        tenant: 'a',
      }),
    ).toEqual([[5]])
    expect(encoded()).toBe(1)
    await score('new', [text])
    expect(encoded()).toBe(1)
  })

  it('matches nothing after an abort, and says so', async () => {
    const { scorer } = open()
    const passages = [{ text: 'late', parts: [{ start: 0, end: 4 }] }]
    expect(await scorer.matchParts?.({ query: 'late', passages, signal: AbortSignal.abort() })).toEqual([null])
  })

  it('encodes a query before its passages come, when it is told', async () => {
    const { scorer, score } = open()
    scorer.prepare?.('soon', null)
    scorer.prepare?.('soon', null)
    expect(scorer.expectedWaitMs?.(null)).toBe(0)
    await vi.waitUntil(() => encodedQueries() === 1)
    expect(encoded()).toBe(0)
    expect(await score('soon', passagesOf(20))).toEqual(scoresOf('soon', passagesOf(20)))
    expect(encodedQueries()).toBe(1)
  })

  it('scores as before when the query could not be encoded in time, at all, or is a broken text', async () => {
    const { scorer, score } = open()
    scorer.prepare?.('fail', null)
    await expect(score('fail', passagesOf(3))).rejects.toThrow('failed on command')
    scorer.prepare?.('die', null)
    await expect(score('die', passagesOf(3))).rejects.toThrow()
    for (const query of ['', '\uD800', '\uD801 x'.repeat(50_000)]) {
      scorer.prepare?.(query, null)
      expect(await score(query, passagesOf(3))).toEqual(scoresOf(query, passagesOf(3)))
    }
  })

  it('keeps no more bytes than allowed, and forgets first what was not used for longest', async () => {
    const [a, b, c] = ['a'.repeat(49), 'b'.repeat(49), 'c'.repeat(49)]
    const { score } = open(200)
    await score('q', [a])
    await score('q', [b])
    await score('q', [a])
    await score('q', [c])
    expect(encoded()).toBe(3)
    await score('q', [a])
    expect(encoded()).toBe(3)
    await score('q', [b])
    expect(encoded()).toBe(4)
    const large = 'x'.repeat(100)
    expect(await score('q', [large])).toEqual([101])
    expect(await score('q', [large])).toEqual([101])
    expect(encoded()).toBe(6)
  })

  it('encodes a passage anew when the worker that encoded it died or failed', async () => {
    const { score } = open()
    for (const fault of ['die', 'fail']) {
      const passages = passagesOf(2, fault)
      const before = encoded()
      const failing = score(fault, passages).catch(() => null)
      const [lost, logits] = await Promise.all([failing, score('good', passages)])
      expect(lost).toBeNull()
      // A dead worker takes the jobs with it that were already in its thread.
      for (const [at, logit] of logits.entries()) {
        expect(logit === null || logit === scoresOf('good', passages)[at]).toBe(true)
      }
      expect(await score('good', passages)).toEqual(scoresOf('good', passages))
      // What a worker had encoded, too, but not handed over when the next job ended it.
      const lostWithWorker = fault === 'die' ? passages.length : 0
      const times = encoded() - before
      expect(times).toBeGreaterThanOrEqual(passages.length)
      expect(times).toBeLessThanOrEqual(passages.length + lostWithWorker)
    }
  })

  describe('with a folder', () => {
    /** A folder in memory. @param late resolves before a read is answered */
    function createFolder(late: () => Promise<void> = async () => {}) {
      const files = new Map<string, SharedArrayBuffer>()
      return {
        files,
        write: (key: string, side: SharedArrayBuffer) => void files.set(key, side),
        async readAll(keys: readonly string[]) {
          await late()
          return new Map([...files].filter(([key]) => keys.includes(key)))
        },
      }
    }

    it('encodes nothing that an earlier process encoded, however little memory there is', async () => {
      const folder = createFolder()
      const passages = passagesOf(30)
      await open(PLENTY, folder).score('first', passages)
      expect([encoded(), folder.files.size]).toEqual([30, 30])
      for (const maxBytes of [PLENTY, 100, 1]) {
        const { score } = open(maxBytes, folder)
        for (const query of ['second', 'third']) {
          expect(await score(query, passages)).toEqual(scoresOf(query, passages))
        }
      }
      expect(encoded()).toBe(30)
    })

    it('encodes what the folder lacks once, for requests at the same time, too', async () => {
      const folder = createFolder(() => new Promise(resolve => setTimeout(resolve, 5)))
      const known = passagesOf(10, 'known')
      await open(PLENTY, folder).score('first', known)
      const { score } = open(PLENTY, folder)
      const passages = [...known, ...passagesOf(10, 'new'), ...known]
      const queries = ['a', 'bb', 'ccc', 'dddd']
      const all = await Promise.all(queries.map(query => score(query, passages)))
      expect(all).toEqual(queries.map(query => scoresOf(query, passages)))
      expect(encoded()).toBe(20)
    })

    it('says where it found passages', async () => {
      const folder = createFolder()
      await open(PLENTY, folder).score('first', passagesOf(5))
      const events: unknown[] = []
      const observer = { passagesFound: (event: unknown) => events.push(event), passageFolderFailed: () => {} }
      const { score } = open(PLENTY, folder, observer)
      await score('second', passagesOf(7))
      await score('third', passagesOf(8))
      expect(events).toEqual([
        { memory: 0, disk: 5, unread: 2 },
        { memory: 7, disk: 0, unread: 1 },
      ])
    })

    it('gives up when the time is up while the folder is slow', async () => {
      const slow = {
        readAll: async (_: readonly string[], signal: AbortSignal) => once(signal, 'abort').then(() => new Map()),
        write: () => {},
      }
      const { scorer, score } = open(PLENTY, slow)
      expect(await score('late', passagesOf(5), AbortSignal.timeout(20))).toEqual([null, null, null, null, null])
      expect(scorer.waiting?.()).toBe(0)
    })
  })

  it('gives what is scored when the time is up, and no longer counts the rest as waiting', async () => {
    const { scorer, score } = open()
    await score('warm', passagesOf(20))
    const controller = new AbortController()
    const pending = score('late', [...passagesOf(20), ...passagesOf(200, 'new')], controller.signal)
    expect(scorer.waiting?.()).toBeGreaterThan(150)
    await score('other', ['new 0', 'other'], noSignal(), 'other tenant')
    controller.abort()
    const logits = await pending
    expect(logits).toHaveLength(220)
    expect(logits.at(-1)).toBeNull()
    expect(logits[0]).toBe(scoresOf('late', passagesOf(1))[0])
    expect(scorer.waiting?.()).toBe(0)
  })
})
