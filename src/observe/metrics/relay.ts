import type { Registry } from 'prom-client'
import { declareIn } from './declare.ts'

/** What became of the inputs of a request to embed. */
const NOTICE_OUTCOMES = ['remembered', 'skipped', 'failed'] as const
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number]

/** How the question of a vector was looked for. */
const LOOKUP_RESULTS = ['exact', 'direction', 'ambiguous', 'unknown'] as const
export type LookupResult = (typeof LOOKUP_RESULTS)[number]

/** Metrics of the embedding relay. @param vectors asked at each scrape */
export function createRelayMetrics(registry: Registry, vectors: () => number) {
  const { counter, gauge } = declareIn(registry)
  return {
    relayQuestions: counter({
      name: 'stowage_relay_questions_total',
      help: 'Questions whose vectors were remembered by the embedding relay, and requests that were skipped because they ask none or are too large, or failed because they could not be read',
      labels: { outcome: NOTICE_OUTCOMES },
    }),
    relayLookups: counter({
      name: 'stowage_relay_lookups_total',
      help: 'Vectors of searches whose question was looked for: found by the same vector or by its direction, known for different questions, or unknown',
      labels: { result: LOOKUP_RESULTS },
    }),
    relayVectors: gauge({
      name: 'stowage_relay_vectors',
      help: 'Vectors whose question the embedding relay remembers',
      collect() {
        this.set(vectors())
      },
    }),
  }
}
