import { totalmem } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { FinishedRequest } from '../../src/observe/finished-requests.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { observeReranker } from '../../src/observe/observed-reranker.ts'
import { createRedundancySampler } from '../../src/observe/redundancy-sampler.ts'
import { capturedReporter } from '../support/captured-log.ts'
import { sampleTrace } from '../support/sample-trace.ts'

const finished: FinishedRequest = {
  endpoint: 'context',
  outcome: 'ok',
  route: 'POST /v1/context',
  status: 200,
  seconds: 0.2,
  requestId: 'r',
  tenant: null,
  traceId: 'trace-1',
  otelTraceId: null,
  degraded: [],
  limited: null,
  cause: null,
}

describe('the two formats', () => {
  it('have the same values, and the text format is the same before and after the other was printed', async () => {
    const { metrics, reporter } = capturedReporter()
    reporter.contextTraced({ trace: sampleTrace() })
    reporter.requestFinished(finished)
    const text = await metrics.registry.metrics()
    const open = await metrics.openMetrics.metrics()
    expect(await metrics.registry.metrics()).toBe(text)
    const samples = (page: string) => page.split('\n').filter(line => line !== '' && !line.startsWith('#'))
    expect(samples(open).map(line => line.replace(/ # \{.*/u, ''))).toEqual(samples(text))
    expect(open).toMatch(/\n# EOF\n$/u)
    expect(open).toContain('# TYPE stowage_requests counter\n')
    expect(text).toContain('# TYPE stowage_requests_total counter\n')
  })

  it('have exemplars with both ids in OpenMetrics only', async () => {
    const { metrics, reporter } = capturedReporter()
    reporter.contextTraced({ trace: sampleTrace() })
    reporter.requestFinished({ ...finished, traceId: 'trace-1,trace-2', otelTraceId: 'f'.repeat(32) })
    const open = await metrics.openMetrics.metrics()
    expect(open).toMatch(
      /stowage_request_seconds_bucket\{le="0.25",endpoint="context"\} 1 # \{trace_id="trace-1",otel_trace_id="f{32}"\} 0.2 [\d.]+\n/u,
    )
    expect(open).toMatch(
      /stowage_stage_seconds_bucket\{le="0.025",stage="retrieve"\} 1 # \{trace_id="trace-1"\} 0.012 /u,
    )
    expect(await metrics.registry.metrics()).not.toContain('# {')
  })

  it('name each metric by the conventions: counters end in _total, and nothing else does', async () => {
    const all = await createMetrics().registry.getMetricsAsJSON()
    const misnamed = all.filter(({ name, type }) => /_total$/u.test(name) !== (String(type) === 'counter'))
    expect(misnamed.map(({ name }) => name)).toEqual([])
    expect(all.filter(({ help }) => help === '' || help.includes('"')).map(({ name }) => name)).toEqual([])
  })
})

describe('labels of tenants', () => {
  const many = (count: number) => new Set(Array.from({ length: count }, (_, at) => `t${at}`))
  const labelsOf = async (metrics: ReturnType<typeof createMetrics>, name: string) => {
    const text = await metrics.registry.getSingleMetricAsString(name)
    return [...new Set([...text.matchAll(/tenant="([^"]*)"/gu)].map(([, label]) => label))]
  }

  it('are at most a hundred names and "other", and none in open mode', async () => {
    const { metrics, reporter } = capturedReporter()
    reporter.requestFinished({ ...finished, tenant: 'nobody' })
    expect(await metrics.registry.metrics()).not.toContain('tenant="')
    reporter.tenantsDeclared({ names: many(150) })
    for (const tenant of ['t0', 't99', 't100', 't149']) reporter.requestFinished({ ...finished, tenant })
    const labels = await labelsOf(metrics, 'stowage_tenant_request_seconds')
    expect(labels).toHaveLength(101)
    const text = await metrics.registry.metrics()
    for (const [label, count] of [['t0', 1], ['t99', 1], ['other', 2]]) // biome-ignore format: one line
      expect(text).toContain(`stowage_tenant_request_seconds_count{tenant="${label}"} ${count}\n`)
  })

  it('keep their values when the file changes, and go with their tenant', async () => {
    const { metrics, reporter } = capturedReporter()
    reporter.tenantsDeclared({ names: many(2) })
    reporter.contextTraced({ trace: sampleTrace({ tenant: 't0' }) })
    reporter.requestFinished({ ...finished, tenant: 't0', degraded: ['rerank_partial'] })
    reporter.tenantsDeclared({ names: new Set(['t0', 't9']) })
    reporter.requestFinished({ ...finished, tenant: 't1' })
    reporter.requestFinished({ ...finished, tenant: 't1', limited: { tenant: 't1', limit: 'rate' } })
    const text = await metrics.registry.metrics()
    expect(text).not.toContain('tenant="t1"')
    for (const line of [
      'stowage_tenant_request_seconds_count{tenant="t0"} 1',
      'stowage_tenant_request_seconds_count{tenant="t9"} 0',
      'stowage_tenant_context_tokens_total{tenant="t0"} 1500',
      'stowage_tenant_context_budget_tokens_total{tenant="t0"} 2000',
      'stowage_tenant_degraded_total{tenant="t0"} 1',
    ])
      expect(text).toContain(`${line}\n`)
  })
})

describe('what a trace tells', () => {
  const countedOf = async (trace: ReturnType<typeof sampleTrace>) => {
    const { metrics, reporter } = capturedReporter()
    reporter.contextTraced({ trace })
    return metrics.registry.metrics()
  }

  it('is counted: budget, chunks, recall proxy, cache, pairs that were skipped', async () => {
    const text = await countedOf(
      sampleTrace({
        recall_proxy: 0.6,
        answerable: { probability: 0.3, verdict: 'uncertain', reasons: [] },
        cache: 'miss',
        counts: { retrieved: 9, packed: 4, dropped: 5 },
        stages: [{ name: 'rerank', start_ms: 0, ms: 1, in: 7, out: 7, changed: false }],
        degraded: [{ code: 'rerank_skipped', detail: '' }],
      }),
    )
    for (const line of [
      'stowage_context_budget_used_ratio_bucket{le="0.7"} 0',
      'stowage_context_budget_used_ratio_bucket{le="0.8"} 1',
      'stowage_packed_chunks_total 4',
      'stowage_recall_proxy_ratio_sum{endpoint="context"} 0.6',
      'stowage_answerable_total{verdict="uncertain"} 1',
      'stowage_answerable_total{verdict="in_documents"} 0',
      'stowage_cache_requests_total{result="miss"} 1',
      'stowage_cache_requests_total{result="hit"} 0',
      'stowage_rerank_pairs_total{result="skipped"} 7',
    ])
      expect(text).toContain(`${line}\n`)
  })

  it('counts a code once for a run, and nothing of its steps again for an answer from the cache', async () => {
    const { metrics, reporter } = capturedReporter()
    const [candidate] = sampleTrace().candidates
    const trace = sampleTrace({
      stages: [{ name: 'fuse', start_ms: 0, ms: 1, in: 2, out: 2, changed: false }],
      degraded: [
        { code: 'list_missing', detail: 'dense' },
        { code: 'list_missing', detail: 'keyword' },
      ],
      candidates: candidate ? [{ ...candidate, decision: 'dropped', reason: 'over_budget' }] : [],
    })
    reporter.contextTraced({ trace: { ...trace, cache: 'miss' } })
    reporter.contextTraced({ trace: { ...trace, cache: 'hit', stages: [] } })
    const text = await metrics.registry.metrics()
    for (const line of [
      'stowage_stage_seconds_count{stage="fuse"} 1',
      'stowage_degraded_total{code="list_missing"} 1',
      'stowage_dropped_candidates_total{reason="over_budget"} 1',
    ])
      expect(text).toContain(`${line}\n`)
  })

  it('of a shadow run counts nowhere, because it is no answer', async () => {
    const nothing = await countedOf(sampleTrace({ endpoint: 'replay', stages: [], degraded: [], candidates: [] }))
    expect(await countedOf(sampleTrace({ shadow_of: 'x', recall_proxy: 0.5 }))).toBe(nothing)
  })
})

it('pairs of a reranker are scored, cached or skipped', async () => {
  const { metrics, reporter } = capturedReporter()
  let fails = false
  const reranker = observeReranker(
    {
      model: 'm',
      close: async () => {},
      rerank: async () => {
        if (fails) throw new Error('gone')
        return { scores: [0.5, 0.4, 0.1, null], cached: 1 }
      },
    },
    reporter,
  )
  const request = { query: 'q', passages: ['a', 'b', 'c', 'd'], signal: new AbortController().signal }
  await reranker.rerank(request)
  fails = true
  await expect(reranker.rerank(request)).rejects.toThrow('gone')
  const text = await metrics.registry.metrics()
  for (const [result, count] of [['scored', 2], ['cached', 1], ['skipped', 5]]) // biome-ignore format: one line
    expect(text).toContain(`stowage_rerank_pairs_total{result="${result}"} ${count}\n`)
})

it('redundancy is measured after the answer, at most once in a second', () => {
  const ratios: number[] = []
  const later: (() => void)[] = []
  let time = 0
  const sample = createRedundancySampler({
    report: ({ ratio }) => void ratios.push(ratio),
    now: () => time,
    later: work => void later.push(work),
  })
  sample('one two three four five '.repeat(2))
  expect(ratios).toEqual([])
  time = 999
  sample('not looked at, because the last one is too near')
  time = 1_000
  sample('each of these words stands here only once')
  for (const work of later) work()
  // Five words of ten are covered by the first shingle; shingles across the seam cover the rest but one.
  expect(ratios).toEqual([10 / 9, 1])
})

describe('the memory limit', () => {
  it('is at most the memory of the machine, also without a limit of a container', async () => {
    const page = await createMetrics().registry.metrics()
    const limit = Number(/^stowage_memory_limit_bytes (\S+)$/mu.exec(page)?.[1])
    expect(limit).toBeGreaterThan(process.memoryUsage.rss())
    expect(limit).toBeLessThanOrEqual(totalmem())
  })
})
