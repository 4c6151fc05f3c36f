import type { Trace } from '../pipeline/trace/schema.ts'
import type { Metrics } from './metrics.ts'
import type { TenantLabels } from './tenant-labels.ts'

/** Counts what a trace tells. The trace of a shadow run is no answer, so it counts in the metrics of shadow runs only. */
export function countTrace(trace: Trace, metrics: Metrics, labels: TenantLabels): void {
  const { endpoint, stages, degraded, candidates, cache, recall_proxy: recallProxy } = trace
  if (trace.shadow_of !== null) return
  const exemplarLabels = { trace_id: trace.trace_id }
  for (const { name, ms } of stages)
    metrics.stageSeconds.observe({ labels: { stage: name }, value: ms / 1_000, exemplarLabels })
  // An answer from the cache ran no step: what its trace tells of the steps was counted when they ran, and rates are taken for each run.
  if (cache !== 'hit') {
    // One step can fail for several collections or lists of a request.
    for (const code of new Set(degraded.map(({ code }) => code))) metrics.degraded.inc({ code })
    for (const { reason } of candidates) if (reason !== null) metrics.dropped.inc({ reason })
  }
  if (recallProxy !== null) metrics.recallProxy.observe({ endpoint }, recallProxy)
  countSkippedPairs(trace, metrics)
  if (endpoint === 'context') countContext(trace, metrics, labels)
}

function countContext(
  { answerable, budget, counts, cache, tenant }: Trace,
  metrics: Metrics,
  labels: TenantLabels,
): void {
  metrics.contextTokens.observe(budget.used)
  metrics.packedChunks.inc(counts.packed)
  if (answerable) metrics.answerable.inc({ verdict: answerable.verdict })
  if (budget.tokens > 0) metrics.budgetUsed.observe(budget.used / budget.tokens)
  if (cache !== 'off') metrics.cacheRequests.inc({ result: cache })
  const label = labels.of(tenant)
  if (label === null) return
  metrics.tenantContextTokens.inc({ tenant: label }, budget.used)
  metrics.tenantBudgetTokens.inc({ tenant: label }, budget.tokens)
}

/** Pairs of a reranking that was left out. Those of one that was begun are reported by the reranker. */
function countSkippedPairs({ stages, degraded, plan }: Trace, metrics: Metrics): void {
  if (!degraded.some(({ code }) => code === 'rerank_skipped')) return
  const candidates = stages.find(({ name }) => name === 'rerank')?.in ?? 0
  metrics.rerankPairs.inc({ result: 'skipped' }, Math.min(candidates, plan.rerank.depth))
}
