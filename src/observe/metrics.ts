import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Seconds: from a cached answer to a slow rerank. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const STAGE_BUCKETS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const TOKEN_BUCKETS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000]

export type Metrics = ReturnType<typeof createMetrics>

/** Creates the metrics in a new registry. Labels have few fixed values; ids are in the log. */
export function createMetrics({ processMetrics = true }: { processMetrics?: boolean } = {}) {
  const registry = new Registry()
  const registers = [registry]
  if (processMetrics) collectDefaultMetrics({ register: registry })
  return {
    registry,
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
  }
}
