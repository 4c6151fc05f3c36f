import { Counter, Gauge, type Registry } from 'prom-client'

/** What became of the inputs of a request to embed. */
export const NOTICE_OUTCOMES = ['remembered', 'skipped', 'failed'] as const
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number]

/** How the question of a vector was looked for. */
export const LOOKUP_RESULTS = ['exact', 'direction', 'ambiguous', 'unknown'] as const
export type LookupResult = (typeof LOOKUP_RESULTS)[number]

/** Metrics of the embedding relay. @param vectors asked at each scrape */
export function createRelayMetrics(registry: Registry, vectors: () => number) {
  const registers = [registry]
  const metrics = {
    relayQuestions: new Counter({
      name: 'stowage_relay_questions_total',
      help: 'Questions whose vectors were remembered by the embedding relay, and requests that were skipped because they ask none or are too large, or failed because they could not be read',
      labelNames: ['outcome'],
      registers,
    }),
    relayLookups: new Counter({
      name: 'stowage_relay_lookups_total',
      help: 'Vectors of searches whose question was looked for: found by the same vector or by its direction, known for different questions, or unknown',
      labelNames: ['result'],
      registers,
    }),
    relayVectors: new Gauge({
      name: 'stowage_relay_vectors',
      help: 'Vectors whose question the embedding relay remembers',
      collect() {
        this.set(vectors())
      },
      registers,
    }),
  }
  for (const outcome of NOTICE_OUTCOMES) metrics.relayQuestions.inc({ outcome }, 0)
  for (const result of LOOKUP_RESULTS) metrics.relayLookups.inc({ result }, 0)
  return metrics
}
