import { request } from 'undici'
import type { Health, HealthCheck } from '../http/operations-routes.ts'
import type { Models } from './models.ts'
import type { Upstream } from './upstream.ts'

const CHECK_MS = 2_000

/** Ready when Qdrant answers; a missing model only degrades, but is told. */
export function createHealth(upstream: Upstream, { absent }: Pick<Models, 'absent'>): Health {
  return {
    ready: async () => {
      const qdrant = await checkQdrant(upstream)
      const models = [modelCheck('embedder', absent.embedder), modelCheck('reranker', absent.reranker)]
      return { ready: qdrant.ok, checks: [qdrant, ...models] }
    },
  }
}

async function checkQdrant({ url }: Upstream): Promise<HealthCheck> {
  try {
    const { statusCode, body } = await request(new URL('/readyz', url), { signal: AbortSignal.timeout(CHECK_MS) })
    await body.dump()
    return statusCode < 500
      ? { name: 'qdrant', ok: true }
      : { name: 'qdrant', ok: false, detail: `${url} answers ${statusCode}` }
  } catch (error) {
    return {
      name: 'qdrant',
      ok: false,
      detail: `${url} does not answer: ${error instanceof Error ? error.message : error}`,
    }
  }
}

function modelCheck(name: string, absent: string | null): HealthCheck {
  return absent === null ? { name, ok: true } : { name, ok: false, detail: absent }
}
