import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { codesOf, VERDICTS } from '../../../src/core/vocabulary.ts'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { uiRoutes } from '../../../src/http/ui/routes.ts'
import type { Comparison, Passages } from '../../../src/http/ui/schemas.ts'
import { contextAnswer } from '../../support/context-answer.ts'
import { notImplemented } from '../../support/not-implemented.ts'
import { chunk, fill } from '../../support/points.ts'
import { sampleTrace } from '../../support/sample-trace.ts'
import { createStage, silentReporter } from '../../support/stage.ts'
import { type ErrorBody, openStowage, type Stowage } from '../../support/stowage.ts'

const BIG = '18446744073709551615'
const HOSTILE = '</script><img src=x onerror=alert(1)>'

let engine: Awaited<ReturnType<typeof startEmbeddedServer>>
let stowage: Stowage
beforeAll(async () => {
  engine = await startEmbeddedServer()
  const keels = Array.from({ length: 20 }, (_, n) => chunk(n + 1, `Keel ${n} was laid by wright ${n} of the yard.`))
  await fill(engine.url, 'keels', [
    ...keels,
    chunk(BIG, `A keel says ${HOSTILE}.`),
    chunk(50, 'Keel 3 was laid by wright 3 of the yard.'),
  ])
  stowage = await openStowage({ QDRANT_URL: engine.url, UI: 'on' })
})
afterAll(async () => {
  await stowage.close()
  await engine.close()
})

const compare = async (body: object, headers: Record<string, string> = {}) => {
  const { status, json, text } = await stowage.send('POST', '/v1/ui/compare', body, headers)
  return { status, text, json: json as Comparison & ErrorBody }
}
const QUESTION = { query: 'Which wright laid the keel?', collection: 'keels', budget_tokens: 150 }

describe('without UI=on', () => {
  it.each([
    ['GET', '/v1/ui'],
    ['GET', '/v1/traces'],
    ['POST', '/v1/ui/compare'],
    ['POST', '/v1/ui/passages'],
  ])('%s %s says how to turn it on', async (method, path) => {
    const off = await openStowage({ QDRANT_URL: engine.url })
    const { status, json } = await off.send(method, path, method === 'POST' ? QUESTION : undefined)
    await off.close()
    expect(status).toBe(404)
    expect(json).toMatchObject({ error: { code: 'not_found', message: expect.stringContaining('UI=on') } })
  })
})

describe('the page', () => {
  it('allows its own script and styles only, and is not stored', async () => {
    const { status, headers, text } = await stowage.send('GET', '/v1/ui')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store')
    const policy = headers.get('content-security-policy') ?? ''
    const hashOf = (tag: string) => {
      const [, inner = ''] = new RegExp(`<${tag}>(.*?)</${tag}>`, 'su').exec(text) ?? []
      expect(inner.length).toBeGreaterThan(1_000)
      return `'sha256-${createHash('sha256').update(inner).digest('base64')}'`
    }
    const parts = policy.split('; ')
    expect(parts).toContain(`script-src ${hashOf('script')}`)
    expect(parts).toContain(`style-src ${hashOf('style')}`)
    for (const part of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"])
      expect(parts).toContain(part)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/<[^>]+\son\w+=/u)
    expect(text).not.toMatch(/(?:src|href)="(?!data:)/u)
  })

  it('answers HEAD without the document', async () => {
    const { status, text } = await stowage.send('HEAD', '/v1/ui')
    expect([status, text]).toEqual([200, ''])
  })
})

describe('POST /v1/ui/compare', () => {
  it('answers what /v1/context answers, beside top-k of the same budget, with the text of every candidate', async () => {
    const { status, json } = await compare(QUESTION)
    expect(status).toBe(200)
    const { json: alone } = await stowage.ask(QUESTION)
    expect(json.stowage.context).toBe(alone.context)
    expect(json.stowage.tokens).toBeLessThanOrEqual(150)
    expect(json.top_k.tokens).toBeLessThanOrEqual(150)
    expect(json.stowage.trace.plan.packing.overflow).toBe('skip')
    expect(json.top_k.trace.plan.packing.overflow).toBe('truncate')
    expect((await compare({ ...QUESTION, against: 'topk' })).json.top_k.trace.plan.packing.overflow).toBe('stop')
    const ids = (points: readonly { id: unknown }[]) => [...new Set(points.map(({ id }) => String(id)))].sort()
    expect(ids(json.passages)).toEqual(ids([...json.stowage.trace.candidates, ...json.top_k.trace.candidates]))
    expect(json.passages_missing).toBeNull()
    expect(json.passages.find(({ id }) => id === 4)?.text).toBe('Keel 3 was laid by wright 3 of the yard.')
  })

  it('keeps all digits of an id', async () => {
    expect((await compare({ ...QUESTION, query: 'A keel says' })).text).toContain(`"id":${BIG},`)
  })

  it('adds one request to the list and to the metrics: the run of stowage', async () => {
    const key = { 'api-key': 'counted' }
    const packed = async () =>
      Number(/^stowage_context_tokens_count (\d+)$/mu.exec((await stowage.send('GET', '/v1/metrics')).text)?.[1])
    const before = await packed()
    const { json } = await compare(QUESTION, key)
    expect((await packed()) - before).toBe(1)
    const listed = (await stowage.send('GET', '/v1/traces', undefined, key)).json as { traces: { trace_id: string }[] }
    expect(listed.traces.map(({ trace_id }) => trace_id)).toEqual([json.stowage.trace_id])
    expect((await stowage.send('GET', `/v1/traces/${json.top_k.trace_id}`, undefined, key)).status).toBe(404)
  })

  it.each<[string, object | string, string]>([
    ['an unknown rival', { ...QUESTION, against: 'best' }, 'against'],
    ['an unknown key', { ...QUESTION, trace: true }, 'trace'],
    ['no question', { collection: 'keels' }, 'query'],
    ['an empty collection', { ...QUESTION, collection: '' }, 'collection'],
    ['half a budget', { ...QUESTION, budget_tokens: 1.5 }, 'budget_tokens'],
    ['a body of nothing', '', 'body'],
    ['broken UTF-8', Buffer.from([0x7b, 0xff, 0x7d]) as unknown as string, 'body'],
    ['deep nesting', `{"query":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'query'],
  ])('refuses %s and names the field', async (_name, body, field) => {
    const { status, json } = await stowage.send('POST', '/v1/ui/compare', body)
    expect(status).toBe(400)
    expect((json as ErrorBody).error).toMatchObject({ code: 'bad_request', message: expect.stringContaining(field) })
  })

  it('refuses a huge body, and a collection that is not there', async () => {
    const huge = JSON.stringify({ ...QUESTION, query: 'x'.repeat(2 * 1024 * 1024) })
    expect((await stowage.send('POST', '/v1/ui/compare', huge)).status).toBe(413)
    expect((await compare({ ...QUESTION, collection: 'nowhere' })).json.error.code).toBe('collection_not_found')
  })
})

describe('POST /v1/ui/passages', () => {
  it('reads points by their ids, also by digits in a text, and leaves out what is not there', async () => {
    const points = [{ id: 4 }, { id: BIG }, { id: 999 }, { id: '0191f0a1-0000-7000-8000-000000000000' }].map(point => ({
      ...point,
      collection: 'keels',
    }))
    const { json, text } = await stowage.send('POST', '/v1/ui/passages', { points })
    expect((json as Passages).passages.map(passage => passage.text).sort()).toEqual([
      `A keel says ${HOSTILE}.`,
      'Keel 3 was laid by wright 3 of the yard.',
    ])
    expect(text).toContain(BIG)
  })

  it('refuses an id that no point has, and too many points', async () => {
    const many = Array.from({ length: 2_001 }, (_, id) => ({ collection: 'keels', id }))
    for (const points of [many, [{ collection: 'keels', id: null }], [{ collection: '..', id: 1 }]])
      expect((await stowage.send('POST', '/v1/ui/passages', { points })).status).toBe(400)
    const { json } = await stowage.send('POST', '/v1/ui/passages', { points: [{ collection: 'keels', id: 'x y' }] })
    expect((json as ErrorBody).error.code).toBe('bad_request')
  })
})

describe('GET /v1/traces', () => {
  const key = { 'api-key': 'lister' }
  const list = async (search: string) => {
    const { status, json } = await stowage.send('GET', `/v1/traces${search}`, undefined, key)
    expect(status).toBe(200)
    return (json as { traces: { query: string }[]; kept: number }).traces.map(({ query }) => query)
  }

  it('filters the requests of the key', async () => {
    for (const query of ['first keel', 'second KEEL', 'the of']) await stowage.ask({ ...QUESTION, query }, key)
    await stowage.ask({ ...QUESTION, query: 'of another key' }, { 'api-key': 'other' })
    expect(await list('')).toEqual(['the of', 'second KEEL', 'first keel'])
    expect(await list('?limit=1')).toEqual(['the of'])
    expect(await list('?query=kEEl')).toEqual(['second KEEL', 'first keel'])
    expect(await list('?endpoint=points')).toEqual([])
    expect(await list('?endpoint=context&query=first')).toEqual(['first keel'])
    expect(await list('?min_ms=999999999')).toEqual([])
    const [degraded, complete] = [await list('?degraded=true'), await list('?degraded=false')]
    expect(degraded).toContain('the of')
    expect([...degraded, ...complete].length).toBe(3)
    const verdicts = await Promise.all(codesOf(VERDICTS).map(verdict => list(`?verdict=${verdict}`)))
    expect(verdicts.flat().sort()).toEqual(['first keel', 'second KEEL', 'the of'])
    expect(verdicts[codesOf(VERDICTS).indexOf('uncertain')]).toContain('the of')
  })

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=501', 'limit'],
    ['?limit=1e2', 'limit'],
    ['?endpoint=all', 'endpoint'],
    ['?degraded=maybe', 'degraded'],
    ['?verdict=maybe', 'verdict'],
    ['?min_ms=-1', 'min_ms'],
    ['?who=me', 'who'],
    ['?__proto__=1', '__proto__'],
  ])('refuses %s and names it', async (search, field) => {
    const { status, json } = await stowage.send('GET', `/v1/traces${search}`)
    expect(status).toBe(400)
    expect((json as { error: { details: object[] } }).error.details).toEqual([expect.objectContaining({ field })])
  })
})

describe('the routes of the page by themselves', () => {
  const stage = createStage()
  afterEach(() => stage.close())

  const ui = (over: Partial<Parameters<typeof uiRoutes>[0]>) => {
    const packContext = async () => ({ ...contextAnswer(), trace: sampleTrace() })
    const readPage = notImplemented('readPage')
    return uiRoutes({
      packContext,
      packTopK: () => packContext,
      readPassages: async () => [],
      reporter: silentReporter,
      listTraces: async () => [],
      readPage,
      ...over,
    })
  }

  it('show contexts without the texts of candidates when those cannot be read', async () => {
    const readPassages = () => Promise.reject(new StowageError('upstream_unavailable', 'Qdrant cannot be reached'))
    const { url } = await stage.serve({ ui: ui({ readPassages }) })
    const response = await fetch(`${url}/v1/ui/compare`, { method: 'POST', body: JSON.stringify(QUESTION) })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      passages: [],
      passages_missing: 'upstream_unavailable: Qdrant cannot be reached',
    })
  })

  it('say what to do when the page is not built', async () => {
    const missing = Object.assign(new Error("Cannot find package 'esbuild'"), { code: 'ERR_MODULE_NOT_FOUND' })
    const { url } = await stage.serve({ ui: ui({ readPage: () => Promise.reject(missing) }) })
    const response = await fetch(`${url}/v1/ui`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { code: 'not_found', message: expect.stringContaining('npm ci with the development dependencies') },
    })
  })
})
