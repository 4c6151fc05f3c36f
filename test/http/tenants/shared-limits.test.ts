import { afterEach, expect, it, vi } from 'vitest'
import { authenticate } from '../../../src/http/tenants/authenticate.ts'
import { createTenantLimiter } from '../../../src/http/tenants/limits.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import { matchRoute } from '../../../src/tenants/guard/match.ts'
import { breakable, openReplica } from '../../adapters/shared/support/replica.ts'
import { deferred } from '../../support/deferred.ts'
import { createInProcessStore } from '../../support/in-process-store.ts'
import { type Answer, send } from '../../support/send.ts'
import { createStage, silentReporter } from '../../support/stage.ts'
import { tenantOfName } from '../../support/tenants.ts'

const stage = createStage()
afterEach(() => stage.close())

const RATE = { perSecond: 0.01, burst: 6 }

/** A replica that asks a shared bucket. `hold` lets its requests wait for the bucket until it resolves. */
async function serve(
  take: Parameters<typeof createTenantLimiter>[1],
  limits: { rate: typeof RATE | null; concurrency: number | null },
) {
  const limiter = createTenantLimiter(silentReporter, take)
  const passed: string[] = []
  const { url } = await stage.serve({
    admitTenant: [authenticate({ find: key => tenantOfName(key ?? '', { limits }) }), limiter.handler],
    guard: { http: createQdrantHttp('http://127.0.0.1:1'), matchRoute },
    passthrough: (request, response) => {
      passed.push(request.url ?? '')
      response.setHeader('content-type', 'application/json').end('{"result":{},"status":"ok"}')
    },
  })
  const ask = (signal?: AbortSignal): Promise<Answer> =>
    signal
      ? fetch(`${url}/collections/c/points/query`, {
          method: 'POST',
          body: '{}',
          headers: { 'api-key': 'a' },
          signal,
        }).then(() => Promise.reject(new Error('it was to be given up')))
      : send(url, 'POST', '/collections/c/points/query', {}, { 'api-key': 'a' })
  return { ask, passed }
}

it('replicas admit together what one would, and each goes on alone when the store is away', async () => {
  const { store, state } = breakable(createInProcessStore())
  const replicas = await Promise.all(
    [1, 2, 3].map(() => {
      const { values } = openReplica(store)
      return serve({ takeShared: (tenant, rate) => values.takeToken(tenant, rate) }, { rate: RATE, concurrency: null })
    }),
  )
  const askAll = async (each: number) => {
    const answers = await Promise.all(replicas.flatMap(({ ask }) => Array.from({ length: each }, () => ask())))
    return answers.filter(({ status }) => status === 200).length
  }
  expect(await askAll(4)).toBe(6)
  state.isAway = true
  // Each has a bucket of its own, of which four tokens are gone.
  expect(await askAll(4)).toBe(6)
})

it('a client that leaves while the bucket is asked takes no place, and its request goes nowhere', async () => {
  const held = deferred<null>()
  const limits = { rate: { perSecond: 100, burst: 100 }, concurrency: 1 }
  const asked = deferred<void>()
  const takeShared = () => {
    asked.resolve()
    return held.promise
  }
  const { ask, passed } = await serve({ takeShared }, limits)
  const gone = new AbortController()
  const leaving = ask(gone.signal).catch(() => 'gone')
  await asked.promise
  gone.abort()
  expect(await leaving).toBe('gone')
  await vi.waitFor(async () => {
    const waiting = ask()
    held.resolve(null)
    expect((await waiting).status).toBe(200)
  })
  expect(passed).toHaveLength(1)
})
