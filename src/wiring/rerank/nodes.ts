import { nodeNames } from '../../adapters/models/fleet/balancer.ts'
import { probeEndpoints } from '../../adapters/models/fleet/probe.ts'
import type { RerankEndpoint } from '../../adapters/models/fleet/rerank-endpoint.ts'
import type { Config } from '../../config.ts'
import type { RerankNodeState } from '../../doctor/rerank-checks.ts'

/** Names of the endpoints of the reranker in metrics; none without `RERANKER=http`. */
export function rerankNodeNames(config: Config): string[] {
  return nodeNames(rerankUrls(config))
}

/** For `stowage doctor`. */
export function probeRerankNodes(config: Config): Promise<RerankNodeState[]> {
  return probeEndpoints(rerankUrls(config), rerankEndpoint(config))
}

/** What requests to the endpoints of the reranker have in common. */
export function rerankEndpoint({ settings }: Config): RerankEndpoint {
  return {
    shape: settings.RERANK_SHAPE,
    ...(settings.RERANK_API_KEY ? { apiKey: settings.RERANK_API_KEY } : {}),
    ...(settings.RERANK_MODEL ? { model: settings.RERANK_MODEL } : {}),
  }
}

/** The endpoints of `RERANKER=http`; none without it. */
export function rerankUrls({ plan, settings }: Config): readonly string[] {
  return plan.rerank.method === 'http' ? (settings.RERANK_URL ?? []) : []
}
