import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../../src/observe/logger.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { openTenantsFile } from '../../support/tenants-file.ts'

/** Two tenants share the collection `docs`, a third has a collection of its own. Every text of a tenant holds its name. */
const TENANTS = {
  acme: {
    keys: ['acme-1', 'acme-2'],
    collections: ['docs', 'missing'],
    plan: { CONTEXT_TOKEN_BUDGET: 500, 'reunification.fetch': true },
  },
  beta: { keys: ['beta-1'], collections: ['do*'] },
  twin: { keys: ['twin-1'], collections: ['docs'] },
  gamma: { keys: ['gamma-1'], collections: ['gamma-*'], whole_collections: true },
  locked: { keys: [], collections: ['docs'] },
}

function fileOf(tenants: object): object {
  const hashed = Object.entries(tenants).map(([name, { keys, ...rest }]) => [
    name,
    { ...rest, keys: keys.map((key: string) => ({ sha256: keyHash(key) })) },
  ])
  return { operators: [{ sha256: keyHash('operator') }], tenants: Object.fromEntries(hashed) }
}

/** Chunks of one document, so that the pipeline also fetches neighbours. */
function pointsOf(tenant: string, from: number): object[] {
  return Array.from({ length: 12 }, (_, n) => ({
    id: from + n,
    vector: [1, n / 12],
    payload: {
      tenant,
      doc_id: 'keels',
      order_index: n,
      section_path: 'Keels',
      text: `${tenant} says of keels, part ${n}: ${'oak '.repeat(n)}`,
    },
  }))
}

let engine: Stowage
let stowage: Stowage
let file: Awaited<ReturnType<typeof openTenantsFile>>
const log: string[] = []

beforeAll(async () => {
  engine = await openStowage()
  for (const [name, points] of Object.entries({
    docs: [...pointsOf('acme', 0), ...pointsOf('beta', 100)],
    'gamma-notes': pointsOf('gamma', 200),
    unreached: pointsOf('nobody', 300),
  })) {
    await engine.send('PUT', `/collections/${name}`, { vectors: { size: 2, distance: 'Dot' } })
    await engine.send('PUT', `/collections/${name}/points?wait=true`, { points })
  }
  file = await openTenantsFile(fileOf(TENANTS))
  const logger = createLogger({ level: 'debug', destination: { write: line => void log.push(line) } })
  stowage = await openStowage(
    { QDRANT_URL: engine.url, TENANTS_FILE: file.path, CACHE_TTL_MS: '60000', LOG_LEVEL: 'debug' },
    logger,
  )
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
  await file.remove()
})

const QUESTION = { query: 'keels', collection: 'docs', vector: [1, 0.5], trace: true }
const ask = (key: string, over: object = {}) => stowage.ask({ ...QUESTION, ...over }, { 'api-key': key })
const get = (path: string, key?: string) =>
  stowage.send('GET', path, undefined, key === undefined ? {} : { 'api-key': key })

describe('/v1/context', () => {
  it('packs points of the tenant only, neighbours included, also from the cache', async () => {
    for (const [key, own, others] of [
      ['acme-1', 'acme', /beta|gamma|nobody/],
      ['beta-1', 'beta', /acme|gamma|nobody/],
      ['acme-2', 'acme', /beta|gamma|nobody/],
      ['beta-1', 'beta', /acme|gamma|nobody/],
    ] as const) {
      const { status, json, text } = await ask(key, { limit: 3 })
      expect(status).toBe(200)
      expect(json.chunks.length).toBeGreaterThan(0)
      expect(json.context).toContain(`${own} says`)
      expect(text).not.toMatch(others)
      expect(json.trace?.tenant).toBe(own)
    }
    expect((await ask('acme-1', { limit: 3 })).json.trace?.cache).toBe('hit')
  })

  it('gives no answer of the cache to another tenant, also when all else is the same', async () => {
    const question = { query: 'whose cache', limit: 2 }
    for (const cache of ['miss', 'hit']) expect((await ask('beta-1', question)).json.trace?.cache).toBe(cache)
    const { status, text, json } = await ask('twin-1', question)
    expect([status, json.chunks, json.trace?.cache]).toEqual([200, [], 'miss'])
    expect(text).not.toContain('beta')
  })

  it.each([
    ['an empty filter', {}],
    ['an alternative that matches everything', { should: [{ must: [] }, { key: 'tenant', match: { value: 'beta' } }] }],
    ['the value of another', { must: [{ key: 'tenant', match: { value: 'beta' } }] }],
    ['not the own value', { must_not: [{ key: 'tenant', match: { value: 'acme' } }] }],
    ['ids of another', { must: [{ has_id: [100, 101, 0] }] }],
  ])('is not opened by %s', async (_name, filter) => {
    const { status, text, json } = await ask('acme-1', { filter })
    expect(text.replaceAll('"tenant":"acme"', '')).not.toMatch(/beta says/)
    expect([200, 422]).toContain(status)
    for (const { id } of json.chunks ?? []) expect(Number(id)).toBeLessThan(100)
  })

  it('refuses other collections in the same way, whether they exist or not', async () => {
    const [unreached, absent, among] = await Promise.all([
      ask('acme-1', { collection: 'unreached' }),
      ask('acme-1', { collection: 'no-such' }),
      ask('acme-1', { collection: ['docs', 'gamma-notes'] }),
    ])
    for (const answer of [unreached, absent, among]) {
      expect(answer.status).toBe(403)
      expect(answer.json).toEqual({ error: { code: 'forbidden', message: 'This collection is not allowed.' } })
    }
    expect((await ask('acme-1', { collection: 'missing' })).status).toBe(404)
  })

  it('serves a tenant from whole collections without a condition', async () => {
    expect((await ask('gamma-1', { collection: 'gamma-notes' })).json.context).toContain('gamma says')
    expect((await ask('gamma-1')).status).toBe(403)
  })

  it.each([
    ['no key', undefined],
    ['an unknown key', 'guess'],
    ['a key of an operator', 'operator'],
    ['a hash of a key', keyHash('acme-1')],
  ])('asks for a key: %s', async (_name, key) => {
    const { status, json } = await stowage.ask(QUESTION, key === undefined ? {} : { authorization: `Bearer ${key}` })
    expect([status, json.error.code]).toEqual([401, 'unauthorized'])
  })

  it('takes the plan of the tenant, over which the request lays its values', async () => {
    expect((await ask('acme-1')).json.budget_tokens).toBe(500)
    expect((await ask('beta-1')).json.budget_tokens).toBe(8000)
    const { json } = await ask('acme-1', { budget_tokens: 77 })
    expect([json.budget_tokens, json.trace?.plan.budgetTokens]).toEqual([77, 77])
    expect(json.trace?.plan.retrieval).toEqual((await ask('beta-1')).json.trace?.plan.retrieval)
  })

  it('keeps the sessions of tenants apart, and shares those of keys', async () => {
    const turn = async (key: string) => (await ask(key, { session_id: 's', order: 'stable', limit: 3 })).json.context
    const [first, other, again] = [await turn('acme-1'), await turn('beta-1'), await turn('acme-2')]
    expect(again).toBe(first)
    expect(other).not.toContain('acme')
  })
})

describe('traces', () => {
  it('are shown to every key of the tenant, and to nobody else', async () => {
    const { json } = await ask('acme-1', { query: 'whose trace' })
    const path = `/v1/traces/${json.trace_id}`
    for (const key of ['acme-1', 'acme-2']) expect((await get(path, key)).status).toBe(200)
    const foreign = await get(path, 'beta-1')
    const unknown = await get('/v1/traces/no-such-trace', 'beta-1')
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    expect(foreign.text.replace(json.trace_id, 'no-such-trace')).toBe(unknown.text)
    for (const key of [undefined, 'guess', 'operator']) expect((await get(path, key)).status).toBe(401)
  })
})

describe('what is open', () => {
  it.each([
    '/healthz',
    '/readyz',
    '/v1/openapi.json',
    '/v1/schema/trace.json',
    '/v1/schema/plan.json',
    '/v1/schema/tenants.json',
  ])('%s needs no key and names no tenant', async path => {
    const { status, text } = await get(path)
    expect(status).toBe(200)
    for (const name of Object.keys(TENANTS)) expect(text).not.toContain(`"${name}"`)
  })

  it('the description asks for a key where one is needed', async () => {
    const { json } = await get('/v1/openapi.json')
    const { paths, components } = json as Record<string, Record<string, Record<string, { security: object[] }>>>
    expect(Object.keys(components?.securitySchemes ?? {})).toEqual(['apiKey', 'bearer'])
    expect(paths?.['/v1/context']?.post?.security).toEqual([{ apiKey: [] }, { bearer: [] }])
    expect(paths?.['/healthz']?.get?.security).toEqual([])
  })
})

describe('metrics', () => {
  it('are for operators only', async () => {
    for (const [key, refused] of [
      [undefined, 401],
      ['guess', 401],
      ['acme-1', 403],
    ] as const) {
      const { status, text } = await get('/v1/metrics', key)
      expect(status).toBe(refused)
      expect(text).not.toContain('stowage_')
    }
    await ask('acme-1')
    const { status, text } = await get('/v1/metrics', 'operator')
    expect(status).toBe(200)
    const labels = [...text.matchAll(/tenant="([^"]*)"/g)].map(([, name]) => name)
    expect([...new Set(labels)].sort()).toEqual(Object.keys(TENANTS).sort())
    expect(text).toMatch(/stowage_tenant_requests_total\{tenant="acme",outcome="ok"\} [1-9]/)
  })
})

describe('the paths of Qdrant', () => {
  it('ask for a key, in plain text as Qdrant does', async () => {
    for (const key of [undefined, 'guess']) {
      const { status, text, headers } = await get('/collections', key)
      expect([status, headers.get('content-type')]).toEqual([401, 'text/plain'])
      expect(text).toMatch(/API key/)
    }
  })
})

it('the log names the tenant of a request, and no key', async () => {
  await ask('acme-1')
  await ask('guess')
  const lines = log.filter(line => line.includes('request finished')).map(line => JSON.parse(line))
  expect(lines.filter(({ route }) => route === 'POST /v1/context').map(({ tenant }) => tenant)).toContain('acme')
  expect(log.join('')).not.toMatch(/acme-[12]\b|beta-1|gamma-1|"operator"|guess/)
})

it('a reload takes a tenant away and gives another; a broken file is reported and changes nothing', async () => {
  const { locked: _locked, ...rest } = TENANTS
  await file.replace(fileOf({ ...rest, delta: { keys: ['delta-1'], collections: ['docs'] } }))
  await stowage.reloadTenants()
  expect((await ask('delta-1')).status).toBe(200)
  await file.replace('{')
  await stowage.reloadTenants()
  expect((await ask('delta-1')).status).toBe(200)
  const ready = await get('/readyz')
  expect(ready.json).toMatchObject({ ready: true, checks: [{}, {}, {}, { name: 'tenants', ok: false }] })
  expect(ready.text).not.toMatch(/delta|acme/)
  const { text } = await get('/v1/metrics', 'operator')
  expect(text).toContain('stowage_tenants_reloads_total{outcome="refused"} 1')
  expect(text).toContain('stowage_tenants_file_refused 1')
  expect(text).not.toContain('tenant="locked"')
  expect(log.join('')).toContain('is refused')
  await file.replace(fileOf(TENANTS))
  await stowage.reloadTenants()
  expect((await ask('delta-1')).status).toBe(401)
  expect((await get('/readyz')).json).toMatchObject({ checks: [{}, {}, {}, { name: 'tenants', ok: true }] })
})
