import { messageOf } from '../../../core/errors.ts'
import type { RerankNodeState } from '../../../doctor/rerank-checks.ts'
import { nodeNames } from './balancer.ts'
import { askInfo } from './endpoint-info.ts'
import { askEndpoint, type RerankEndpoint } from './rerank-endpoint.ts'

const PROBE_MS = 5_000

/** Asks each endpoint for the score of one passage, and for its model where its API tells it. */
export function probeEndpoints(urls: readonly string[], endpoint: RerankEndpoint): Promise<RerankNodeState[]> {
  const names = nodeNames(urls)
  return Promise.all(
    urls.map(async (url, at) => {
      const node = names[at] ?? url
      try {
        await askEndpoint(url, endpoint, 'ping', ['ping'], AbortSignal.timeout(PROBE_MS))
        return {
          node,
          fault: null,
          model: endpoint.shape === 'tei' ? ((await askInfo(url, endpoint))?.model_id ?? null) : null,
        }
      } catch (error) {
        return { node, fault: messageOf(error), model: null }
      }
    }),
  )
}
