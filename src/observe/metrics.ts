import { collectDefaultMetrics, type OpenMetricsContentType, openMetricsContentType, Registry } from 'prom-client'
import { createContextMetrics } from './metrics/contexts.ts'
import { createPipelineMetrics } from './metrics/pipeline.ts'
import { createRelayMetrics } from './metrics/relay.ts'
import { createRequestMetrics } from './metrics/requests.ts'
import { createRerankNodeMetrics } from './metrics/rerank-nodes.ts'
import { createRolloutMetrics } from './metrics/rollout.ts'
import { createSharedMetrics } from './metrics/shared.ts'
import { createTenantMetrics } from './metrics/tenants.ts'
import { createUpstreamMetrics } from './metrics/upstream.ts'
import { createWorkerMetrics, declareTogether } from './metrics/workers.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** The metrics as pages: in the text format of Prometheus, and in the OpenMetrics format. */
export type PrintedMetrics = Record<'registry' | 'openMetrics', { contentType: string; metrics(): Promise<string> }>

/**
 * Default metrics of prom-client that are left out: their names end in `_total` and they are no counters, or they read fields of Node
 * that are not documented.
 */
const LEFT_OUT = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

interface MetricsOptions {
  /** Whether those of the process and of Node are among them. */
  processMetrics?: boolean
  version?: string
  /** Asked at each scrape: the number of pairs that wait for the reranker. */
  rerankQueue?: () => number
  /** Names of the endpoints of the reranker. */
  rerankNodes?: readonly string[]
  /** Names of the writers of contexts. */
  contextModels?: readonly string[]
  /** Asked at each scrape: the number of vectors whose question is remembered. */
  relayVectors?: () => number
  /** Whether several processes share a store. */
  sharedStore?: boolean
  /** Asked at each scrape: the workers that this process counts for. Default: 1. */
  workers?: () => number
}

/**
 * Creates the metrics in a new registry. Labels have few fixed values, or are names of declared tenants; ids are in the log.
 */
export function createMetrics({
  processMetrics = true,
  version = '',
  rerankQueue = () => 0,
  rerankNodes = [],
  contextModels = ['rules'],
  relayVectors = () => 0,
  sharedStore = false,
  workers = () => 1,
}: MetricsOptions = {}) {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  for (const name of LEFT_OUT) registry.removeSingleMetric(name)
  const metrics = {
    ...createRequestMetrics(registry, version),
    ...createPipelineMetrics(registry, rerankQueue),
    ...createRerankNodeMetrics(registry, rerankNodes),
    ...createUpstreamMetrics(registry),
    ...createTenantMetrics(registry),
    ...createRolloutMetrics(registry),
    ...createContextMetrics(registry, contextModels),
    ...createRelayMetrics(registry, relayVectors),
    ...createSharedMetrics(registry, sharedStore),
    ...createWorkerMetrics(registry, workers),
  }
  declareTogether(registry)
  return { ...metrics, registry, openMetrics: openMetricsOf(registry) }
}

/**
 * A registry that prints the metrics of another one in the OpenMetrics format. It holds a view of each metric, not a copy: printing
 * this format, prom-client changes the names of counters, and the text format would then print the changed names.
 */
function openMetricsOf(registry: Registry): Registry<OpenMetricsContentType> {
  const views = new Registry<OpenMetricsContentType>()
  views.setContentType(openMetricsContentType)
  for (const { name } of registry.getMetricsAsArray())
    views.registerMetric(Object.create(registry.getSingleMetric(name) ?? null))
  return views
}
