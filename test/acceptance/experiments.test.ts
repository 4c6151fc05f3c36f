import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RollbackTrigger } from '../../src/core/vocabulary.ts'
import { contextResponseSchema } from '../../src/pipeline/context-request.ts'
import { type Trace, traceSchema } from '../../src/pipeline/trace/schema.ts'
import type { ExperimentReport } from '../../src/rollout/compare/experiment-report.ts'
import { keyHash } from '../../src/tenants/keys.ts'
import { ab } from '../commands/support/ab.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { startListening } from '../support/stowage-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { declareTenants, openTenantsFile } from '../support/tenants-file.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
const open: (() => Promise<unknown>)[] = []
beforeEach(() => {
  folder = temporaryFolder('stowage-experiments')
})
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const FEWER = {
  name: 'fewer',
  weight: 500,
  payload: { type: 'json', value: '{"rerank.topK":2,"packing.maxOverflows":0}' },
}
const CONTROL = { name: 'control', weight: 500 }
const ALL_FEWER = [
  { ...CONTROL, weight: 0 },
  { ...FEWER, weight: 1_000 },
]

/** A file of flags with one feature that is on for everybody. */
async function flagsFile(name: string, variants: object[], stickiness = 'sessionId'): Promise<string> {
  const path = join(folder, 'flags.json')
  const parameters = { rollout: '100', stickiness, groupId: name }
  const sticky = variants.map(variant => ({ ...variant, stickiness }))
  const strategies = [{ name: 'flexibleRollout', parameters, constraints: [], variants: sticky }]
  await writeFile(
    path,
    JSON.stringify({ version: 2, features: [{ name, type: 'experiment', enabled: true, strategies }] }),
  )
  return path
}

const rolledBackBy = (trigger: RollbackTrigger) => ({
  experiment: 'size',
  variant: 'fewer',
  trigger,
  detail: 'worse',
  since: '2026-01-01T00:00:00Z',
})

/** A file of rollbacks with this one. */
async function stateFile(rollback: ReturnType<typeof rolledBackBy>): Promise<string> {
  const path = join(folder, 'rollbacks.json')
  await writeFile(path, JSON.stringify({ version: 1, rollbacks: [rollback] }))
  return path
}

async function start(environment: Record<string, string>): Promise<Stowage> {
  const stowage = await openStowage(environment)
  open.push(stowage.close)
  return stowage
}

const WORDS = 'harbour tide lantern ledger gate stone keeper salt oar bell'.split(' ')
const points = WORDS.map((word, at) => ({
  ...chunk(at + 1, `The sluice and the ${word} are described here as number ${at}.`),
  dense: [1, at / 10, 0, 0],
}))

const search = (stowage: Stowage, session: string, headers: Record<string, string> = {}) =>
  stowage.send(
    'POST',
    '/collections/harbour/points/query',
    { query: { text: 'sluice', model: 'qdrant/bm25' }, using: 'sparse', limit: 5, with_payload: true },
    { 'x-stowage-query': 'sluice', 'x-stowage-session': session, ...headers },
  )
const ask = (stowage: Stowage, session: string, headers: Record<string, string> = {}) =>
  stowage.ask({ query: 'sluice', collection: 'harbour', session_id: session }, headers)

const variantOf = ({ headers }: { headers: Headers }) => headers.get('x-stowage-variant')

describe('an experiment', () => {
  it('gives a session one variant on both routes, and operators see its outcomes', async () => {
    const stowage = await start({ FLAGS_FILE: await flagsFile('stowage.experiment.size', [CONTROL, FEWER]) })
    await fill(stowage.url, 'harbour', points)
    const variants = new Map<string, number>()
    for (let session = 0; session < 12; session++) {
      const answer = await ask(stowage, `s${session}`)
      const variant = variantOf(answer) ?? ''
      expect(variant).toMatch(/^size=(?:control|fewer)$/)
      expect(variantOf(await search(stowage, `s${session}`))).toBe(variant)
      expect(answer.json.chunks.length <= 2).toBe(variant === 'size=fewer')
      variants.set(variant, (variants.get(variant) ?? 0) + 1)
    }
    expect(variants.size).toBe(2)
    const { json } = await stowage.send('GET', '/v1/experiments')
    expect(json).toMatchObject({ experiments: [{ experiment: 'size', rolled_back: null }] })
    const seen = (
      json as { experiments: { variants: { variant: string; requests: number; units: number; share: number }[] }[] }
    ).experiments[0]?.variants
    for (const { variant, requests, units, share } of seen ?? []) {
      expect([requests, units, share]).toEqual([
        2 * (variants.get(`size=${variant}`) ?? 0),
        variants.get(`size=${variant}`),
        0.5,
      ])
    }
    const { text, headers } = await stowage.send('GET', '/v1/experiments/size/outcomes')
    const lines = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect([headers.get('content-type'), lines.length]).toEqual(['application/x-ndjson', 24])
    expect(new Set(lines.map(({ unit_id }) => unit_id)).size).toBe(12)
    expect(text).not.toContain('s1"')
    expect((await stowage.send('GET', '/v1/metrics')).text).toMatch(
      /stowage_experiment_requests_total\{experiment="size",variant="fewer",outcome="ok"\} \d+/,
    )
    expect((await stowage.send('GET', '/v1/experiments/other/outcomes')).status).toBe(404)
    expect((await stowage.send('POST', '/v1/experiments/other/reset')).status).toBe(404)
  })

  it('is judged by `stowage ab --url` from the outcomes of the running server, in the declared split', async () => {
    const before = new Date().toISOString()
    const treatment = { ...FEWER, name: 'same', payload: { type: 'json', value: '{"answerability.bonus":0}' } }
    const stowage = await start({ FLAGS_FILE: await flagsFile('stowage.experiment.bonus', [CONTROL, treatment]) })
    await fill(stowage.url, 'harbour', points.slice(0, 3))
    const sessions = Array.from({ length: 60 }, (_, number) => `s${number}`)
    for (const session of sessions) {
      const [answer, found] = await Promise.all([ask(stowage, session), search(stowage, session)])
      expect(variantOf(answer)).toMatch(/^bonus=(?:control|same)$/)
      expect(variantOf(found)).toBe(variantOf(answer))
    }
    // The times are real, so every verdict but a mismatch can come.
    const { text } = await ab('--url', stowage.url, '--since', before)
    expect(text).toMatch(/^experiment bonus: control \d\d requests of \d\d units\n/)
    expect(text).toMatch(
      /units: \w+ \d\d \(30 expected\), \w+ \d\d \(30 expected\); p [\d.]+, no sample-ratio mismatch/,
    )
    expect(text).toMatch(/failed share +│ 0\.00 % +│ 0\.00 %/)
    expect(text).toMatch(/verdict for same: (?!do not trust)/)
    const later = new Date(Date.now() + 60_000).toISOString()
    expect((await ab('--url', stowage.url, '--since', later)).error?.message).toMatch(
      /^no request .* 120 lines were read/,
    )
  })

  it('counts the searches of a batch as one unit in `stowage ab`, because they got their variant together', async () => {
    const traces = join(folder, 'traces.jsonl')
    const flags = await flagsFile('stowage.experiment.size', [CONTROL, FEWER], 'random')
    const stowage = await start({ FLAGS_FILE: flags, TRACE_FILE: traces })
    await fill(stowage.url, 'harbour', points)
    const one = { query: { text: 'sluice', model: 'qdrant/bm25' }, using: 'sparse', limit: 5, with_payload: true }
    const batches = 20
    for (let batch = 0; batch < batches; batch++)
      await stowage.send('POST', '/collections/harbour/points/query/batch', { searches: [one, one, one] })
    await open.pop()?.()
    const { experiments } = JSON.parse((await ab(traces, '--json')).text) as { experiments: ExperimentReport[] }
    const variants = experiments.flatMap(({ control, treatments }) => [control, ...treatments])
    const sum = (of: 'requests' | 'units') => variants.reduce((all, variant) => all + variant[of], 0)
    expect([sum('requests'), sum('units')]).toEqual([3 * batches, batches])
  })

  it('that is rolled back gives everyone the control on both routes, over a restart, until it is reset', async () => {
    const rollback = rolledBackBy('latency')
    const state = await stateFile(rollback)
    const environment = {
      FLAGS_FILE: await flagsFile('stowage.experiment.size', ALL_FEWER),
      ROLLOUT_STATE_FILE: state,
      EMBEDDED_PATH: join(folder, 'engine'),
    }
    const first = await start(environment)
    await fill(first.url, 'harbour', points)
    for (const request of [ask, search]) expect(variantOf(await request(first, 's'))).toBe('size=control')
    expect((await ask(first, 's')).json.chunks.length).toBeGreaterThan(2)
    expect((await first.send('GET', '/v1/experiments')).json).toEqual({
      experiments: [
        {
          experiment: 'size',
          rolled_back: { variant: 'fewer', trigger: 'latency', detail: 'worse', since: rollback.since },
          variants: [],
        },
      ],
    })
    expect((await first.send('GET', '/v1/metrics')).text).toContain(
      'stowage_experiment_rolled_back{experiment="size"} 1',
    )
    await open.pop()?.()

    const second = await start(environment)
    for (const request of [ask, search]) expect(variantOf(await request(second, 's'))).toBe('size=control')
    expect((await second.send('POST', '/v1/experiments/size/reset')).json).toEqual({
      experiment: 'size',
      was_rolled_back: true,
    })
    expect((await second.send('GET', '/v1/metrics')).text).toContain(
      'stowage_experiment_rolled_back{experiment="size"} 0',
    )
    for (const words of [[], ['--experiment', 'size']]) {
      const { text, error } = await ab('--url', second.url, ...words)
      expect([error, text]).toEqual([null, expect.stringMatching(/^not enough data: the server has no outcomes of /)])
      const printed = await ab('--url', second.url, ...words, '--json')
      expect(JSON.parse(printed.text)).toMatchObject({ experiments: [], verdict: 'not enough data' })
    }
    for (const misspelt of ['sise', 'no-such'])
      expect((await ab('--url', second.url, '--experiment', misspelt)).error).toMatchObject({
        code: 'bad_request',
        message: expect.stringMatching(new RegExp(`unknown experiment ${misspelt}; .*\\bsize\\b`)),
      })
    for (const request of [ask, search]) expect(variantOf(await request(second, 's'))).toBe('size=fewer')
    await open.pop()?.()
    expect((await ab('--url', second.url)).error).toMatchObject({ code: 'upstream_unavailable' })
    expect(JSON.parse(await readFile(state, 'utf8')).rollbacks).toEqual([])
  })

  it('is for operators only where there are tenants, and knows the sessions of tenants', async () => {
    const content = { ...declareTenants({ acme: {} }), operators: [{ sha256: keyHash('operator') }] }
    const file = await openTenantsFile(content)
    open.push(file.remove)
    const stowage = await start({
      TENANTS_FILE: file.path,
      FLAGS_FILE: await flagsFile('stowage.experiment.size', ALL_FEWER),
    })
    const key = (name: string) => ({ 'api-key': name })
    for (const [method, path] of [
      ['GET', '/v1/experiments'],
      ['GET', '/v1/experiments/size/outcomes'],
      ['POST', '/v1/experiments/size/reset'],
    ] as const) {
      for (const [headers, refused] of [
        [{}, 401],
        [key('guess'), 401],
        [key('acme'), 403],
      ] as const)
        expect((await stowage.send(method, path, undefined, headers)).status).toBe(refused)
    }
    expect((await stowage.send('GET', '/v1/experiments', undefined, key('operator'))).status).toBe(200)
    expect(variantOf(await search(stowage, 's1', key('acme')))).toBe('size=fewer')
  })
})

it('a shadow answers with the control, and stores its trace for the same caller', async () => {
  const plain = await start({})
  const stowage = await start({
    FLAGS_FILE: await flagsFile('stowage.shadow.size', [FEWER]),
    TRACE_FILE: join(folder, 'traces.jsonl'),
  })
  for (const { url } of [plain, stowage]) await fill(url, 'harbour', points)
  const withoutIds = (text: string) => text.replace(/"trace_id":"[^"]+"|"time":[\d.]+/g, '')
  for (const request of [ask, search]) {
    const answer = await request(stowage, 's', { 'api-key': 'mine' })
    expect(withoutIds(answer.text)).toBe(withoutIds((await request(plain, 's')).text))
    expect(variantOf(answer)).toBeNull()
    const id = answer.headers.get('x-stowage-trace-id') ?? contextResponseSchema.parse(answer.json).trace_id
    const read = async (traceId: string, key: string) =>
      stowage.send('GET', `/v1/traces/${traceId}`, undefined, { 'api-key': key })
    let shadow = await read(`${id}-shadow`, 'mine')
    while (shadow.status === 404) shadow = await read(`${id}-shadow`, 'mine')
    const [control, treatment] = [(await read(id, 'mine')).json as Trace, traceSchema.parse(shadow.json)]
    expect([control.shadow_of, treatment.shadow_of]).toEqual([null, id])
    expect([control.plan.rerank.topK, treatment.plan.rerank.topK].indexOf(2)).toBe(1)
    expect(treatment.counts.packed).toBe(2)
    expect(treatment.recall_proxy).toBeLessThan(control.recall_proxy ?? 0)
    expect((await read(`${id}-shadow`, 'other')).status).toBe(404)
  }
  const { text } = await stowage.send('GET', '/v1/metrics')
  expect(text).toContain('stowage_shadow_runs_total{outcome="compared"} 2')
  expect(text).toContain('stowage_shadow_overlap_ratio_count 2')
  // Metrics of answers count answers only.
  expect(text).toContain('stowage_context_tokens_count 1')
})

it('a process keeps to a rollback of before, and says so', { timeout: CHILD_PROCESS_MS }, async () => {
  const state = await stateFile(rolledBackBy('error_rate'))
  const environment = {
    FLAGS_FILE: await flagsFile('stowage.experiment.size', ALL_FEWER),
    ROLLOUT_STATE_FILE: state,
    LOG_LEVEL: 'warn',
  }
  const service = await startListening(['serve', '--port', '0'], environment)
  const body = JSON.stringify({ query: 'sluice', collection: 'none', session_id: 's' })
  const asked = await fetch(`${service.url}/v1/context`, { method: 'POST', body })
  expect(asked.headers.get('x-stowage-variant')).toBe('size=control')
  const { err } = await service.stop('SIGTERM')
  expect(err).toMatch(/still rolled back/)
})

it('a file of rollbacks that cannot be read stops the start', async () => {
  const state = join(folder, 'rollbacks.json')
  await writeFile(state, 'broken')
  await expect(openStowage({ ROLLOUT_STATE_FILE: state })).rejects.toThrow(
    /ROLLOUT_STATE_FILE=.*is not a file of rollbacks/,
  )
})
