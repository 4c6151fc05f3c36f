import { redactUrls } from '../core/redact-urls.ts'
import type { Health, HealthCheck } from '../http/operations-routes.ts'
import type { QdrantHttp } from '../qdrant/client.ts'
import type { Models } from './models.ts'

const CHECK_MS = 2_000

/** Ready when Qdrant answers. An unavailable model is reported, but requests can be answered without it. */
export function createHealth(http: QdrantHttp, models: Pick<Models, 'unavailable'>): Health {
  return {
    ready: async () => {
      const qdrant = await checkQdrant(http)
      const { embedder, reranker } = models.unavailable
      return { ready: qdrant.ok, checks: [qdrant, check('embedder', embedder), check('reranker', reranker)] }
    },
  }
}

async function checkQdrant(http: QdrantHttp): Promise<HealthCheck> {
  const signal = AbortSignal.timeout(CHECK_MS)
  const fault = await http.readRaw({ method: 'GET', path: '/readyz', headers: [], signal }).then(
    ({ status }) => (status < 500 ? null : `Qdrant answers ${status}`),
    (error: Error) => error.message,
  )
  return check('qdrant', fault)
}

function check(name: string, fault: string | null): HealthCheck {
  return fault === null ? { name, ok: true } : { name, ok: false, detail: redactUrls(fault) }
}
