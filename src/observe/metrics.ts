import { collectDefaultMetrics, Registry } from 'prom-client'
import { openMetricsOf } from './metrics/open-metrics.ts'
import { createPipelineMetrics } from './metrics/pipeline.ts'
import { createRequestMetrics } from './metrics/requests.ts'
import { createTenantMetrics } from './metrics/tenants.ts'
import { createUpstreamMetrics } from './metrics/upstream.ts'
import { createRolloutMetrics } from './rollout-metrics.ts'

export type Metrics = ReturnType<typeof createMetrics>

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

/**
 * Creates the metrics in a new registry. Labels have few fixed values, or are names of declared tenants; ids are in the log. Every series exists from the
 * start with 0: a rate over a series that appears with its first event misses that event.
 */
export function createMetrics({ processMetrics = true, version = '' } = {}) {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  for (const name of LEFT_OUT) registry.removeSingleMetric(name)
  const metrics = {
    ...createRequestMetrics(registry, version),
    ...createPipelineMetrics(registry),
    ...createUpstreamMetrics(registry),
    ...createTenantMetrics(registry),
    ...createRolloutMetrics(registry),
  }
  return { ...metrics, registry, openMetrics: openMetricsOf(registry) }
}
