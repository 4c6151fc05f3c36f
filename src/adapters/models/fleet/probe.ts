import { messageOf } from '../../../core/errors.ts'
import type { RerankNodeState } from '../../../doctor/rerank-checks.ts'
import { nodeNames } from './balancer.ts'
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
        return { node, fault: null, model: endpoint.shape === 'tei' ? await modelOf(url, endpoint) : null }
      } catch (error) {
        return { node, fault: messageOf(error), model: null }
      }
    }),
  )
}

/** The `model_id` that `/info` of text-embeddings-inference tells; null when it tells none. */
async function modelOf(url: string, { apiKey }: RerankEndpoint): Promise<string | null> {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/(?:rerank\/?)?$/u, '')}/info`
  try {
    const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(PROBE_MS) })
    const { model_id: model } = (await response.json()) as { model_id?: unknown }
    return typeof model === 'string' ? model : null
  } catch {
    return null
  }
}
