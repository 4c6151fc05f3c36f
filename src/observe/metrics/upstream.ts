import type { Registry } from 'prom-client'
import { REQUEST_SECONDS } from './buckets.ts'
import { declareIn } from './declare.ts'

/** Whether stowage itself asked Qdrant, or forwarded the request of a client. */
const UPSTREAM_KINDS = ['read', 'forwarded'] as const
export type UpstreamKind = (typeof UPSTREAM_KINDS)[number]

const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const

/** The label of a status: its hundreds, or `none` without an answer. */
export function statusClass(status: number | null): (typeof STATUS_CLASSES)[number] {
  return STATUS_CLASSES[Math.floor((status ?? 0) / 100) - 2] ?? 'none'
}

/** Metrics of the requests that go to Qdrant. */
export function createUpstreamMetrics(registry: Registry) {
  const { counter, gauge, histogram } = declareIn(registry)
  const metrics = {
    upstreamSeconds: histogram({
      name: 'stowage_upstream_seconds',
      help: 'Time of one read that stowage itself sends to Qdrant, in seconds; forwarded requests are not among them',
      labels: { outcome: ['answered', 'failed'] },
      buckets: REQUEST_SECONDS,
    }),
    upstreamResponses: counter({
      name: 'stowage_upstream_responses_total',
      help: 'Answers of Qdrant by status class, or none without an answer, to own reads of stowage and to forwarded requests',
      labels: { status: [], kind: [] },
    }),
    searchRetries: counter({
      name: 'stowage_search_retries_total',
      help: 'Searches of /v1/context that were sent to Qdrant a second time',
    }),
    hedges: counter({
      name: 'stowage_hedges_total',
      help: "Searches of which the client's own request was sent beside the improved search, by the one that was answered first",
      labels: { winner: ['improved', 'original'] },
    }),
    pausedCollections: gauge({
      name: 'stowage_paused_collections',
      help: 'Collections of which searches are not improved for now, because Qdrant was slow or refused the improved search; with tenants, a collection counts once for each',
    }),
  }
  for (const kind of UPSTREAM_KINDS) {
    for (const status of STATUS_CLASSES) metrics.upstreamResponses.inc({ status, kind }, 0)
  }
  return metrics
}
