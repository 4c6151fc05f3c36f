import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { FAILURE_STATUS, type FailureKind } from './failure.ts'

/** Seconds: from a few kept passages to a long queue. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Metrics under the names that text-embeddings-inference gives them. Every series exists from the start with 0.
 * @param waiting asked at each scrape: the number of texts that wait for a worker
 */
export function createRerankMetrics(waiting: () => number) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const metrics = {
    requests: new Counter({ name: 'te_request_count', help: 'Requests to rerank', registers }),
    successes: new Counter({ name: 'te_request_success', help: 'Requests that were answered with scores', registers }),
    failures: new Counter({
      name: 'te_request_failure',
      help: 'Requests that were answered with an error, by its kind',
      labelNames: ['err'],
      registers,
    }),
    seconds: new Histogram({
      name: 'te_request_duration',
      help: 'Time of a request that was answered with scores, in seconds',
      buckets: SECONDS,
      registers,
    }),
    texts: new Counter({ name: 'stowage_rerank_server_texts_total', help: 'Texts that were scored', registers }),
    queue: new Gauge({
      name: 'te_queue_size',
      help: 'Texts that wait for a worker',
      collect() {
        this.set(waiting())
      },
      registers,
    }),
  }
  for (const err of Object.keys(FAILURE_STATUS) as FailureKind[]) metrics.failures.inc({ err }, 0)
  return { ...metrics, registry }
}
