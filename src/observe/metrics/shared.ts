import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** What processes share. */
export const SHARED_KINDS = ['answers', 'epochs', 'sessions', 'limits', 'pairs', 'questions'] as const
export type SharedKind = (typeof SHARED_KINDS)[number]

/** The two sorts of calls of the shared store. They fail apart. */
export const SHARED_OPERATIONS = ['read', 'write'] as const
export type SharedOperation = (typeof SHARED_OPERATIONS)[number]

/** `failed`: with an error or too late. `skipped`: not asked, because the call before had failed. */
export const SHARED_RESULTS = {
  read: ['hit', 'miss', 'unreadable', 'failed', 'skipped'],
  write: ['done', 'too_large', 'failed', 'skipped'],
} as const
export type SharedResult = (typeof SHARED_RESULTS)[SharedOperation][number]

/** From a store on loopback to the longest time that is waited. */
const SHARED_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1]

/** Metrics of the shared store. @param isUsed whether there is one; without it the series stay away */
export function createSharedMetrics(registry: Registry, isUsed: boolean) {
  const registers = [registry]
  const metrics = {
    sharedReads: new Counter({
      name: 'stowage_shared_reads_total',
      help: 'Values that were looked for in the shared store: found, not there, not readable, or not asked for because the store failed',
      labelNames: ['kind', 'result'],
      registers,
    }),
    sharedWrites: new Counter({
      name: 'stowage_shared_writes_total',
      help: 'Values that were written to the shared store, invalidations, and tokens that were taken: done, too large, or not done because the store failed',
      labelNames: ['kind', 'result'],
      registers,
    }),
    sharedSeconds: new Histogram({
      name: 'stowage_shared_seconds',
      help: 'Time of one call of the shared store that was answered, in seconds',
      labelNames: ['operation'],
      buckets: SHARED_SECONDS,
      registers,
    }),
    sharedAvailable: new Gauge({
      name: 'stowage_shared_store_available',
      help: 'Whether the shared store can be read and written (1), or this process goes on alone (0); absent without REDIS_URL',
      labelNames: ['operation'],
      registers,
    }),
  }
  if (!isUsed) return metrics
  for (const operation of SHARED_OPERATIONS) {
    metrics.sharedSeconds.zero({ operation })
    metrics.sharedAvailable.set({ operation }, 1)
  }
  for (const kind of SHARED_KINDS) {
    for (const result of SHARED_RESULTS.read) metrics.sharedReads.inc({ kind, result }, 0)
    for (const result of SHARED_RESULTS.write) metrics.sharedWrites.inc({ kind, result }, 0)
  }
  return metrics
}
