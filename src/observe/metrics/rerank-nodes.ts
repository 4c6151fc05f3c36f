import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { REQUEST_SECONDS } from './buckets.ts'

/**
 * How a call of an endpoint of the reranker ended. `failed`: an error that can be an accident. `broken`: no connection, or an answer that cannot be used.
 * `busy`: the endpoint has too much work. `refused`: the request is at fault. `overtaken`: a call that began later, to another endpoint, was answered first.
 * `overdue`: the deadline passed. `given_up`: nobody waits any more, which says nothing about the endpoint.
 */
export const NODE_OUTCOMES = [
  'answered',
  'failed',
  'broken',
  'busy',
  'refused',
  'overtaken',
  'overdue',
  'given_up',
] as const
export type NodeOutcome = (typeof NODE_OUTCOMES)[number]

const HEDGE_WINNERS = ['first', 'hedge', 'none'] as const
export type HedgeWinner = (typeof HEDGE_WINNERS)[number]

/** Metrics of the endpoints of `RERANKER=http`. @param nodes their names, at most 16 */
export function createRerankNodeMetrics(registry: Registry, nodes: readonly string[]) {
  const registers = [registry]
  const metrics = {
    rerankNodeCalls: new Counter({
      name: 'stowage_rerank_node_calls_total',
      help: 'Calls of the endpoints of the reranker, by host and by how they ended',
      labelNames: ['node', 'outcome'],
      registers,
    }),
    rerankNodeSeconds: new Histogram({
      name: 'stowage_rerank_node_seconds',
      help: 'Time of the calls that an endpoint of the reranker answered, in seconds',
      labelNames: ['node'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    rerankNodeLeftOut: new Gauge({
      name: 'stowage_rerank_node_left_out',
      help: '1 while an endpoint of the reranker is left out because its calls failed, else 0',
      labelNames: ['node'],
      registers,
    }),
    rerankHedges: new Counter({
      name: 'stowage_rerank_hedges_total',
      help: 'Requests to the reranker that took long and were sent to a second endpoint too, by the one that was answered first',
      labelNames: ['winner'],
      registers,
    }),
    rerankRetries: new Counter({
      name: 'stowage_rerank_retries_total',
      help: 'Requests to the reranker that failed and were sent to another endpoint',
      registers,
    }),
  }
  for (const node of nodes) {
    for (const outcome of NODE_OUTCOMES) metrics.rerankNodeCalls.inc({ node, outcome }, 0)
    metrics.rerankNodeSeconds.zero({ node })
    metrics.rerankNodeLeftOut.set({ node }, 0)
  }
  for (const winner of HEDGE_WINNERS) metrics.rerankHedges.inc({ winner }, 0)
  return metrics
}
