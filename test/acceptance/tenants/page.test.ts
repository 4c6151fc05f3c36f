import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Comparison, Passages } from '../../../src/http/ui/schemas.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import { chunk, fill } from '../../support/points.ts'
import { type ErrorBody, openStowage, type Stowage } from '../../support/stowage.ts'
import { openTenantsFile } from '../../support/tenants-file.ts'

/** acme and beta share `docs`; acme packs by a plan of its own; slow may ask twice in an hour. Every text of a tenant holds its name. */
const keysOf = (...keys: string[]) => ({ keys: keys.map(key => ({ sha256: keyHash(key) })) })
const FILE = {
  operators: [{ sha256: keyHash('operator') }],
  tenants: {
    acme: { ...keysOf('acme-1', 'acme-2'), collections: ['docs'], plan: { CONTEXT_TOKEN_BUDGET: 77 } },
    beta: { ...keysOf('beta-1'), collections: ['docs'] },
    slow: { ...keysOf('slow-1'), collections: ['docs'], rate_limit: { per_second: 0.001, burst: 2 } },
  },
}

let engine: Stowage
let stowage: Stowage
let file: Awaited<ReturnType<typeof openTenantsFile>>

beforeAll(async () => {
  engine = await openStowage()
  const pointsOf = (tenant: string, from: number) =>
    Array.from({ length: 15 }, (_, n) =>
      chunk(from + n, `${tenant} says of keels, part ${n}`, { tenant, order_index: n }),
    )
  await fill(engine.url, 'docs', [...pointsOf('acme', 0), ...pointsOf('beta', 100)])
  await fill(engine.url, 'hidden', pointsOf('nobody', 200))
  file = await openTenantsFile(FILE)
  stowage = await openStowage({ QDRANT_URL: engine.url, TENANTS_FILE: file.path, UI: 'on' })
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
  await file.remove()
})

const call = (method: string, path: string, key: string | null, body?: object) =>
  stowage.send(method, path, body, key === null ? {} : { 'api-key': key })
const QUESTION = { query: 'keels part', collection: 'docs' }
const passages = (key: string, collection: string, ids: number[]) =>
  call('POST', '/v1/ui/passages', key, { points: ids.map(id => ({ collection, id })) })
const listed = async (key: string) =>
  ((await call('GET', '/v1/traces', key)).json as { traces: { trace_id: string; query: string }[] }).traces

describe('the page with tenants', () => {
  it('is open, and everything that it shows needs the key of a tenant', async () => {
    expect((await call('GET', '/v1/ui', null)).status).toBe(200)
    for (const key of [null, 'unknown', 'operator'])
      for (const [method, path, body] of [
        ['POST', '/v1/ui/compare', QUESTION],
        ['POST', '/v1/ui/passages', { points: [] }],
        ['GET', '/v1/traces'],
      ] as const) {
        const { status, json } = await call(method, path, key, body)
        expect([path, status, (json as ErrorBody).error.code]).toEqual([path, 401, 'unauthorized'])
      }
  })

  it('compares over the points of the tenant only, in both runs and in the texts, by the plan of the tenant', async () => {
    for (const [key, own, other] of [
      ['acme-1', 'acme', 'beta'],
      ['beta-1', 'beta', 'acme'],
    ] as const) {
      const { status, text, json } = await call('POST', '/v1/ui/compare', key, QUESTION)
      expect(status).toBe(200)
      expect(text).toContain(`${own} says`)
      expect(text).not.toContain(`${other} says`)
      const { stowage: mine, top_k, passages: texts } = json as Comparison
      expect(texts.length).toBe(15)
      const budget = own === 'acme' ? 77 : 8_000
      expect([mine.budget_tokens, top_k.budget_tokens]).toEqual([budget, budget])
    }
  })

  it('reads no text of others by their ids, and nothing of a collection that is not the tenant’s', async () => {
    const { json } = await passages('acme-1', 'docs', [0, 1, 100, 101])
    expect((json as Passages).passages.map(({ id }) => id).sort()).toEqual([0, 1])
    for (const collection of ['hidden', 'missing']) {
      const { status, text } = await passages('acme-1', collection, [200])
      expect(status).toBe(403)
      expect(text).not.toContain('nobody')
      expect((await call('POST', '/v1/ui/compare', 'acme-1', { ...QUESTION, collection })).status).toBe(403)
    }
    const metrics = (await call('GET', '/v1/metrics', 'operator')).text
    expect(metrics).toContain('stowage_guard_refusals_total{status="403"} 4')
  })

  it('lists and shows requests to all keys of the tenant that made them, and to no other', async () => {
    await call('POST', '/v1/context', 'acme-1', { ...QUESTION, query: 'secret of acme keels' })
    const [mine] = await listed('acme-2')
    expect(mine?.query).toBe('secret of acme keels')
    expect(JSON.stringify(await listed('beta-1'))).not.toContain('secret')
    expect((await call('GET', `/v1/traces/${mine?.trace_id}`, 'acme-2')).status).toBe(200)
    expect((await call('GET', `/v1/traces/${mine?.trace_id}`, 'beta-1')).status).toBe(404)
  })

  it('is limited together with /v1/context', async () => {
    expect((await call('POST', '/v1/context', 'slow-1', QUESTION)).status).toBe(200)
    expect((await call('POST', '/v1/ui/compare', 'slow-1', QUESTION)).status).toBe(200)
    for (const [method, path, body] of [
      ['POST', '/v1/ui/compare', QUESTION],
      ['POST', '/v1/ui/passages', { points: [] }],
      ['GET', '/v1/traces'],
    ] as const)
      expect((await call(method, path, 'slow-1', body)).status).toBe(429)
  })
})
