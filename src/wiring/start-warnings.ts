import type { Config } from '../config.ts'

interface Started {
  config: Config
  /** Whether the embedded engine is behind stowage. */
  embedded: boolean
  /** The address that stowage listens on. */
  host: string
  /** Why a model is missing; null when it is there, or not wanted. */
  unavailable: { embedder: string | null; reranker: string | null }
  /** What the models that are there do worse than they could. */
  modelWarnings: readonly string[]
  /** Files and folders that cannot be written, one sentence each. */
  unwritable: readonly string[]
  /** Number of the keys of operators; null without tenants. */
  operators: number | null
}

const LOOPBACK = /^(?:localhost|127\.|::1$)/u

/** What an operator may have forgotten, one sentence each. The service works without it, but with less. */
export function startWarnings(started: Started): string[] {
  const { config, embedded, host, unavailable, modelWarnings, unwritable, operators } = started
  const { EMBEDDED_PATH, TENANTS_FILE, CONTEXTUAL_COLLECTIONS, MCP, UI } = config.settings
  const { EMBEDDINGS_RELAY_API_KEY: lentKey, EMBEDDINGS_RELAY_URL: relayUrl } = config.settings
  const isOpen = TENANTS_FILE === undefined && !LOOPBACK.test(host)
  const warnings = [...config.unknownVariables]
  if (unavailable.embedder !== null) warnings.push(`no embedder, only keywords are searched: ${unavailable.embedder}`)
  if (unavailable.reranker !== null) warnings.push(`no reranker: ${unavailable.reranker}`)
  warnings.push(...modelWarnings, ...unwritable)
  if (embedded && EMBEDDED_PATH === undefined) {
    const advice = 'set QDRANT_URL to a Qdrant server, or EMBEDDED_PATH to a folder'
    warnings.push(`the embedded engine keeps its points in memory and loses them at the end: ${advice}`)
  }
  if (embedded && config.settings.REDIS_URL !== undefined)
    warnings.push('REDIS_URL shares nothing with the embedded engine, which belongs to one process: set QDRANT_URL')
  if (embedded && isOpen)
    warnings.push(
      `the embedded engine asks for no key, and HOST=${host} lets other machines read and change its points`,
    )
  if (MCP && isOpen)
    warnings.push(
      `MCP=on without TENANTS_FILE, and HOST=${host}: agents on other machines can start jobs that cost money`,
    )
  if (UI && isOpen)
    warnings.push(
      `UI=on without TENANTS_FILE, and HOST=${host}: on the page, callers without a key see the questions of all others without one`,
    )
  if (config.plan.retrieval.contextual && CONTEXTUAL_COLLECTIONS.size === 0)
    warnings.push('RETRIEVAL_CONTEXTUAL is on, but CONTEXTUAL_COLLECTIONS names no collection with contexts')
  if (lentKey !== undefined && (TENANTS_FILE === undefined || relayUrl === undefined || relayUrl === 'local'))
    warnings.push('EMBEDDINGS_RELAY_API_KEY is not used: it is lent to tenants of a relay to a URL only')
  if (relayUrl === 'local' && config.settings.EMBEDDER === 'none')
    warnings.push('EMBEDDINGS_RELAY_URL=local, but EMBEDDER=none: requests to embed are answered with 503')
  if (operators === 0)
    warnings.push('TENANTS_FILE has no key of an operator, so nobody can read /v1/metrics: add one under operators')
  return warnings
}
