import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { keyHash } from '../../src/tenants/keys.ts'
import { sendOk } from '../support/send.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../support/tenants-file.ts'

const OPERATOR = { 'api-key': 'operator' }
const ACME = { 'api-key': 'acme' }
const QUESTION = { query: 'keels', collection: 'docs', vector: [1, 0], model: 'nobody-knows' }
const SEARCH = { query: [1, 0], limit: 2, with_payload: true }

let engine: Awaited<ReturnType<typeof startEmbeddedServer>>
let stowage: Stowage
let file: Awaited<ReturnType<typeof openTenantsFile>>
const log: string[] = []

beforeAll(async () => {
  engine = await startEmbeddedServer()
  await sendOk(engine.url, 'PUT', '/collections/docs', { vectors: { size: 2, distance: 'Dot' } })
  const points = [1, 2, 3].map(id => ({
    id,
    vector: [id, 1],
    payload: { text: `Passage ${id} about keels of oak.`, tenant: 'acme' },
  }))
  await sendOk(engine.url, 'PUT', '/collections/docs/points?wait=true', { points })
  const declared = declareTenants({ acme: { collections: ['docs'], whole_collections: true } })
  file = await openTenantsFile({ ...declared, operators: [{ sha256: keyHash('operator') }] })
  const logger = createLogger({ level: 'info', destination: { write: line => void log.push(line) } })
  stowage = await openStowage({ QDRANT_URL: engine.url, TENANTS_FILE: file.path, CACHE_TTL_MS: '60000' }, logger)
})

afterAll(async () => {
  await stowage.close()
  await engine.close()
  await file.remove()
})

const scrape = async (accept = '*/*') => stowage.send('GET', '/v1/metrics', undefined, { ...OPERATOR, accept })

/** Waits until a line of the metrics is there: some are counted after the answer is sent. */
const expectLine = (line: RegExp) => vi.waitFor(async () => expect((await scrape()).text).toMatch(line), 10_000)

describe('metrics of a running stowage', () => {
  it('count what contexts, improved searches and refusals of a tenant were', async () => {
    await stowage.ask(QUESTION, ACME)
    await stowage.ask(QUESTION, ACME)
    expect((await stowage.ask({ ...QUESTION, collection: 'others' }, ACME)).status).toBe(403)
    const search = await stowage.send('POST', '/collections/docs/points/query', SEARCH, ACME)
    expect(search.headers.get('x-stowage-trace-id')).not.toBeNull()
    expect((await stowage.send('DELETE', '/collections/docs', undefined, ACME)).status).toBe(403)
    expect((await stowage.send('POST', '/collections/docs/points/scroll', {}, ACME)).status).toBe(200)

    await expectLine(/^stowage_tenant_request_seconds_count\{tenant="acme"\} 3$/mu)
    await expectLine(/^stowage_context_redundancy_ratio_count 1$/mu)
    const { text } = await scrape()
    for (const line of [
      /^stowage_cache_requests_total\{result="hit"\} 1$/mu,
      /^stowage_cache_requests_total\{result="miss"\} 1$/mu,
      /^stowage_context_budget_used_ratio_count 2$/mu,
      /^stowage_recall_proxy_ratio_count\{endpoint="context"\} 2$/mu,
      /^stowage_recall_proxy_ratio_count\{endpoint="points"\} 1$/mu,
      // The answer from the cache is no second run.
      /^stowage_degraded_total\{code="tokenizer_mapped"\} 1$/mu,
      /^stowage_guard_refusals_total\{status="403"\} 2$/mu,
      /^stowage_tenant_context_tokens_total\{tenant="acme"\} [1-9]/mu,
      /^stowage_packed_chunks_total [1-9]/mu,
      /^stowage_upstream_responses_total\{status="2xx",kind="read"\} [1-9]/mu,
      /^stowage_upstream_responses_total\{status="2xx",kind="forwarded"\} 1$/mu,
      /^stowage_upstream_responses_total\{status="none",kind="forwarded"\} 0$/mu,
      /^stowage_rerank_queue 0$/mu,
      /^stowage_waiting_requests 0$/mu,
    ])
      expect(text).toMatch(line)
  })

  it('do not count a collection without sparse vectors as a degradation, and the log names it once', async () => {
    for (const query of ['oak', 'keels of oak'])
      expect((await stowage.ask({ ...QUESTION, query }, ACME)).json).toMatchObject({
        mode: { asked: 'hybrid', used: 'semantic' },
        degraded: [{ code: 'tokenizer_mapped' }],
      })
    expect(log.filter(line => line.includes('no sparse vectors'))).toEqual([expect.stringContaining('"docs"')])
  })

  it('come in the format that the scraper asks for', async () => {
    const plain = await scrape()
    expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const open = await scrape('application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.4')
    expect(open.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(open.text).toMatch(/^stowage_request_seconds_bucket.* # \{trace_id="[0-9a-f-]{36}"\} /mu)
  })
})

describe('the id of a request', () => {
  const idsOf = async (given: string) => {
    const marker = `/collections/docs?${log.length}`
    await stowage.send('GET', marker, undefined, { ...ACME, 'x-request-id': given })
    return vi.waitFor(() => {
      const line = log.findLast(entry => entry.includes('GET /collections/docs"'))
      expect(line).toBeDefined()
      return JSON.parse(line ?? '{}').requestId as string
    })
  }

  it('is that of the client when it is sane, and a new one otherwise', async () => {
    expect(await idsOf('01JD:edge-7/a=b@c.d+e_f')).toBe('01JD:edge-7/a=b@c.d+e_f')
    for (const given of ['with space', 'x'.repeat(129), '{"level":60}', 'acme', 'id-of-acme-1']) {
      const count = log.length
      expect(await idsOf(given)).toMatch(/^[0-9a-f-]{36}$/u)
      expect(log.slice(count).join('\n')).not.toContain(given === 'acme' ? '"requestId":"acme"' : given)
    }
  })
})
