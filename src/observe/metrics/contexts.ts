import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { TokenUsage } from '../../contexts/context.ts'
import { SHARES } from './buckets.ts'

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
  const registers = [registry]
  const metrics = {
    contexts: new Counter({
      name: 'stowage_contexts_total',
      help: 'Contexts of new points, by the writer that was asked: written, fallback (those of the rules stand instead), failed or dropped (stowage contextualize writes them)',
      labelNames: ['model', 'outcome'],
      registers,
    }),
    contextModelTokens: new Counter({
      name: 'stowage_context_tokens_total',
      help: 'Tokens of the calls for contexts of new points, as the endpoint counts them',
      labelNames: ['model', 'kind'],
      registers,
    }),
    contextCost: new Counter({
      name: 'stowage_context_cost_usd_total',
      help: 'US dollars for contexts of new points; 0 for a model without a known price',
      labelNames: ['model'],
      registers,
    }),
    contextQuality: new Histogram({
      name: 'stowage_context_quality_ratio',
      help: 'Quality of the contexts of new points, from 0 to 1',
      buckets: SHARES,
      registers,
    }),
    contextQueue: new Gauge({
      name: 'stowage_context_queue_points',
      help: 'New points that wait for a context',
      registers,
    }),
  }
  for (const model of models) {
    for (const outcome of OUTCOMES) metrics.contexts.inc({ model, outcome }, 0)
    for (const [kind] of CONTEXT_TOKEN_KINDS) metrics.contextModelTokens.inc({ model, kind }, 0)
    metrics.contextCost.inc({ model }, 0)
  }
  return metrics
}
