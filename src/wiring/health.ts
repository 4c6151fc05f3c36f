import { redactUrls } from '../core/redact-urls.ts'
import type { Health, HealthCheck } from '../http/operations-routes.ts'
import type { QdrantHttp } from '../qdrant/client.ts'
import type { Models } from './models.ts'
import type { Flags } from './rollout/flags.ts'
import type { ReloadedTenants } from './tenants.ts'

const CHECK_MS = 2_000
const REFUSED = 'the file has changed and has faults; the tenants of before are used; see the log'
const FLAGS_REFUSED = 'a file of flags or plans has changed and has faults; the content of before is used; see the log'
const CONTEXTS_PAUSE = 'contexts of new points pause; see the log'
const SHARED_AWAY = 'REDIS_URL cannot be used; this process goes on alone; see the log'

interface Reported {
  tenants?: Pick<ReloadedTenants, 'refusal'> | null
  flags?: Pick<Flags, 'state'> | null
  /** Why contexts of new points are not written. */
  contexts?: { readonly pauses: readonly string[] }
  /** The store that processes share. */
  shared?: { fault(): string | null } | null
}

/**
 * Ready when Qdrant answers. An unavailable model, a refused file, and an Unleash server or a shared store that is away are reported, but requests can be
 * answered all the same. Everybody may read this, so no tenant is named.
 */
export function createHealth(
  http: QdrantHttp,
  models: Pick<Models, 'unavailable'>,
  { tenants = null, flags = null, contexts = { pauses: [] }, shared = null }: Reported = {},
): Health {
  return {
    ready: async () => {
      const qdrant = await checkQdrant(http)
      const { embedder, reranker } = models.unavailable
      const checks = [qdrant, check('embedder', embedder), check('reranker', reranker)]
      if (tenants !== null) checks.push(check('tenants', tenants.refusal && REFUSED))
      const { files = null, unleash = null } = flags?.state() ?? {}
      if (files !== null) checks.push(check('flags', files === 'refused' ? FLAGS_REFUSED : null))
      if (unleash !== null) checks.push(check('unleash', unleash.error && `${unleash.error}; ${unleash.instead}`))
      if (shared !== null) checks.push(check('shared store', shared.fault() === null ? null : SHARED_AWAY))
      // Everybody may read this: the log names the collection and what it lacks.
      if (contexts.pauses.length > 0) checks.push(check('contexts', CONTEXTS_PAUSE))
      return { ready: qdrant.ok, checks }
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
