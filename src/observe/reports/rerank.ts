import type { PassageObserver } from '../../core/ports.ts'
import type { Logger } from '../logger.ts'
import { PASSAGE_SOURCES } from '../metrics/pipeline.ts'
import type { HedgeWinner, NodeOutcome } from '../metrics/rerank-nodes.ts'
import type { Metrics } from '../metrics.ts'

/** The reports about the endpoints of the reranker. `node` is a host with its port. */
export interface RerankReports {
  rerankNodeCalled(event: { node: string; outcome: NodeOutcome; seconds: number }): void
  /** A request that took long was sent to a second endpoint too. */
  rerankHedged(event: { winner: HedgeWinner }): void
  /** A request that failed was sent to another endpoint. */
  rerankRetried(): void
  /** An endpoint is left out, or used again. `fault` is why. */
  rerankNodeLeftOut(event: { node: string; leftOut: boolean; fault: string | null }): void
}

export function createRerankReports(metrics: Metrics, logger: Logger): RerankReports & PassageObserver {
  return {
    passagesFound: passages => {
      for (const source of PASSAGE_SOURCES) metrics.rerankPassages.inc({ source }, passages[source])
    },
    passageFolderFailed: ({ detail }) => logger.warn({ detail }, 'what the reranker reads cannot be kept on the disk'),
    rerankNodeCalled: ({ node, outcome, seconds }) => {
      metrics.rerankNodeCalls.inc({ node, outcome })
      if (outcome === 'answered') metrics.rerankNodeSeconds.observe({ node }, seconds)
    },
    rerankHedged: ({ winner }) => metrics.rerankHedges.inc({ winner }),
    rerankRetried: () => metrics.rerankRetries.inc(),
    rerankNodeLeftOut: ({ node, leftOut, fault }) => {
      metrics.rerankNodeLeftOut.set({ node }, leftOut ? 1 : 0)
      if (leftOut) logger.warn({ node, detail: fault }, 'an endpoint of the reranker is left out')
      else logger.info({ node }, 'an endpoint of the reranker is used again')
    },
  }
}
