import { totalmem } from 'node:os'
import type { Registry } from 'prom-client'
import { declareIn } from './declare.ts'

/** How a gauge of several workers becomes one; without an entry, it is their sum. */
const TOGETHER: Readonly<Record<string, 'min' | 'max' | 'first'>> = {
  stowage_build_info: 'first',
  stowage_model_unavailable: 'max',
  stowage_paused_collections: 'max',
  stowage_tenants_file_refused: 'max',
  stowage_flags_source_up: 'min',
  stowage_flags_refresh_timestamp_seconds: 'min',
  stowage_flags_file_refused: 'max',
  stowage_flags_unknown: 'max',
  stowage_shared_store_available: 'min',
  stowage_rerank_node_left_out: 'max',
  stowage_experiment_rolled_back: 'max',
  // All workers are below the same one.
  stowage_memory_limit_bytes: 'max',
  // The age of the whole: workers that are started again have a counter of their own.
  process_start_time_seconds: 'min',
  // Of delays, those of the worker that is the slowest: an average would hide it.
  nodejs_eventloop_lag_seconds: 'max',
  nodejs_eventloop_lag_mean_seconds: 'max',
  nodejs_eventloop_lag_stddev_seconds: 'max',
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p90_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
}

/** Metrics of the processes of a stowage. @param workers asked at each scrape: the workers that this process counts for */
export function createWorkerMetrics(registry: Registry, workers: () => number) {
  const { counter, gauge } = declareIn(registry)
  return {
    workers: gauge({
      name: 'stowage_workers',
      help: 'Processes that answer requests (WORKERS)',
      collect() {
        this.set(workers())
      },
    }),
    memoryLimit: gauge({
      name: 'stowage_memory_limit_bytes',
      help: 'Memory that all processes of this stowage may have together: the limit of the container, else the memory of the machine',
      collect() {
        this.set(memoryLimit())
      },
    }),
    workerRestarts: counter({
      name: 'stowage_worker_restarts_total',
      help: 'Workers that ended by themselves and were started again; 0 without WORKERS',
    }),
    workerHangs: counter({
      name: 'stowage_worker_hangs_total',
      help: 'Workers that were killed because their event loop did not turn (WORKER_HANG_MS); they count as restarts, too',
    }),
  }
}

/** In bytes. Without a limit, Node answers 0, or a number beyond every machine. */
function memoryLimit(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** Sets how the metrics of several workers are brought together. Call it when all of them are registered. */
export function declareTogether(registry: Registry): void {
  for (const [name, aggregator] of Object.entries(TOGETHER)) {
    const metric = registry.getSingleMetric(name)
    if (metric !== undefined) Object.assign(metric, { aggregator })
  }
}
