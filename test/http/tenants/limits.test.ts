import { request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { QdrantClient } from '@qdrant/js-client-rest'
import type express from 'express'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { authenticate } from '../../../src/http/tenants/authenticate.ts'
import { createTenantLimiter } from '../../../src/http/tenants/limits.ts'
import { createReporter, type Reporter } from '../../../src/observe/events.ts'
import type { FinishedRequest } from '../../../src/observe/finished-requests.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { createMetrics } from '../../../src/observe/metrics.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import { matchRoute } from '../../../src/tenants/guard/match.ts'
import type { Tenant, TenantLimits } from '../../../src/tenants/tenant.ts'
import { deferred } from '../../support/deferred.ts'
import { type Answer, send } from '../../support/send.ts'
import { createStage, silentReporter } from '../../support/stage.ts'
import { tenantOfName } from '../../support/tenants.ts'

const UNLIMITED: TenantLimits = { rate: null, concurrency: null }

/** Waits for an event of another side of a connection, however slow the machine is. */
const eventually = (expectation: () => void) => vi.waitFor(expectation, { timeout: 60_000, interval: 5 })
vi.setConfig({ testTimeout: 120_000 })

/** The monotonic clock stands still until a test moves it. */
const clock = { ms: 0 }
beforeEach(() => {
  clock.ms = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => clock.ms)
})
const stage = createStage()
afterEach(async () => {
  vi.restoreAllMocks()
  await stage.close()
})

/** An app with tenants whose keys are their names. Qdrant's answers come when the test releases them. */
async function serve(limits: Record<string, TenantLimits>, { held = false } = {}) {
  const tenants = new Map<string, Tenant>()
  const configure = (name: string, of: TenantLimits) => tenants.set(name, tenantOfName(name, { limits: of }))
  for (const [name, of] of Object.entries(limits)) configure(name, of)
  const metrics = createMetrics({ processMetrics: false })
  const finished: FinishedRequest[] = []
  const real = createReporter({ metrics, logger: createLogger({ level: 'silent' }) })
  const reporter: Reporter = {
    ...real,
    requestFinished: event => {
      finished.push(event)
      real.requestFinished(event)
    },
  }
  const limiter = createTenantLimiter(reporter)
  limiter.declare(new Set(tenants.keys()))
  const arrived: (() => void)[] = []
  const running = await stage.serve({
    reporter,
    metrics,
    admitTenant: [authenticate({ find: key => tenants.get(key ?? '') ?? null }), limiter.handler],
    guard: { http: createQdrantHttp('http://127.0.0.1:1'), matchRoute },
    packContext: async () => Promise.reject(new Error('not asked')),
    passthrough: (_request, response) => {
      const answer = () =>
        void response.setHeader('content-type', 'application/json').end('{"result":{},"status":"ok"}')
      if (held) arrived.push(answer)
      else answer()
    },
  })
  return {
    url: running.url,
    limiter,
    metrics,
    finished,
    /** Answers that wait to be sent. */
    arrived,
    configure,
    remove: (name: string) => tenants.delete(name),
    ask: (name: string, path = '/collections/c/points/query', body: unknown = {}): Promise<Answer> =>
      send(running.url, 'POST', path, body, { 'api-key': name }),
    limited: async (tenant: string, limit: string) => {
      const { values } = await metrics.tenantLimited.get()
      return values.find(({ labels }) => labels.tenant === tenant && labels.limit === limit)?.value
    },
  }
}

const rate = (perSecond: number, burst: number): TenantLimits => ({ rate: { perSecond, burst }, concurrency: null })
const atOnce = (concurrency: number): TenantLimits => ({ rate: null, concurrency })

describe('the rate of a tenant', () => {
  it('is a token bucket: as many requests pass as a naive bucket holds, and retry-after is long enough', async () => {
    const steps = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 25 })
    const numbers = fc.record({ perSecond: fc.constantFrom(0.25, 1, 3, 50), burst: fc.integer({ min: 1, max: 5 }) })
    await fc.assert(
      fc.asyncProperty(steps, numbers, async (pauses, { perSecond, burst }) => {
        const { limiter, timers } = withTimers()
        const tenant = tenantOfName('a', { limits: rate(perSecond, burst) })
        let tokens = burst
        for (const pause of pauses) {
          clock.ms += pause
          tokens = Math.min(burst, tokens + (pause * perSecond) / 1_000)
          // Where floating point decides, either answer is right.
          if (Math.abs(tokens - Math.round(tokens)) < 1e-6) tokens = Math.round(tokens)
          const { refusal: refused } = call(limiter.handler, tenant)
          for (const run of timers) run()
          const refusal = refused()
          expect(refusal === null).toBe(tokens >= 1)
          if (refusal === null) tokens -= 1
          else {
            const { retry_after: seconds } = refusal.details
            expect(Number.isInteger(seconds) && seconds >= 1).toBe(true)
            expect(tokens + seconds * perSecond).toBeGreaterThanOrEqual(1 - 1e-6)
          }
        }
      }),
      { numRuns: 200 },
    )
  })

  it('is answered with 429 in the shape of Qdrant on its paths, and of stowage under /v1', async () => {
    const app = await serve({ a: rate(0.2, 1), b: UNLIMITED })
    expect((await app.ask('a')).status).toBe(200)
    const refused = await app.ask('a')
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(refused.json).toEqual({
      status: { error: 'The limit is 0.2 requests per second. Try again after 5 s' },
      time: 0,
    })
    clock.ms += 4_500
    const context = await app.ask('a', '/v1/context', { query: 'q', collection: 'c' })
    expect(context.status).toBe(429)
    expect(context.headers.get('retry-after')).toBe('1')
    expect(context.json).toMatchObject({ error: { code: 'too_many_requests', details: { retry_after: 1 } } })
    expect((await app.ask('b')).status).toBe(200)
    clock.ms += 500
    expect((await app.ask('a')).status).toBe(200)
  })

  it('raises the special error of the official client', async () => {
    const app = await serve({ a: rate(1, 1) })
    const client = new QdrantClient({ url: app.url, apiKey: 'a', checkCompatibility: false })
    await client.query('c', { query: [1] })
    const refused = client.query('c', { query: [1] })
    await expect(refused).rejects.toMatchObject({ name: 'QdrantClientResourceExhaustedError', retry_after: 1 })
  })

  it('does not hold back the routes for operating stowage', async () => {
    const app = await serve({ a: rate(0.001, 1) })
    await app.ask('a')
    for (const path of ['/healthz', '/v1/metrics']) {
      const { status } = await send(app.url, 'GET', path, undefined, { 'api-key': 'a' })
      expect(status).toBe(200)
    }
  })

  it('is counted by tenant and limit, and costs no line of the log but at debug', async () => {
    const app = await serve({ a: rate(0.001, 1), b: atOnce(0) })
    expect(await app.limited('a', 'rate')).toBe(0)
    await app.ask('a')
    await app.ask('a')
    await app.ask('b')
    await eventually(() => expect(app.finished).toHaveLength(3))
    expect(await app.limited('a', 'rate')).toBe(1)
    expect(await app.limited('a', 'concurrency')).toBe(0)
    expect(await app.limited('b', 'concurrency')).toBe(1)
    expect(app.finished.map(({ limited }) => limited)).toEqual([
      null,
      { tenant: 'a', limit: 'rate' },
      { tenant: 'b', limit: 'concurrency' },
    ])
  })
})

describe('the requests in flight of a tenant', () => {
  it('end with the answer', async () => {
    const app = await serve({ a: atOnce(2), b: atOnce(1) }, { held: true })
    const two = [app.ask('a'), app.ask('a')]
    await eventually(() => expect(app.arrived).toHaveLength(2))
    const refused = await app.ask('a')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    const other = app.ask('b')
    await eventually(() => expect(app.arrived).toHaveLength(3))
    for (const answer of app.arrived.splice(0)) answer()
    expect((await Promise.all([...two, other])).map(({ status }) => status)).toEqual([200, 200, 200])
    await eventually(() => expect(app.finished).toHaveLength(4))
    const again = app.ask('a')
    await eventually(() => expect(app.arrived).toHaveLength(1))
    app.arrived[0]?.()
    expect((await again).status).toBe(200)
  })

  it('end when the client leaves', async () => {
    const app = await serve({ a: atOnce(1) }, { held: true })
    const headers = { 'api-key': 'a', 'content-type': 'application/json' }
    const leaving = openRequest(`${app.url}/collections/c/points/query`, { method: 'POST', headers })
    leaving.on('error', () => {}).end('{}')
    await eventually(() => expect(app.arrived).toHaveLength(1))
    expect((await app.ask('a')).status).toBe(429)
    leaving.destroy()
    await eventually(() => expect(app.finished).toHaveLength(2))
    const next = app.ask('a')
    await eventually(() => expect(app.arrived).toHaveLength(2))
    app.arrived[1]?.()
    expect((await next).status).toBe(200)
  })

  it('end when the client leaves, also those of requests that it has sent behind another one', async () => {
    const app = await serve({ a: atOnce(2) }, { held: true })
    const { hostname, port } = new URL(app.url)
    const search =
      'POST /collections/c/points/query HTTP/1.1\r\nHost: x\r\napi-key: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    const leaving = connect(Number(port), hostname, () => leaving.write(search.repeat(2)))
    await eventually(() => expect(app.arrived.length).toBeGreaterThan(0))
    leaving.destroy()
    await eventually(() => expect(app.finished.length).toBeGreaterThan(0))
    const before = app.arrived.length
    const both = [app.ask('a'), app.ask('a')]
    await eventually(() => expect(app.arrived.length + app.finished.length).toBeGreaterThanOrEqual(before + 3))
    for (const answer of app.arrived) answer()
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('are refused before their body is read, and take no token', async () => {
    const app = await serve({ a: { rate: { perSecond: 0.001, burst: 2 }, concurrency: 1 } }, { held: true })
    const first = app.ask('a')
    await eventually(() => expect(app.arrived).toHaveLength(1))
    const answered = deferred<number>()
    const upload = openRequest(`${app.url}/collections/c/points`, {
      method: 'PUT',
      headers: { 'api-key': 'a', 'content-length': '1000000', expect: '100-continue' },
    })
    let invited = false
    upload.on('continue', () => {
      invited = true
    })
    upload.on('response', ({ statusCode }) => answered.resolve(statusCode ?? 0)).on('error', () => {})
    upload.flushHeaders()
    expect(await answered.promise).toBe(429)
    expect(invited).toBe(false)
    upload.destroy()
    app.arrived[0]?.()
    await first
    await eventually(() => expect(app.finished).toHaveLength(2))
    const second = app.ask('a')
    await eventually(() => expect(app.arrived).toHaveLength(2))
    app.arrived[1]?.()
    expect((await second).status).toBe(200)
    expect((await app.ask('a')).headers.get('retry-after')).toBe('1000')
  })
})

describe('a reload of the tenants', () => {
  it('changes the numbers and keeps what was used', async () => {
    const app = await serve({ a: rate(0.001, 3) })
    for (let i = 0; i < 3; i++) expect((await app.ask('a')).status).toBe(200)
    app.configure('a', rate(1, 2))
    expect((await app.ask('a')).status).toBe(429)
    clock.ms += 60_000
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await app.ask('a')).status)
    expect(statuses).toEqual([200, 200, 429])
    app.configure('a', UNLIMITED)
    expect((await app.ask('a')).status).toBe(200)
  })

  it('counts requests that began before it', async () => {
    const app = await serve({ a: atOnce(2) }, { held: true })
    const first = app.ask('a')
    await eventually(() => expect(app.arrived).toHaveLength(1))
    app.configure('a', atOnce(1))
    app.limiter.declare(new Set(['a']))
    expect((await app.ask('a')).status).toBe(429)
    app.arrived[0]?.()
    expect((await first).status).toBe(200)
  })

  it('forgets tenants that are gone, their series too', async () => {
    const app = await serve({ a: rate(0.001, 1), b: UNLIMITED })
    await app.ask('a')
    expect((await app.ask('a')).status).toBe(429)
    await eventually(() => expect(app.finished).toHaveLength(2))
    app.limiter.declare(new Set(['b', 'c']))
    expect(await app.limited('a', 'rate')).toBeUndefined()
    expect([await app.limited('b', 'rate'), await app.limited('c', 'concurrency')]).toEqual([0, 0])
    // Declared again, it starts anew.
    app.limiter.declare(new Set(['a', 'b']))
    expect((await app.ask('a')).status).toBe(200)
  })
})

describe('a flood of refused requests', () => {
  const tenant = tenantOfName('a', { limits: atOnce(0) })

  it('is answered a second later, but for the first ones, and not when the client has left', () => {
    const { limiter, timers } = withTimers()
    const calls = Array.from({ length: 200 }, () => call(limiter.handler, tenant))
    const answered = () => calls.filter(({ refusal }) => refusal() !== null).length
    expect(answered()).toBe(20)
    expect(timers.size).toBe(180)
    for (const { close } of calls.slice(100)) close()
    expect(timers.size).toBe(80)
    for (const run of timers) run()
    expect(answered()).toBe(100)
    for (const { close } of calls.slice(0, 100)) close()
    // Ten refusals a second are no flood.
    clock.ms += 2_000
    const later = Array.from({ length: 21 }, () => call(limiter.handler, tenant))
    expect(later.map(({ refusal }) => refusal() !== null)).toEqual([...Array(20).fill(true), false])
  })

  it('is answered evenly: no ten refusals that came together are answered together', () => {
    const waits: number[] = []
    const startTimer = (milliseconds: number) => {
      waits.push(milliseconds)
      return () => {}
    }
    const limiter = createTenantLimiter(silentReporter, { startTimer })
    for (let i = 0; i < 220; i++) call(limiter.handler, tenant)
    expect(waits).toHaveLength(200)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(2_000)
    for (let from = 1_000; from < 2_000; from += 20)
      expect(waits.filter(wait => wait >= from && wait < from + 20).length).toBeLessThan(10)
  })

  it('is held in bounded memory: what comes beyond a thousand is answered at once and its connection closed', () => {
    const { limiter, timers } = withTimers()
    const calls = Array.from({ length: 1_030 }, () => call(limiter.handler, tenant))
    expect(timers.size).toBe(1_000)
    expect(calls.filter(({ headers }) => headers.get('connection') === 'close')).toHaveLength(10)
    for (const { close } of calls) close()
    expect(timers.size).toBe(0)
    expect(call(limiter.handler, tenant).headers.size).toBe(0)
    expect(timers.size).toBe(1)
  })

  it('reaches the clients as 429 in the end', async () => {
    const app = await serve({ a: atOnce(0) })
    const answers = await Promise.all(Array.from({ length: 40 }, () => app.ask('a')))
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('retry-after')}`))).toEqual(
      new Set(['429 1']),
    )
  })
})

/** A limiter whose timers the test runs. */
function withTimers() {
  const timers = new Set<() => void>()
  const startTimer = (_milliseconds: number, run: () => void) => {
    const once = () => {
      timers.delete(once)
      run()
    }
    timers.add(once)
    return () => timers.delete(once)
  }
  const limiter = createTenantLimiter(silentReporter, { startTimer })
  return { limiter, timers }
}

/** One call of the handler without a server. The refusal is null until it is answered. */
function call(handler: express.RequestHandler, tenant: Tenant) {
  let refusal: { details: { retry_after: number } } | null = null
  let admitted = false
  const headers = new Map<string, string>()
  const closing: (() => void)[] = []
  const response = {
    locals: { tenant },
    setHeader: (name: string, value: string) => headers.set(name, value),
    once: (_event: string, listener: () => void) => closing.push(listener),
  }
  handler({} as express.Request, response as unknown as express.Response, error => {
    refusal = error ?? null
    admitted ||= refusal === null
  })
  return {
    admitted: () => admitted,
    headers,
    refusal: () => refusal,
    close: () => {
      for (const listener of closing.splice(0)) listener()
    },
  }
}

describe('the limits of one of several workers', () => {
  it.each([1, 2, 3, 7])('are its part of %i, and together they admit what was declared, rounded up', workers => {
    for (const declared of [0, 1, 2, 5, 12]) {
      const limiters = Array.from({ length: workers }, () =>
        createTenantLimiter(silentReporter, { startTimer: () => () => {}, workers }),
      )
      const admitted = (limits: TenantLimits) =>
        limiters.reduce((sum, { handler }) => {
          const tenant = tenantOfName('a', { limits })
          const calls = Array.from({ length: declared + 2 }, () => call(handler, tenant))
          return sum + calls.filter(one => one.admitted()).length
        }, 0)
      const together = workers * Math.ceil(declared / workers)
      expect(admitted(atOnce(declared))).toBe(together)
      if (declared > 0) expect(admitted(rate(0.000_001, declared))).toBe(together)
    }
  })
})
