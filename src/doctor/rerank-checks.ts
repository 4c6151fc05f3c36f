import { type Finding, ok, warn } from './finding.ts'

/** What one endpoint of the reranker answered. */
export interface RerankNodeState {
  /** Host and port. */
  node: string
  /** Why it gave no score; null when it did. */
  fault: string | null
  /** The model that it says it serves; null when it says none. */
  model: string | null
}

/** Checks each endpoint of `RERANKER=http`, and that all of them serve one model. */
export function checkRerankNodes(nodes: readonly RerankNodeState[]): Finding[] {
  const findings = nodes.map(({ node, fault, model }) =>
    fault === null
      ? ok('rerank endpoint', model === null ? `${node} answers` : `${node} answers with ${model}`)
      : warn(
          'rerank endpoint',
          `${node}: ${fault}`,
          'Start it, or correct RERANK_URL, RERANK_SHAPE and RERANK_API_KEY.',
        ),
  )
  const models = [...new Set(nodes.flatMap(({ model }) => model ?? []))]
  if (models.length > 1) {
    const detail = `the endpoints serve different models, whose scores cannot be compared: ${models.join(', ')}`
    findings.push(warn('rerank models', detail, 'Serve the same model at each address of RERANK_URL.'))
  }
  return findings
}
