import type { Registry } from 'prom-client'
import type { TokenUsage } from '../../contexts/context.ts'
import { SHARES } from './buckets.ts'
import { declareIn } from './declare.ts'

const OUTCOMES = ['written', 'fallback', 'failed', 'dropped'] as const

/** The label of each kind of tokens. */
export const CONTEXT_TOKEN_KINDS: readonly (readonly [string, keyof TokenUsage])[] = [
  ['input', 'input'],
  ['cached', 'cached'],
  ['cache_written', 'cacheWritten'],
  ['output', 'output'],
]

/** Metrics of the contexts of new points. @param models names of the writers */
export function createContextMetrics(registry: Registry, models: readonly string[]) {
  const { counter, gauge, histogram } = declareIn(registry)
  return {
    contexts: counter({
      name: 'stowage_contexts_total',
      help: 'Contexts of new points, by the writer that was asked: written, fallback (those of the rules stand instead), failed or dropped (stowage contextualize writes them)',
      labels: { model: models, outcome: OUTCOMES },
    }),
    contextModelTokens: counter({
      name: 'stowage_context_tokens_total',
      help: 'Tokens of the calls for contexts of new points, as the endpoint counts them',
      labels: { model: models, kind: CONTEXT_TOKEN_KINDS.map(([kind]) => kind) },
    }),
    contextCost: counter({
      name: 'stowage_context_cost_usd_total',
      help: 'US dollars for contexts of new points; 0 for a model without a known price',
      labels: { model: models },
    }),
    contextQuality: histogram({
      name: 'stowage_context_quality_ratio',
      help: 'Quality of the contexts of new points, from 0 to 1',
      buckets: SHARES,
    }),
    contextQueue: gauge({
      name: 'stowage_context_queue_points',
      help: 'New points that wait for a context',
    }),
  }
}
