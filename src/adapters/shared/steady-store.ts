import type { SharedEntry, SharedStore, TokenRate } from '../../core/shared-store.ts'
import type { SharedOperation } from '../../observe/metrics/shared.ts'
import { createLane, type Lane, type LaneResult } from './lane.ts'

interface SteadyStoreOptions {
  store: SharedStore
  /** Longest time that one call takes, in milliseconds. */
  timeoutMs: number
  /** The operation fails from now on, with the reason; null: it works again. */
  onChange(change: { operation: SharedOperation; error: Error | null }): void
  /** A call that was answered took so many seconds. */
  onAnswered(call: { operation: SharedOperation; seconds: number }): void
}

/**
 * A shared store whose calls never reject and never take longer than the time. Reading and writing fail apart: a store that is full
 * can still be read.
 */
export interface SteadyStore {
  getMany(keys: readonly string[]): Promise<LaneResult<(Uint8Array | null)[]>>
  setMany(entries: readonly SharedEntry[]): Promise<LaneResult<void>>
  deleteMany(keys: readonly string[]): Promise<LaneResult<void>>
  takeToken(key: string, rate: TokenRate): Promise<LaneResult<number>>
  /** Why reading and writing fail; null when they do not. */
  readonly faults: Readonly<Record<SharedOperation, Error | null>>
  /** Asks whether the store can be read and written. */
  check(): Promise<void>
  close(): Promise<void>
}

/** Written and forgotten by probes. */
const PROBE_KEY = 'probe'
const PROBE_MS = 1_000
/** Enough that a store which takes it takes most other values, too. */
const PROBE_VALUE = Buffer.alloc(16 * 1024)
/** A process without requests asks so often whether the store is there, in milliseconds. */
const WATCH_MS = 5_000

export function createSteadyStore({ store, timeoutMs, onChange, onAnswered }: SteadyStoreOptions): SteadyStore {
  const lane = (operation: SharedOperation, probe: () => Promise<unknown>): Lane =>
    createLane({ timeoutMs, probe, onChange: error => onChange({ operation, error }) })
  const read = () => store.getMany([PROBE_KEY])
  const write = () => store.setMany([{ key: PROBE_KEY, value: PROBE_VALUE, ttlMs: PROBE_MS }])
  const [reads, writes] = [lane('read', read), lane('write', write)]
  const look = () => Promise.all([reads.run(read), writes.run(write)])
  const watch = setInterval(look, WATCH_MS)
  watch.unref()
  async function timed<Value>(operation: SharedOperation, work: () => Promise<Value>): Promise<LaneResult<Value>> {
    const startedAt = performance.now()
    const result = await (operation === 'read' ? reads : writes).run(work)
    if (result.outcome === 'done') onAnswered({ operation, seconds: (performance.now() - startedAt) / 1_000 })
    return result
  }
  return {
    getMany: keys => timed('read', () => store.getMany(keys)),
    setMany: entries => timed('write', () => store.setMany(entries)),
    // A store that is full still forgets.
    deleteMany: keys => timed('read', () => store.deleteMany(keys)),
    takeToken: (key, rate) => timed('write', () => store.takeToken(key, rate)),
    get faults() {
      return { read: reads.fault, write: writes.fault }
    },
    async check() {
      await look()
    },
    async close() {
      clearInterval(watch)
      reads.end()
      writes.end()
      await store.close()
    },
  }
}
