import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmbeddingEndpoint, VECTOR } from '../acceptance/support/embedding-endpoint.ts'
import { until } from '../services/support/wait.ts'
import { chunk, fill, upsert } from '../support/points.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type RunningWorkers, startWorkers, WORKERS } from './support/workers.ts'

/** Several processes look like one service to whoever uses it. */

const TREATMENT = {
  name: 'fewer',
  weight: 1_000,
  payload: { type: 'json', value: '{"rerank.topK":2,"packing.maxOverflows":0}' },
}
const VARIANTS = [{ name: 'control', weight: 0 }, TREATMENT].map(variant => ({ ...variant, stickiness: 'sessionId' }))
const FLAGS = {
  version: 2,
  features: [
    {
      name: 'stowage.experiment.size',
      type: 'experiment',
      enabled: true,
      strategies: [
        {
          name: 'flexibleRollout',
          parameters: { rollout: '100', stickiness: 'sessionId', groupId: 'size' },
          constraints: [],
          variants: VARIANTS,
        },
      ],
    },
  ],
}
const ROLLBACK = {
  experiment: 'size',
  variant: 'fewer',
  trigger: 'latency',
  detail: 'worse',
  since: '2026-01-01T00:00:00Z',
}

let folder: string
let stowage: RunningWorkers
let endpoint: Awaited<ReturnType<typeof startEmbeddingEndpoint>>
beforeAll(async () => {
  endpoint = await startEmbeddingEndpoint()
  folder = temporaryFolder('stowage-workers')
  await writeFile(join(folder, 'flags.json'), JSON.stringify(FLAGS))
  await writeFile(join(folder, 'rollbacks.json'), JSON.stringify({ version: 1, rollbacks: [ROLLBACK] }))
  stowage = await startWorkers({
    EMBEDDED_PATH: join(folder, 'engine'),
    TRACE_FILE: join(folder, 'traces.jsonl'),
    UI: 'on',
    CACHE_TTL_MS: '600000',
    MCP: 'on',
    EMBEDDINGS_RELAY_URL: endpoint.environment.OPENAI_BASE_URL,
    FLAGS_FILE: join(folder, 'flags.json'),
    ROLLOUT_STATE_FILE: join(folder, 'rollbacks.json'),
  })
  await fill(
    stowage.url,
    'harbour',
    Array.from({ length: 6 }, (_, at) => chunk(at + 1, `The sluice and gate ${at} are described here.`)),
  )
})
afterAll(async () => {
  await stowage?.stop('SIGKILL')
  await endpoint.stop()
})

const ask = (more: object = {}) =>
  stowage.sendToAll('POST', '/v1/context', { query: 'sluice', collection: 'harbour', ...more })
const sampleOf = (page: string, series: string) =>
  Number(
    page
      .split('\n')
      .find(line => line.startsWith(`${series} `))
      ?.slice(series.length + 1)
      .split(' ')[0],
  )
const contextsOf = (page: string) => sampleOf(page, 'stowage_requests_total{endpoint="context",outcome="ok"}')

/** A busy worker counts a little after its answer, and may be late with its metrics. */
const COUNTED = { timeout: 20_000, interval: 200 }

describe('several workers', () => {
  it('say once that they listen, and warn once', () => {
    expect(stowage.written.out).toMatch(
      /^stowage listens on http:\/\/127\.0\.0\.1:\d+ · upstream embedded engine · .* · workers 2\n$/u,
    )
  })

  it('find every trace, whichever of them made it, for its owner alone', async () => {
    const answers = await ask({ session_id: 'a' })
    expect(stowage.workerPids()).toHaveLength(WORKERS)
    for (const { text } of answers) {
      const { trace_id: id } = JSON.parse(text)
      const found = await stowage.sendToAll('GET', `/v1/traces/${id}`)
      expect(found.map(({ status, text }) => [status, JSON.parse(text).trace_id])).toEqual(found.map(() => [200, id]))
      const foreign = await stowage.sendToAll('GET', `/v1/traces/${id}`, undefined, { 'api-key': 'other' })
      expect(foreign.map(({ status }) => status)).toEqual(foreign.map(() => 404))
    }
  })

  it('list the same traces, the newest first, for their owner alone', async () => {
    const lists = await stowage.sendToAll('GET', '/v1/traces?limit=500')
    const [first = [], ...others] = lists.map(({ text }) => idsAndTimes(text))
    expect(first.length).toBeGreaterThan(1)
    expect(first.map(({ at }) => at)).toEqual(
      first
        .map(({ at }) => at)
        .sort()
        .reverse(),
    )
    for (const other of others) expect(new Set(other.map(({ id }) => id))).toEqual(new Set(first.map(({ id }) => id)))
    const foreign = await stowage.sendToAll('GET', '/v1/traces', undefined, { 'api-key': 'other' })
    expect(foreign.map(({ text }) => JSON.parse(text).traces)).toEqual(foreign.map(() => []))
  })

  it('write one file of traces, line by line', async () => {
    const answers = await ask({ session_id: 'b' })
    const wanted = answers.map(({ text }) => JSON.parse(text).trace_id)
    const path = join(folder, 'traces.jsonl')
    const ids = await until('the file has every trace', async () => {
      const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').slice(0, -1)
      const ids = lines.map(line => JSON.parse(line).trace_id)
      return wanted.every(id => ids.includes(id)) ? ids : undefined
    })
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('answer the same sum of their metrics, in both formats', async () => {
    const before = contextsOf((await stowage.send('GET', '/v1/metrics')).text)
    const answers = await ask({ session_id: 'c' })
    const pages = await stowage.sendToAll('GET', '/v1/metrics')
    for (const { text, headers } of pages) {
      expect(contextsOf(text)).toBe(before + answers.length)
      expect(sampleOf(text, 'stowage_workers')).toBe(WORKERS)
      expect(sampleOf(text, 'stowage_worker_restarts_total')).toBe(0)
      expect(text.match(/^process_start_time_seconds /gmu)).toHaveLength(1)
      expect(text.match(/^stowage_build_info\{.*\} 1$/gmu)).toHaveLength(1)
      expect(headers['content-type']).toContain('text/plain')
      expect(text).not.toContain('# {')
    }
    const open = await stowage.sendToAll('GET', '/v1/metrics', undefined, { accept: 'application/openmetrics-text' })
    for (const { text, headers } of open) {
      expect(headers['content-type']).toContain('application/openmetrics-text')
      expect(text).toContain('# TYPE stowage_requests counter\n')
      expect(contextsOf(text)).toBe(before + answers.length)
      expect(text).not.toContain('_total_total')
      expect(text).toMatch(/stowage_request_seconds_bucket\{.*\} \d+ # \{trace_id="[^"]+"/u)
      expect(text).toMatch(/\n# EOF\n$/u)
    }
  })

  it('forget cached answers together when one of them sees a write', async () => {
    await ask()
    const cached = await ask()
    expect(cached.map(({ text }) => JSON.parse(text).context.includes('new pier'))).toEqual(cached.map(() => false))
    await upsert(stowage.url, 'harbour', [chunk(99, 'The sluice at the new pier.')])
    await until('all workers answer with the new point', async () => {
      const now = await ask()
      return now.every(({ text }) => JSON.parse(text).context.includes('new pier')) || undefined
    })
  })

  it('share the rollback of an experiment, its outcomes and its reset', async () => {
    const variants = async () => [
      ...new Set((await ask({ session_id: 'd' })).map(({ headers }) => headers['x-stowage-variant'])),
    ]
    expect(await variants()).toEqual(['size=control'])
    const shown = await stowage.sendToAll('GET', '/v1/experiments')
    expect(new Set(shown.map(({ text }) => text)).size).toBe(1)
    expect(JSON.parse(shown[0]?.text ?? '')).toMatchObject({
      experiments: [{ experiment: 'size', rolled_back: { variant: 'fewer' } }],
    })
    expect((await stowage.send('POST', '/v1/experiments/size/reset')).status).toBe(200)
    await until('all workers give the treatment', async () =>
      (await variants()).join() === 'size=fewer' ? true : undefined,
    )
    const requests = (await ask({ session_id: 'e' })).length
    await until('the outcomes of all workers are counted', async () => {
      const { text } = await stowage.send('GET', '/v1/experiments')
      const [{ variants }] = JSON.parse(text).experiments
      return variants.length === 1 && variants[0].requests >= requests ? true : undefined
    })
  })

  it('know the question of a vector that passed through one of them, each for its own caller', async () => {
    const lookups = async () => {
      const { text } = await stowage.send('GET', '/v1/metrics')
      const of = (result: string) => sampleOf(text, `stowage_relay_lookups_total{result="${result}"}`)
      return { exact: of('exact'), unknown: of('unknown') }
    }
    expect((await stowage.send('POST', '/v1/embeddings', { model: 'm', input: ['What is a sluice?'] })).status).toBe(
      200,
    )
    /** The number of searches that a worker has not passed through because it was busy, as under the load of other tests. */
    const searchAll = async (query: readonly number[]) => {
      const search = { query, using: 'dense', limit: 2 }
      const found = await stowage.sendToAll('POST', '/collections/harbour/points/query', search)
      expect(found.map(({ status }) => status)).toEqual(found.map(() => 200))
      return found.filter(({ headers }) => headers['x-stowage-degraded'] !== 'busy').length
    }
    const first = await searchAll(VECTOR)
    await expect.poll(lookups, COUNTED).toEqual({ exact: first, unknown: 0 })
    // The same vector for another text of another caller: were it visible, the question would be ambiguous.
    const otherKey = { 'x-stowage-api-key': 'other' }
    await stowage.sendToAll('POST', '/v1/embeddings', { model: 'm', input: ['Of another key'] }, otherKey)
    const exact = first + (await searchAll(VECTOR))
    await expect.poll(lookups, COUNTED).toEqual({ exact, unknown: 0 })
    const unknown = await searchAll(VECTOR.map(value => -value))
    expect(Math.min(first, exact - first, unknown)).toBeGreaterThan(0)
    await expect.poll(lookups, COUNTED).toEqual({ exact, unknown })
  })

  it('pass requests of agents on to the one worker that has their jobs', async () => {
    const call = (name: string, args: object) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    })
    const headers = { accept: 'application/json, text/event-stream' }
    const answers = await stowage.sendToAll(
      'POST',
      '/mcp',
      call('search', { query: 'sluice', collection: 'harbour' }),
      headers,
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const rebound = await stowage.sendToAll('POST', '/mcp', call('search', {}), { ...headers, host: 'evil.example' })
    expect(rebound.map(({ status }) => status)).toEqual(rebound.map(() => 403))
    const handlers = stowage.log().filter(({ route }) => route === 'POST /mcp')
    expect(new Set(handlers.map(({ pid }) => pid)).size).toBe(1)
  })

  it('end without losing a trace, and leave the engine as it was', async () => {
    const answers = await ask({ session_id: 'last' })
    const { code } = await stowage.stop('SIGTERM')
    expect(code).toBe(0)
    const text = await readFile(join(folder, 'traces.jsonl'), 'utf8')
    for (const answer of answers) expect(text).toContain(JSON.parse(answer.text).trace_id)
    expect(JSON.parse(await readFile(join(folder, 'rollbacks.json'), 'utf8')).rollbacks).toEqual([])
  })
})

function idsAndTimes(list: string): { id: string; at: string }[] {
  const { traces } = JSON.parse(list) as { traces: { trace_id: string; started_at: string }[] }
  return traces.map(({ trace_id: id, started_at: at }) => ({ id, at }))
}
