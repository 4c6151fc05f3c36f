import type { Registry } from 'prom-client'
import { REQUEST_SECONDS } from './buckets.ts'
import { declareIn } from './declare.ts'

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
  const { counter, gauge, histogram } = declareIn(registry)
  return {
    rerankNodeCalls: counter({
      name: 'stowage_rerank_node_calls_total',
      help: 'Calls of the endpoints of the reranker, by host and by how they ended',
      labels: { node: nodes, outcome: NODE_OUTCOMES },
    }),
    rerankNodeSeconds: histogram({
      name: 'stowage_rerank_node_seconds',
      help: 'Time of the calls that an endpoint of the reranker answered, in seconds',
      labels: { node: nodes },
      buckets: REQUEST_SECONDS,
    }),
    rerankNodeLeftOut: gauge({
      name: 'stowage_rerank_node_left_out',
      help: '1 while an endpoint of the reranker is left out because its calls failed, else 0',
      labels: { node: nodes },
    }),
    rerankHedges: counter({
      name: 'stowage_rerank_hedges_total',
      help: 'Requests to the reranker that took long and were sent to a second endpoint too, by the one that was answered first',
      labels: { winner: HEDGE_WINNERS },
    }),
    rerankRetries: counter({
      name: 'stowage_rerank_retries_total',
      help: 'Requests to the reranker that failed and were sent to another endpoint',
    }),
  }
}
