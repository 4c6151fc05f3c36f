import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { codesOf, DEGRADATIONS, DROP_REASONS, PASSTHROUGH_REASONS, STAGES, UPSERT_FAULTS } from '../core/vocabulary.ts'
import { createRolloutMetrics } from './rollout-metrics.ts'

/** Seconds: from a cached answer to a slow rerank. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STAGE_BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const TOKEN_BUCKETS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000]

/** The groups of routes under which requests are counted. */
export const ENDPOINTS = ['context', 'points', 'passthrough', 'operations'] as const
export const OUTCOMES = ['ok', 'client_error', 'upstream_error', 'internal_error', 'aborted'] as const

/** The limits of a tenant that can refuse a request. */
export const TENANT_LIMITS = ['rate', 'concurrency'] as const
export type TenantLimit = (typeof TENANT_LIMITS)[number]

export type Metrics = ReturnType<typeof createMetrics>

/**
 * Creates the metrics in a new registry. Labels have few fixed values, or are names of declared tenants; ids are in the log. Every series exists from the
 * start with 0: a rate over a series that appears with its first event misses that event.
 */
export function createMetrics({ processMetrics = true, version = '' } = {}) {
  const registry = new Registry()
  const registers = [registry]
  if (processMetrics) collectDefaultMetrics({ register: registry })
  const metrics = {
    registry,
    ...createRolloutMetrics(registry),
    requests: new Counter({
      name: 'stowage_requests_total',
      help: 'Requests by endpoint and outcome',
      labelNames: ['endpoint', 'outcome'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'stowage_request_seconds',
      help: 'Time from request head to the end of the answer, in seconds',
      labelNames: ['endpoint'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    stageSeconds: new Histogram({
      name: 'stowage_stage_seconds',
      help: 'Time of one pipeline stage, in seconds',
      labelNames: ['stage'],
      buckets: STAGE_BUCKETS,
      registers,
    }),
    degraded: new Counter({
      name: 'stowage_degraded_total',
      help: 'Steps that could not do their work, by code',
      labelNames: ['code'],
      registers,
    }),
    modelUnavailable: new Gauge({
      name: 'stowage_model_unavailable',
      help: '1 while a configured model is missing, else 0',
      labelNames: ['model'],
      registers,
    }),
    searchRetries: new Counter({
      name: 'stowage_search_retries_total',
      help: 'Searches of /v1/context that were sent to Qdrant a second time',
      registers,
    }),
    contextTokens: new Histogram({
      name: 'stowage_context_tokens',
      help: 'Tokens of packed contexts',
      buckets: TOKEN_BUCKETS,
      registers,
    }),
    passthrough: new Counter({
      name: 'stowage_passthrough_total',
      help: 'Requests forwarded to Qdrant unchanged, by reason',
      labelNames: ['reason'],
      registers,
    }),
    guardedUpserts: new Counter({
      name: 'stowage_guarded_upserts_total',
      help: 'Upserts to managed collections that the ingestion guard refused, warned of, or let pass unchecked, by reason',
      labelNames: ['action', 'reason'],
      registers,
    }),
    dropped: new Counter({
      name: 'stowage_dropped_candidates_total',
      help: 'Candidates that are not in an answer, by the reason in the trace',
      labelNames: ['reason'],
      registers,
    }),
    upstreamSeconds: new Histogram({
      name: 'stowage_upstream_seconds',
      help: 'Time of one read that stowage itself sends to Qdrant, in seconds; forwarded requests are not among them',
      labelNames: ['outcome'],
      buckets: REQUEST_BUCKETS,
      registers,
    }),
    buildInfo: new Gauge({
      name: 'stowage_build_info',
      help: '1, with the version of stowage and of Node as labels',
      labelNames: ['version', 'node'],
      registers,
    }),
    hedges: new Counter({
      name: 'stowage_hedges_total',
      help: "Searches of which the client's own request was sent beside the improved search, by the one that was answered first",
      labelNames: ['winner'],
      registers,
    }),
    tenantLimited: new Counter({
      name: 'stowage_tenant_limited_total',
      help: 'Requests that a limit of their tenant refused with 429',
      labelNames: ['tenant', 'limit'],
      registers,
    }),
    pausedCollections: new Gauge({
      name: 'stowage_paused_collections',
      help: 'Collections of which searches are not improved for now, because Qdrant was slow or refused the improved search',
      registers,
    }),
    tenantRequests: new Counter({
      name: 'stowage_tenant_requests_total',
      help: 'Requests by tenant and outcome',
      labelNames: ['tenant', 'outcome'],
      registers,
    }),
    tenantsReloads: new Counter({
      name: 'stowage_tenants_reloads_total',
      help: 'Changes of the file of tenants, by whether they replaced the tenants or were refused',
      labelNames: ['outcome'],
      registers,
    }),
    tenantsFileRefused: new Gauge({
      name: 'stowage_tenants_file_refused',
      help: '1 while the file of tenants has faults, so that the tenants of before are used, else 0',
      registers,
    }),
  }
  presetToZero(metrics)
  metrics.buildInfo.set({ version, node: process.version }, 1)
  return metrics
}

function presetToZero(metrics: Omit<Metrics, 'registry'>): void {
  for (const endpoint of ENDPOINTS) {
    metrics.requestSeconds.zero({ endpoint })
    for (const outcome of OUTCOMES) metrics.requests.inc({ endpoint, outcome }, 0)
  }
  for (const stage of codesOf(STAGES)) metrics.stageSeconds.zero({ stage })
  for (const code of codesOf(DEGRADATIONS)) metrics.degraded.inc({ code }, 0)
  for (const reason of codesOf(PASSTHROUGH_REASONS)) metrics.passthrough.inc({ reason }, 0)
  for (const reason of codesOf(DROP_REASONS)) metrics.dropped.inc({ reason }, 0)
  for (const reason of codesOf(UPSERT_FAULTS)) {
    for (const action of reason === 'unchecked' ? ['passed'] : ['refused', 'warned']) {
      metrics.guardedUpserts.inc({ action, reason }, 0)
    }
  }
  for (const outcome of ['answered', 'failed']) metrics.upstreamSeconds.zero({ outcome })
  for (const outcome of ['replaced', 'refused']) metrics.tenantsReloads.inc({ outcome }, 0)
  for (const winner of ['improved', 'original']) metrics.hedges.inc({ winner }, 0)
}
