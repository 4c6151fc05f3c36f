import type { Registry } from 'prom-client'
import { codesOf, PASSTHROUGH_REASONS, UPSERT_FAULTS } from '../../core/vocabulary.ts'
import { droppedLogLines } from '../log-lines.ts'
import { REQUEST_SECONDS } from './buckets.ts'
import { declareIn } from './declare.ts'

/** The groups of routes under which requests are counted. */
const ENDPOINTS = ['context', 'points', 'passthrough', 'operations', 'mcp', 'relay'] as const
export type Endpoint = (typeof ENDPOINTS)[number]

export const OUTCOMES = ['ok', 'client_error', 'upstream_error', 'internal_error', 'aborted'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Metrics of requests as the client sees them. */
export function createRequestMetrics(registry: Registry, version: string) {
  const { counter, gauge, histogramWithExemplars } = declareIn(registry)
  const metrics = {
    requests: counter({
      name: 'stowage_requests_total',
      help: 'Requests by endpoint and outcome',
      labels: { endpoint: ENDPOINTS, outcome: OUTCOMES },
    }),
    requestSeconds: histogramWithExemplars({
      name: 'stowage_request_seconds',
      help: 'Time from request head to the end of the answer, in seconds',
      labels: { endpoint: ENDPOINTS },
      buckets: REQUEST_SECONDS,
    }),
    slowRequests: counter({
      name: 'stowage_slow_requests_total',
      help: 'Requests that took longer than SLOW_REQUEST_MS, by endpoint',
      labels: { endpoint: ENDPOINTS },
    }),
    waitingRequests: gauge({
      name: 'stowage_waiting_requests',
      help: 'Requests of /v1/context that wait for a place',
    }),
    passthrough: counter({
      name: 'stowage_passthrough_total',
      help: 'Requests forwarded to Qdrant unchanged, by reason',
      labels: { reason: codesOf(PASSTHROUGH_REASONS) },
    }),
    guardedUpserts: counter({
      name: 'stowage_guarded_upserts_total',
      help: 'Upserts to managed collections that the ingestion guard refused, warned of, or let pass unchecked, by reason',
      labels: { action: [], reason: [] },
    }),
    droppedLogLines: counter({
      name: 'stowage_log_lines_dropped_total',
      help: 'Lines of the log that were dropped, because nobody reads the log or its disk is full',
      collect() {
        this.reset()
        this.inc(droppedLogLines())
      },
    }),
    buildInfo: gauge({
      name: 'stowage_build_info',
      help: '1, with the version of stowage and of Node as labels',
      labels: { version: [], node: [] },
    }),
  }
  for (const reason of codesOf(UPSERT_FAULTS)) {
    for (const action of reason === 'unchecked' ? ['passed'] : ['refused', 'warned']) {
      metrics.guardedUpserts.inc({ action, reason }, 0)
    }
  }
  metrics.buildInfo.set({ version, node: process.version }, 1)
  return metrics
}
