import type { Registry } from 'prom-client'
import { declareIn } from './declare.ts'

/** What processes share. */
const SHARED_KINDS = ['answers', 'epochs', 'sessions', 'limits', 'pairs', 'questions'] as const
export type SharedKind = (typeof SHARED_KINDS)[number]

/** The two sorts of calls of the shared store. They fail apart. */
const SHARED_OPERATIONS = ['read', 'write'] as const
export type SharedOperation = (typeof SHARED_OPERATIONS)[number]

/** `failed`: with an error or too late. `skipped`: not asked, because the call before had failed. */
const SHARED_RESULTS = {
  read: ['hit', 'miss', 'unreadable', 'failed', 'skipped'],
  write: ['done', 'too_large', 'failed', 'skipped'],
} as const
export type SharedResult = (typeof SHARED_RESULTS)[SharedOperation][number]

/** From a store on loopback to the longest time that is waited. */
const SHARED_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1]

/** Metrics of the shared store. @param isUsed whether there is one; without it the series stay away */
export function createSharedMetrics(registry: Registry, isUsed: boolean) {
  const { counter, gauge, histogram } = declareIn(registry)
  const [kinds, operations] = isUsed ? [SHARED_KINDS, SHARED_OPERATIONS] : [[], []]
  const metrics = {
    sharedReads: counter({
      name: 'stowage_shared_reads_total',
      help: 'Values that were looked for in the shared store: found, not there, not readable, or not asked for because the store failed',
      labels: { kind: kinds, result: SHARED_RESULTS.read },
    }),
    sharedWrites: counter({
      name: 'stowage_shared_writes_total',
      help: 'Values that were written to the shared store, invalidations, and tokens that were taken: done, too large, or not done because the store failed',
      labels: { kind: kinds, result: SHARED_RESULTS.write },
    }),
    sharedSeconds: histogram({
      name: 'stowage_shared_seconds',
      help: 'Time of one call of the shared store that was answered, in seconds',
      labels: { operation: operations },
      buckets: SHARED_SECONDS,
    }),
    sharedAvailable: gauge({
      name: 'stowage_shared_store_available',
      help: 'Whether the shared store can be read and written (1), or this process goes on alone (0); absent without REDIS_URL',
      labels: { operation: operations },
    }),
  }
  for (const operation of operations) metrics.sharedAvailable.set({ operation }, 1)
  return metrics
}
