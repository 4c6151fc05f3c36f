import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createJsonlSink, createLineFile } from '../../src/adapters/traces/jsonl-file.ts'
import { createTraceRing } from '../../src/adapters/traces/memory.ts'
import { combineTraceStores, createTraceObserver, withHashedQueries } from '../../src/adapters/traces/trace-stores.ts'
import { createReporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import type { TraceOwner, TraceStore } from '../../src/pipeline/services.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const trace = (id: string | number, overrides: Partial<Trace> = {}) =>
  sampleTrace({ trace_id: String(id), ...overrides })

const ACME: TraceOwner = { tenant: null, apiKey: 'acme' }

describe('the ring', () => {
  test('holds the last traces, like a list that is cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.integer({ min: 0, max: 8 })), (capacity, ids) => {
        const ring = createTraceRing({ entries: capacity, maxBytes: 1e9 })
        let list: number[] = []
        for (const id of ids) {
          ring.record(trace(id), ACME)
          list = [...list.filter(other => other !== id), id]
          while (list.length > capacity) list.shift()
        }
        for (let id = 0; id <= 8; id++) {
          expect(ring.find(String(id), ACME) !== null).toBe(list.includes(id))
        }
      }),
    )
  })

  test('holds no more bytes than it may, and no trace that is larger', () => {
    const random = seededRandom(7)
    /** A trace that takes at least these bytes, however it is compressed. */
    const noisy = (id: string, bytes: number) =>
      trace(id, { query: Buffer.from(Array.from({ length: bytes }, () => 256 * random())).toString('hex') })
    const ring = createTraceRing({ entries: 10, maxBytes: 50_000 })
    for (const id of ['a', 'b', 'c']) ring.record(noisy(id, 18_000), ACME)
    expect(['a', 'b', 'c'].map(id => ring.find(id, ACME) !== null)).toEqual([false, true, true])
    ring.record(noisy('large', 50_000), ACME)
    expect(['large', 'c'].map(id => ring.find(id, ACME) !== null)).toEqual([false, true])
  })

  test('shows a trace to the tenant that made it, else to the key, and to no other', () => {
    const owner = fc.record({
      tenant: fc.constantFrom<TraceOwner['tenant']>(
        null,
        { name: 'a', condition: null },
        { name: 'b', condition: null },
        { name: 'a', condition: { must: [{ key: 'size', range: { gt: 2n ** 60n } }] } },
        { name: 'a', condition: { must: [{ key: 'size', range: { gt: 2n ** 60n + 1n } }] } },
      ),
      apiKey: fc.constantFrom(null, 'a', 'b', ''),
    })
    fc.assert(
      fc.property(owner, owner, (maker, reader) => {
        const ring = createTraceRing({ entries: 3, maxBytes: 1e9 })
        ring.record(trace('t'), maker)
        // A tenant may have several keys, and its key for Qdrant may change.
        const isSame = maker.tenant === reader.tenant && (maker.tenant !== null || maker.apiKey === reader.apiKey)
        expect(ring.find('t', reader) !== null).toBe(isSame)
      }),
    )
  })

  test('lists the traces of one owner only, the newest first, and finding one changes nothing', () => {
    const owners: TraceOwner[] = [
      { tenant: { name: 'a', condition: null }, apiKey: 'k' },
      { tenant: { name: 'b', condition: null }, apiKey: 'k' },
      { tenant: null, apiKey: 'k' },
      { tenant: null, apiKey: null },
    ]
    const step = fc.record({
      id: fc.integer({ min: 0, max: 6 }),
      owner: fc.integer({ min: 0, max: 3 }),
      finds: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 40 }), (capacity, steps) => {
        const ring = createTraceRing({ entries: capacity, maxBytes: 1e9 })
        const recorded = owners.map((): number[] => [])
        for (const { id, owner, finds } of steps) {
          const who = owners[owner] as TraceOwner
          if (finds) {
            ring.find(String(id), who)
            continue
          }
          ring.record(trace(id), who)
          recorded[owner] = [id, ...(recorded[owner] ?? []).filter(one => one !== id)]
        }
        const listed = owners.map(owner => ring.list(owner).map(({ trace_id }) => Number(trace_id)))
        const total = recorded.flat().length
        expect(listed.flat().length).toBeLessThanOrEqual(Math.min(capacity, total))
        for (const [place, own] of listed.entries()) {
          const all = recorded[place] ?? []
          expect(own).toEqual(all.slice(0, own.length))
          // Whoever has less than an equal share keeps it, however many the others record.
          if (all.length <= capacity / owners.length) expect(own).toEqual(all)
        }
      }),
    )
  })

  test('knows no trace by a name that objects have', () => {
    expect(createTraceRing({ entries: 3, maxBytes: 1e9 }).find('constructor', ACME)).toBeNull()
  })
})

describe('the JSONL file', () => {
  let folder: string
  beforeAll(() => {
    folder = temporaryFolder('stowage-sink')
  })

  const lines = async (path: string): Promise<string[]> =>
    (await readFile(path, 'utf8')).split('\n').map(line => (line === '' ? '' : JSON.parse(line).trace_id))

  const lost = async (path: string) =>
    (await readFile(path, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .flatMap(line => JSON.parse(line).lost_traces ?? [])

  test('takes traces in order, bigint ids in plain digits, into a folder that it makes', async () => {
    const path = join(folder, 'deep', 'er', 'traces.jsonl')
    const sink = createJsonlSink({
      file: createLineFile({ path, maxBytes: 1e9, files: 3, onError: fail }),
      onDropping: fail,
    })
    const ids = Array.from({ length: 200 }, (_, i) => String(i))
    for (const id of ids) sink.record(trace(id), ACME)
    await sink.close()
    expect(await lines(path)).toEqual([...ids, ''])
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    const [candidate] = trace('u64').candidates
    if (candidate === undefined) throw new Error('the sample has a candidate')
    sink.record(trace('u64', { candidates: [{ ...candidate, id: 18446744073709551615n }] }), ACME)
    await sink.close()
    expect(await readFile(path, 'utf8')).toContain('"id":18446744073709551615,')
  })

  test('begins a new line behind half a line that a full disk or a killed process left', async () => {
    const path = join(folder, 'half.jsonl')
    await writeFile(path, '{"trace_id":"ha')
    const file = createLineFile({ path, onError: fail })
    await file.append('{"trace_id":"a"}\n')
    await file.append('{"trace_id":"b"}\n')
    expect(await readFile(path, 'utf8')).toBe('{"trace_id":"ha\n{"trace_id":"a"}\n{"trace_id":"b"}\n')
  })

  test('rotates by size and keeps so many files', async () => {
    const path = join(folder, 'rotating.jsonl')
    const lineBytes = Buffer.byteLength(JSON.stringify(trace('00'))) + 1
    const sink = createJsonlSink({
      file: createLineFile({ path, maxBytes: 2 * lineBytes + 1, files: 3, onError: fail }),
      onDropping: fail,
    })
    for (let i = 10; i < 19; i++) {
      sink.record(trace(i), ACME)
      await sink.close()
    }
    expect((await readdir(folder)).filter(name => name.startsWith('rotating')).sort()).toEqual([
      'rotating.jsonl',
      'rotating.jsonl.1',
      'rotating.jsonl.2',
    ])
    expect(await lines(path)).toEqual(['18', ''])
    expect(await lines(`${path}.1`)).toEqual(['16', '17', ''])
    expect(await lines(`${path}.2`)).toEqual(['14', '15', ''])
  })

  test('with a single file starts it anew, and a line over the limit stands alone', async () => {
    const path = join(folder, 'single.jsonl')
    const sink = createJsonlSink({
      file: createLineFile({ path, maxBytes: 10, files: 1, onError: fail }),
      onDropping: fail,
    })
    for (const id of ['a', 'b', 'c']) {
      sink.record(trace(id), ACME)
      await sink.close()
    }
    expect(await lines(path)).toEqual(['c', ''])
  })

  test('that cannot be written is reported once for all who write, breaks nothing, and is used again when it can', async () => {
    const errors: unknown[] = []
    const blocker = join(folder, 'blocked')
    await writeFile(blocker, '')
    const path = join(blocker, 'traces.jsonl')
    const file = createLineFile({ path, maxBytes: 1e9, files: 2, onError: error => errors.push(error) })
    const sink = createJsonlSink({ file, onDropping: fail })
    const ofOtherWorker = createJsonlSink({ file, onDropping: fail })
    for (const id of ['a', 'b', 'c']) {
      sink.record(trace(id), ACME)
      await sink.close()
      ofOtherWorker.record(trace(id), ACME)
      await ofOtherWorker.close()
    }
    expect(errors).toHaveLength(1)
    await rm(blocker)
    sink.record(trace('d'), ACME)
    await sink.close()
    expect(await lines(path)).toEqual(['d', undefined, ''])
    expect(await lost(path)).toEqual([{ experiment: null, variant: null, traces: 3 }])
    await rm(path)
    await mkdir(path)
    sink.record(trace('e'), ACME)
    await sink.close()
    expect(errors).toHaveLength(2)
  })

  test('writes what waits together, and counts by variant what it had to drop', async () => {
    const path = join(folder, 'burst.jsonl')
    const file = createLineFile({ path, onError: fail })
    let writes = 0
    const sink = createJsonlSink({
      file: {
        append(text) {
          writes += 1
          return file.append(text)
        },
      },
      onDropping: () => {},
    })
    const ofVariant = (variant: string, share: number) => ({
      experiment: 'e',
      variant,
      unit: 'request' as const,
      share,
    })
    const burst = Array.from({ length: 1_500 }, (_, i) =>
      trace(i, { assignment: i % 3 === 0 ? ofVariant('control', 0.5) : ofVariant('treatment', 0.5) }),
    )
    for (const one of burst) sink.record(one, ACME)
    sink.record(trace('shadow', { assignment: ofVariant('treatment', 0.5), shadow_of: '1' }), ACME)
    await sink.close()
    const written = (await lines(path)).filter(Boolean)
    const missing = burst.filter(({ trace_id: id }) => !written.includes(id))
    const count = (variant: string) => missing.filter(({ assignment }) => assignment?.variant === variant).length
    expect(missing.length).toBeGreaterThan(0)
    expect(await lost(path)).toEqual([
      { experiment: 'e', variant: 'treatment', traces: count('treatment') },
      { experiment: 'e', variant: 'control', traces: count('control') },
      { experiment: null, variant: null, traces: 1 },
    ])
    expect(writes).toBeLessThan(20)
  })
})

describe('stores together', () => {
  const broken: TraceStore = {
    record: fail,
    find: () => null,
    list: () => [],
    close: () => Promise.reject(new Error('cannot close')),
  }

  test('each gets the trace, whatever another does', async () => {
    const [first, second] = [1, 2].map(entries => createTraceRing({ entries, maxBytes: 1e9 })) as [
      TraceStore,
      TraceStore,
    ]
    const all = combineTraceStores(broken, first, second)
    all.record(trace('a'), ACME)
    all.record(trace('b'), ACME)
    expect(first.find('a', ACME)).toBeNull()
    expect(all.find('a', ACME)?.trace_id).toBe('a')
    expect(all.find('c', ACME)).toBeNull()
    expect(all.list(ACME).map(({ trace_id }) => trace_id)).toEqual(['b', 'b', 'a'])
    await all.close()
  })

  test('an observer turns traces into metrics', async () => {
    const metrics = createMetrics({ processMetrics: false })
    const observer = createTraceObserver(createReporter({ metrics, logger: createLogger({ level: 'silent' }) }))
    observer.record(trace('a'), ACME)
    observer.record(trace('b', { endpoint: 'points' }), ACME)
    const text = await metrics.registry.metrics()
    expect(text).toContain('stowage_stage_seconds_count{stage="retrieve"} 2')
    expect(text).toContain('stowage_stage_seconds_sum{stage="retrieve"} 0.024')
    expect(text).toContain('stowage_degraded_total{code="reranker_unavailable"} 2')
    expect(text).toContain('stowage_context_tokens_sum 1500')
  })
})

function fail(error?: unknown): never {
  throw error instanceof Error ? error : new Error('not expected')
}

test('a store for digests gets no word of a question', () => {
  const ring = createTraceRing({ entries: 2, maxBytes: 1e9 })
  const corrections = [{ word: 'kowalksi', correction: 'kowalski' }]
  const named_documents = [{ collection: 'people', doc_id: 'kowalski.md' }]
  withHashedQueries(ring).record(trace(1, { query: 'Who is Kowalksi?', corrections, named_documents }), ACME)
  const stored = ring.find('1', ACME)
  expect(stored?.query).toMatch(/^sha256:/u)
  expect(JSON.stringify(stored)).not.toMatch(/kowal/iu)
})
