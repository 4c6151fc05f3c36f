import { describe, expect, it } from 'vitest'
import type { FinishedRequest } from '../../src/observe/finished-requests.ts'
import { capturedReporter } from '../support/captured-log.ts'
import { sampleTrace } from '../support/sample-trace.ts'

const finished: FinishedRequest = {
  endpoint: 'context',
  outcome: 'ok',
  route: 'POST /v1/context',
  status: 200,
  seconds: 3,
  requestId: 'r',
  tenant: 'acme',
  traceId: 'trace-1',
  otelTraceId: null,
  degraded: [],
  limited: null,
  cause: null,
}
const assignment = { experiment: 'mmr', variant: 'on', unit: 'tenant', share: 0.1 } as const

describe('a slow request', () => {
  it('is a warning with its stage times, its tenant and its variant, and is counted', async () => {
    const { lines, metrics, reporter } = capturedReporter({ slowMs: 2_000 })
    reporter.contextTraced({ trace: sampleTrace({ assignment }) })
    reporter.requestFinished(finished)
    expect(lines).toMatchObject([
      { level: 40, msg: 'slow request', tenant: 'acme', variant: 'mmr=on', stageMs: { retrieve: 12 }, ms: 3_000 },
    ])
    expect(await metrics.registry.metrics()).toContain('stowage_slow_requests_total{endpoint="context"} 1\n')
  })

  it('adds the times of the searches of a batch', () => {
    const { lines, reporter } = capturedReporter({ slowMs: 1 })
    reporter.contextTraced({ trace: sampleTrace() })
    reporter.contextTraced({ trace: sampleTrace({ trace_id: 'trace-2' }) })
    reporter.requestFinished({ ...finished, traceId: 'trace-1,trace-2' })
    expect(lines).toMatchObject([{ stageMs: { retrieve: 24 } }])
  })

  it('is one of a few warnings when many are slow; the others stay at info, and all are counted', async () => {
    const { lines, metrics, reporter } = capturedReporter({ slowMs: 2_000 })
    for (let at = 0; at < 500; at++) reporter.requestFinished(finished)
    expect(lines).toHaveLength(500)
    const warned = lines.filter(({ level }) => level === 40).length
    expect(warned).toBeGreaterThanOrEqual(20)
    expect(warned).toBeLessThan(400)
    expect(await metrics.registry.metrics()).toContain('stowage_slow_requests_total{endpoint="context"} 500\n')
  })

  it('is none that a limit held back, that is quick, or that asks for the metrics, nor when the setting is 0', () => {
    const limited = { tenant: 'acme', limit: 'rate' } as const
    const quick = capturedReporter({ slowMs: 2_000 })
    quick.reporter.requestFinished({ ...finished, limited })
    quick.reporter.requestFinished({ ...finished, seconds: 1.9 })
    quick.reporter.requestFinished({ ...finished, endpoint: 'operations' })
    const off = capturedReporter()
    off.reporter.requestFinished(finished)
    for (const line of [...quick.lines, ...off.lines]) expect(line).toMatchObject({ msg: 'request finished' })
  })
})

describe('query text', () => {
  const lineWith = (queryText: 'off' | 'hash' | 'text') => {
    const { lines, reporter } = capturedReporter({ queryText })
    reporter.contextTraced({ trace: sampleTrace({ query: 'Who is it?' }) })
    reporter.searchReported({ reason: 'upstream_refused', detail: 'Who is it?' })
    reporter.requestFinished({ ...finished, seconds: 0 })
    return lines
  }

  it('is in no line, unless the setting allows the text or its digest', () => {
    expect(JSON.stringify(lineWith('off'))).not.toMatch(/Who is it|sha256/u)
    expect(JSON.stringify(lineWith('hash'))).not.toContain('Who is it')
    expect(lineWith('hash').at(-1)).toMatchObject({ queries: [expect.stringMatching(/^sha256:[0-9a-f]{32}$/u)] })
    expect(lineWith('text').at(-1)).toMatchObject({ queries: ['Who is it?'] })
  })
})
