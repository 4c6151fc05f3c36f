import { createServer } from 'node:http'
import { Writable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { codesOf, DEGRADATIONS, DROP_REASONS, PASSTHROUGH_REASONS, STAGES } from '../../src/core/vocabulary.ts'
import { createPassthrough } from '../../src/http/passthrough/passthrough.ts'
import type { Step } from '../../src/http/step.ts'
import { createReporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { observeReads } from '../../src/observe/observed-reads.ts'
import { NO_SPANS } from '../../src/observe/spans.ts'
import type { PackContext } from '../../src/pipeline/services.ts'
import { createQdrantHttp, type QdrantHttp } from '../../src/qdrant/client.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { createStage } from '../support/stage.ts'
import { createEchoUpstream } from './support/echo-upstream.ts'

const stage = createStage()
afterEach(() => stage.close())

function observed() {
  const lines: Record<string, unknown>[] = []
  const destination = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  const metrics = createMetrics({ processMetrics: false })
  const logger = createLogger({ level: 'debug', destination })
  return { lines, metrics, logger, reporter: createReporter({ metrics, logger }) }
}

describe('requests', () => {
  test('are counted by endpoint and outcome', async () => {
    const { metrics, reporter } = observed()
    const upstream = await stage.listen(createEchoUpstream())
    const { passthrough } = createPassthrough({ upstream: new URL(upstream) })
    const { url, close } = await stage.serve({
      metrics,
      reporter,
      passthrough,
      improvePoints: (_request, response) => void response.end('{}'),
      health: { ready: () => Promise.reject(new Error('broken')) },
    })
    const ask = async (path: string, method = 'GET') => (await fetch(url + path, { method })).arrayBuffer()
    await ask('/healthz')
    await ask('/readyz')
    await ask('/v1/context', 'POST')
    await ask('/collections')
    await ask('/collections?shape=missing')
    await ask('/collections/c/points/query', 'POST')
    await close(1_000)
    const counted = await metrics.requests.get()
    const counts = counted.values
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => [`${labels.endpoint} ${labels.outcome}`, value])
    expect(Object.fromEntries(counts)).toEqual({
      'operations ok': 1,
      'operations internal_error': 1,
      'context client_error': 1,
      'passthrough ok': 1,
      'passthrough client_error': 1,
      'points ok': 1,
    })
    expect(await metrics.registry.getSingleMetricAsString('stowage_passthrough_total')).toContain('{reason="route"} 2')
    expect(await metrics.registry.getSingleMetricAsString('stowage_request_seconds')).toContain(
      '_count{endpoint="points"} 1',
    )
  })
})

describe('the line of a request', () => {
  const lineOf = (lines: Record<string, unknown>[]) => lines.find(({ msg }) => msg === 'request finished')

  test('is at info, with the trace and the degradations, and without the text and the key', async () => {
    const { lines, metrics, reporter } = observed()
    const degraded = [{ code: 'reranker_failed' as const, detail: 'of the s3cret reranker' }]
    const packContext: PackContext = async () => contextAnswer({ degraded, trace_id: 'trace-1' })
    const { url, close } = await stage.serve({ metrics, reporter, packContext })
    const body = JSON.stringify({ query: 'a private question', collection: 'c' })
    const headers = { 'api-key': 's3cret', 'content-type': 'application/json' }
    await (await fetch(`${url}/v1/context?api-key=s3cret`, { method: 'POST', headers, body })).text()
    await close(1_000)
    expect(lineOf(lines)).toMatchObject({
      level: 30,
      endpoint: 'context',
      outcome: 'ok',
      route: 'POST /v1/context',
      status: 200,
      ms: expect.any(Number),
      traceId: 'trace-1',
      degraded: ['reranker_failed'],
    })
    expect(JSON.stringify(lines)).not.toMatch(/s3cret|private question/u)
  })

  test('takes trace and degradations of an improved search from its headers', async () => {
    const { lines, metrics, reporter } = observed()
    const improvePoints: Step = (_request, response) => {
      response.setHeader('x-stowage-trace-id', 'a,b').setHeader('x-stowage-degraded', 'no_query_text,rerank_partial')
      response.end('{}')
    }
    const { url, close } = await stage.serve({ metrics, reporter, improvePoints })
    await (await fetch(`${url}/collections/c/points/query`, { method: 'POST' })).text()
    await close(1_000)
    expect(lineOf(lines)).toMatchObject({ traceId: 'a,b', degraded: ['no_query_text', 'rerank_partial'] })
  })

  test('of a health check that passes is for debugging', async () => {
    const { lines, metrics, reporter } = observed()
    const { url, close } = await stage.serve({ metrics, reporter })
    await (await fetch(`${url}/healthz`)).text()
    await close(1_000)
    expect(lineOf(lines)).toMatchObject({ level: 20, route: 'GET /healthz', traceId: null, degraded: [] })
  })
})

describe('answers of Qdrant to forwarded requests', () => {
  test('are counted once each by status, and not when the client has left at once', async () => {
    const { metrics, reporter } = observed()
    const onEnd = (status: number | null) => reporter.upstreamForwarded({ status })
    const hanging = await stage.listen(createServer(() => {}))
    const there = await stage.serveBefore(await stage.listen(createEchoUpstream()), { onEnd })
    await (await fetch(there.url)).text()
    await (await fetch(`${there.url}/collections?shape=missing`)).text()
    await (await fetch((await stage.serveBefore('http://127.0.0.1:1', { onEnd })).url)).text()
    const left = await stage.serveBefore(hanging, { onEnd })
    await expect(fetch(left.url, { signal: AbortSignal.timeout(100) })).rejects.toThrow()
    await left.close(0)
    const text = await metrics.registry.metrics()
    for (const [status, count] of [['2xx', 1], ['4xx', 1], ['5xx', 0], ['none', 1]]) // biome-ignore format: one line
      expect(text).toContain(`stowage_upstream_responses_total{status="${status}",kind="forwarded"} ${count}\n`)
  })
})

describe('reads of Qdrant', () => {
  const asked = { method: 'GET', path: '/x', headers: [], signal: new AbortController().signal } satisfies Parameters<
    QdrantHttp['readRaw']
  >[0]

  test('are timed, by whether an answer came, and counted by its status', async () => {
    const { metrics, reporter } = observed()
    const open = (url: string) => createQdrantHttp(url, observeReads(reporter, NO_SPANS))
    const there = open(await stage.listen(createEchoUpstream()))
    await there.readRaw(asked)
    await expect(there.read({ ...asked, path: '/x?shape=missing', apiKey: null })).rejects.toThrow()
    await there.close()
    const gone = open('http://127.0.0.1:1')
    await expect(gone.read({ ...asked, apiKey: null })).rejects.toThrow('ECONNREFUSED')
    await gone.close()
    const text = await metrics.registry.metrics()
    expect(text).toContain('stowage_upstream_seconds_count{outcome="answered"} 2')
    expect(text).toContain('stowage_upstream_seconds_count{outcome="failed"} 1')
    expect(text).toContain('stowage_upstream_responses_total{status="2xx",kind="read"} 1')
    expect(text).toContain('stowage_upstream_responses_total{status="4xx",kind="read"} 1')
    expect(text).toContain('stowage_upstream_responses_total{status="none",kind="read"} 1')
  })

  test.each([
    ['at once are no failure of Qdrant', 999, 0],
    ['after a second without an answer are one', 1_000, 1],
  ])('that are given up %s', async (_when, waitedMs, failures) => {
    const { metrics, reporter } = observed()
    let now = 0
    const gone = new AbortController()
    const silent = createServer(() => {
      now = waitedMs
      gone.abort(new Error('the client disconnected'))
    })
    const http = createQdrantHttp(
      await stage.listen(silent),
      observeReads(reporter, NO_SPANS, () => now),
    )
    await expect(http.readRaw({ ...asked, signal: gone.signal })).rejects.toThrow()
    await http.close()
    const text = await metrics.registry.metrics()
    expect(text).toContain('stowage_upstream_seconds_count{outcome="failed"} 1')
    expect(text).toContain(`stowage_upstream_responses_total{status="none",kind="read"} ${failures}`)
  })
})

describe('metrics', () => {
  test('are there before the first event: every code, reason, stage and outcome with 0', async () => {
    const text = await createMetrics({ processMetrics: false }).registry.metrics()
    const expected = [
      ...codesOf(DEGRADATIONS).map(code => `stowage_degraded_total{code="${code}"} 0`),
      ...codesOf(PASSTHROUGH_REASONS).map(reason => `stowage_passthrough_total{reason="${reason}"} 0`),
      ...codesOf(DROP_REASONS).map(reason => `stowage_dropped_candidates_total{reason="${reason}"} 0`),
      ...codesOf(STAGES).map(stage => `stowage_stage_seconds_count{stage="${stage}"} 0`),
      'stowage_requests_total{endpoint="context",outcome="upstream_error"} 0',
      'stowage_request_seconds_count{endpoint="points"} 0',
    ]
    expect(expected.filter(line => !text.includes(`${line}\n`))).toEqual([])
  })

  test('tell which build runs', async () => {
    const text = await createMetrics({ processMetrics: false, version: '1.2.3' }).registry.metrics()
    expect(text).toContain(`stowage_build_info{version="1.2.3",node="${process.version}"} 1`)
  })

  test('count dropped candidates by the reason of the trace', async () => {
    const { metrics, reporter } = observed()
    const [packed] = sampleTrace().candidates
    const reasons = ['duplicate', 'over_budget', 'duplicate'] as const
    const dropped = reasons.flatMap(reason => (packed ? [{ ...packed, decision: 'dropped' as const, reason }] : []))
    reporter.contextTraced({ trace: sampleTrace({ candidates: [...(packed ? [packed] : []), ...dropped] }) })
    const { values } = await metrics.dropped.get()
    const counts = values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value])
    expect(Object.fromEntries(counts)).toEqual({ duplicate: 2, over_budget: 1 })
  })
})

describe('the reporter', () => {
  test('never throws, whatever its sinks do', () => {
    const broken = new Proxy({}, { get: () => { throw new Error('sink') } }) // biome-ignore format: one line
    const reporter = createReporter({ metrics: broken, logger: broken } as Parameters<typeof createReporter>[0])
    for (const report of Object.values(reporter)) expect(() => report({} as never)).not.toThrow()
  })
})

describe('the log', () => {
  test('holds no keys', () => {
    const { lines, logger } = observed()
    logger.info(
      { apiKey: 's3cret', caller: { apiKey: 's3cret' }, headers: { 'api-key': 's3cret', authorization: 's3cret' } },
      'seen',
    )
    expect(JSON.stringify(lines)).toContain('seen')
    expect(JSON.stringify(lines)).not.toContain('s3cret')
  })
})

test('metrics of two apps do not meet, process metrics included', async () => {
  const [first, second] = [createMetrics(), createMetrics()]
  first.degraded.inc({ code: 'x' })
  expect(await second.registry.metrics()).not.toContain('code="x"')
  expect(await first.registry.metrics()).toContain('nodejs_eventloop_lag_seconds')
})
