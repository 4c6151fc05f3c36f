import { Writable } from 'node:stream'
import { afterEach, describe, expect, test } from 'vitest'
import { createPassthrough } from '../../src/http/passthrough/passthrough.ts'
import { createReporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
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
    const counts = counted.values.map(({ labels, value }) => [`${labels.endpoint} ${labels.outcome}`, value])
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

  test('that the upstream fails leave a line with the cause', async () => {
    const { lines, metrics, reporter } = observed()
    const { passthrough } = createPassthrough({
      upstream: new URL('http://127.0.0.1:1'),
      onFailure: failure => reporter.upstreamFailed(failure),
    })
    const { url, close } = await stage.serve({ metrics, reporter, passthrough })
    await (await fetch(url)).text()
    await close(1_000)
    expect(lines[0]).toMatchObject({ level: 40, status: 503, err: { code: 'ECONNREFUSED' } })
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
