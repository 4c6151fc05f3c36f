import { afterEach, describe, expect, test } from 'vitest'
import { handOver } from '../../src/http/passthrough/hand-over.ts'
import type { Passthrough } from '../../src/http/passthrough/passthrough.ts'
import type { Step } from '../../src/http/step.ts'
import { authenticate } from '../../src/http/tenants/authenticate.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import type { TenantRegistry } from '../../src/tenants/tenant.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { createStage, silentReporter } from '../support/stage.ts'
import { declared, directoryOf } from '../tenants/support/read-file.ts'

const stage = createStage()
afterEach(() => stage.close())

const passed: Passthrough = (request, response) => response.end(`passed ${request.method} ${request.url}`)

describe('who answers', () => {
  test.each([
    ['GET', '/healthz', 'healthz check passed'],
    ['GET', '/livez', 'passed GET /livez'],
    ['GET', '/metrics', 'passed GET /metrics'],
    ['GET', '/v1', 'passed GET /v1'],
    ['POST', '/healthz', 'passed POST /healthz'],
    ['POST', '/v1/contexts', 'passed POST /v1/contexts'],
    ['POST', '/V1/context', 'passed POST /V1/context'],
    ['POST', '/collections/c/points/query', 'improved'],
    ['POST', '/collections/c/points/query/', 'improved'],
    ['POST', '/collections/c/points/query/batch?timeout=1', 'improved'],
    ['POST', '/collections/c/points/search', 'improved'],
    ['POST', '/collections/c/points/search/batch', 'improved'],
    ['POST', '/collections/%E0%A4%A/points/query', 'improved'],
    ['GET', '/collections/c/points/query', 'passed GET /collections/c/points/query'],
    ['POST', '/collections/c/points/query/groups', 'passed POST /collections/c/points/query/groups'],
    ['POST', '/collections/c/points/scroll', 'passed POST /collections/c/points/scroll'],
    ['POST', '/collections/a/b/points/query', 'passed POST /collections/a/b/points/query'],
  ])('%s %s', async (method, path, text) => {
    const improvePoints: Step = (_request, response) => void response.end('improved')
    const { url } = await stage.serve({ improvePoints, passthrough: passed })
    expect(await (await fetch(url + path, { method })).text()).toBe(text)
  })

  test('nothing is improved when there is no improver, and what an improver leaves passes', async () => {
    const reasons: string[] = []
    const reporter = { ...silentReporter, passedThrough: ({ reason }: { reason: string }) => void reasons.push(reason) }
    const leave: Step = (_request, response, next) => {
      handOver(response, { reason: 'off' })
      next()
    }
    for (const improvePoints of [null, leave]) {
      const { url } = await stage.serve({ improvePoints, passthrough: passed, reporter })
      const response = await fetch(`${url}/collections/c/points/query`, { method: 'POST' })
      expect(await response.text()).toBe('passed POST /collections/c/points/query')
    }
    expect(reasons).toEqual(['route', 'off'])
  })

  test('an answer of ours carries no header of the framework', async () => {
    const { url } = await stage.serve()
    const { headers } = await fetch(`${url}/healthz`)
    expect([...headers.keys()].sort()).toEqual(['connection', 'content-length', 'content-type', 'date', 'keep-alive'])
  })
})

describe('readiness', () => {
  test.each([
    [true, 200],
    [false, 503],
  ])('ready: %s', async (ready, status) => {
    const state = { ready, checks: [{ name: 'reranker', ok: false, detail: 'set RERANK_MODEL' }] }
    const { url } = await stage.serve({ health: { ready: async () => state } })
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual(state)
  })

  test('a check that fails itself is an error without internals, in the envelope of the path', async () => {
    const { url } = await stage.serve({ health: { ready: () => Promise.reject(new Error('secret')) } })
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ status: { error: expect.not.stringContaining('secret') }, time: 0 })
  })
})

describe('metrics', () => {
  test('are at /v1/metrics in the text format', async () => {
    const { url } = await stage.serve()
    const response = await fetch(`${url}/v1/metrics`)
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(await response.text()).toContain('# TYPE stowage_requests_total counter')
  })
})

describe('traces', () => {
  async function servingTrace(trace: Trace) {
    const { url } = await stage.serve({
      ...(trace.tenant === null ? {} : { admitTenant: [authenticate(registryOf('acme', 'other'))] }),
      findTrace: async (id, { tenant }) =>
        id === trace.trace_id && (tenant?.name ?? null) === trace.tenant ? trace : null,
    })
    return async (path: string, apiKey?: string) => {
      const response = await fetch(`${url}/v1/traces/${path}`, {
        headers: apiKey === undefined ? {} : { 'api-key': apiKey },
      })
      return { status: response.status, text: await response.text() }
    }
  }

  test('are shown to their own tenant only', async () => {
    const get = await servingTrace(sampleTrace({ trace_id: 'a b/ü', tenant: 'acme' }))
    const path = encodeURIComponent('a b/ü')
    expect((await get(path, 'acme')).status).toBe(200)
    const unknown = await get('no-such', 'acme')
    expect(unknown.status).toBe(404)
    const foreign = await get(path, 'other')
    expect(foreign.status).toBe(404)
    expect(JSON.parse(foreign.text).error.message).toBe(JSON.parse(unknown.text).error.message)
    for (const key of ['bad', undefined]) expect((await get(path, key)).status).toBe(401)
    expect((await get('%E0%A4%A', 'acme')).status).toBe(400)
  })

  test('without tenants are shown, their u64 ids with every digit', async () => {
    const trace = sampleTrace({ trace_id: 't', tenant: null })
    const candidate = { ...trace.candidates[0], id: 18446744073709551615n } as Trace['candidates'][number]
    const get = await servingTrace({ ...trace, candidates: [candidate] })
    expect((await get('t')).text).toContain('"id":18446744073709551615,')
  })

  test('have a published schema', async () => {
    const { url } = await stage.serve()
    const schema = JSON.parse(await (await fetch(`${url}/v1/schema/trace.json`)).text())
    expect(schema.$schema).toContain('2020-12')
    expect(schema.required).toContain('candidates')
    const id = schema.properties.candidates.items.properties.id
    expect(JSON.stringify(id)).toContain('integer')
  })
})

/** Tenants whose keys are called like they are. */
function registryOf(...names: string[]): TenantRegistry {
  const { tenants } = directoryOf(Object.assign({}, ...names.map(name => declared(name))))
  return { find: apiKey => tenants.find(({ name }) => name === apiKey) ?? null }
}
