import { setTimeout as sleep } from 'node:timers/promises'
import { keyHash } from '../../../../src/tenants/keys.ts'
import { pathInRepository, readIsharoth } from '../../../bench/world.ts'
import { send } from '../../../support/send.ts'
import { openFolder, runStowage, startStowage } from '../../support/stowage.ts'
import { startFlagsServer } from './flags-server.ts'

const OPERATOR = 'key-of-the-operator'
const PAUSE_MS = 100

/** `acme` has the documents. `beta` may send one request per second, and sends more. */
const TENANTS = {
  operators: [{ sha256: keyHash(OPERATOR) }],
  tenants: {
    acme: {
      keys: [{ sha256: keyHash('acme') }],
      collections: ['docs'],
      whole_collections: true,
      allow: ['get_collection'],
    },
    beta: { keys: [{ sha256: keyHash('beta') }], collections: ['beta'], rate_limit: { per_second: 1, burst: 1 } },
  },
}

export type WatchedStowage = Awaited<ReturnType<typeof startWatchedStowage>>

/** `stowage serve` with models, documents, tenants and flags, and clients that do what clients do, also wrong things, until it is closed. */
export async function startWatchedStowage() {
  const folder = await openFolder({ 'tenants.json': JSON.stringify(TENANTS) })
  const flags = await startFlagsServer()
  const engine = { EMBEDDED_PATH: folder.at('engine'), EMBEDDER: 'local' }
  await runStowage(['ingest', pathInRepository('goldens/isharoth/corpus'), '--collection', 'docs'], engine)
  const stowage = await startStowage({
    ...engine,
    RERANKER: 'crossencoder',
    LOG_LEVEL: 'warn',
    TENANTS_FILE: folder.at('tenants.json'),
    UNLEASH_URL: flags.url,
    UNLEASH_API_TOKEN: 'default:development.token-of-the-test',
    UNLEASH_REFRESH_MS: '1000',
    CACHE_TTL_MS: '60000',
    SLOW_REQUEST_MS: '50',
  })
  const over = new AbortController()
  const clients = sendRequests(stowage.url, over.signal)
  return {
    url: stowage.url,
    operatorKey: OPERATOR,
    output: stowage.output,
    metrics: async () => (await send(stowage.url, 'GET', '/v1/metrics', undefined, { 'api-key': OPERATOR })).text,
    async close() {
      over.abort()
      await clients
      await stowage.stop()
      await flags.close()
      await folder.remove()
    },
  }
}

/** The requests of clients in turns, a few at a time. */
async function sendRequests(url: string, over: AbortSignal): Promise<void> {
  const questions = (await readIsharoth()).queries.map(({ query }) => query)
  const as = (tenant: string, more: Record<string, string> = {}) => ({ 'api-key': tenant, ...more })
  const context = (body: object) => send(url, 'POST', '/v1/context', { collection: 'docs', ...body }, as('acme'))
  const points = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(url, 'POST', `/collections/docs/points${path}`, body, as('acme', headers))
  const { json } = await points('/scroll', { limit: 20, with_vector: ['dense'] })
  const vectors = (json as { result: { points: { vector: { dense: number[] } }[] } }).result.points.map(
    ({ vector }) => vector.dense,
  )

  for (let turn = 0; !over.aborted; turn++) {
    const query = questions[turn % questions.length] ?? ''
    const session = `session-${turn}`
    const search = { query: vectors[turn % vectors.length], using: 'dense', limit: 10, with_payload: true }
    const requests: Promise<unknown>[] = [
      ...[1, 2, 3].map(at => context({ query, budget_tokens: 600 + 100 * at, session_id: `${session}-${at}` })),
      points('/query', search, { 'x-stowage-query': encodeURIComponent(query), 'x-stowage-session': session }),
      send(url, 'GET', '/collections/docs', undefined, as('acme')),
      send(url, 'POST', '/v1/context', { collection: 'beta', query }, as('beta')),
    ]
    if (turn % 5 === 0) {
      requests.push(
        // From the cache.
        context({ query: questions[0], budget_tokens: 500 }),
        // Degraded: a tokenizer that is not known.
        context({ query, model: 'unknown-model' }),
        // Wrong, and not understood.
        context({ budget_tokens: 500 }),
        points('/query', { query: { recommend: { positive: [vectors[0]] } }, using: 'dense' }),
        // Not the tenant's own.
        send(url, 'GET', '/collections/other', undefined, as('acme')),
        // A point without text, for a collection that stowage has made.
        send(url, 'PUT', '/collections/docs/points', { points: [{ id: 1, vector: {}, payload: {} }] }, as('acme')),
      )
    }
    await Promise.allSettled(requests)
    await sleep(PAUSE_MS)
  }
}
