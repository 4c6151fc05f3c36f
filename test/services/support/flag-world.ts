import { fileURLToPath } from 'node:url'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import { declareTenants } from '../../support/tenants-file.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { openFolder, runStowage, type StowageProcess, startEngine, startStowage } from './stowage.ts'
import { startUnleash, type Unleash } from './unleash.ts'

const DOCUMENT = fileURLToPath(new URL('../../../goldens/isharoth/corpus/glossary.md', import.meta.url))
const COLLECTION = 'docs'
/** How often stowage asks Unleash, in milliseconds. */
export const REFRESH_MS = 1_000
const OPERATOR_KEY = 'operator'
const QUESTION = 'What does the name Isharoth mean?'

/** The tenants of these tests; each has its name as its key, and the same document. */
export const TENANTS = ['acme', 'beta'] as const
export type TenantName = (typeof TENANTS)[number]

/** What one request shows of the plan that was decided for it. */
export interface Asked {
  status: number
  headers: Headers
  trace: Trace
}

export type FlagWorld = Awaited<ReturnType<typeof openFlagWorld>>

/** A real Unleash with its database, and all that a `stowage serve` of two tenants needs to use it. */
export async function openFlagWorld() {
  const tenants = { ...declareTenants({ acme: {}, beta: {} }), operators: [{ sha256: keyHash(OPERATOR_KEY) }] }
  const folder = await openFolder({ 'tenants.json': JSON.stringify(tenants) })
  const engine = await startEngine()
  for (const tenant of TENANTS)
    await runStowage(['ingest', DOCUMENT, '--collection', COLLECTION, '--source', tenant, '--tenant', tenant], {
      QDRANT_URL: engine.url,
    })
  const postgres: Postgres = await startPostgres()
  const unleash: Unleash = await startUnleash(postgres.url)
  const started: StowageProcess[] = []
  const environment = {
    QDRANT_URL: engine.url,
    TENANTS_FILE: folder.at('tenants.json'),
    RETRIEVAL_TRACE: 'on',
    UNLEASH_URL: unleash.url,
    UNLEASH_API_TOKEN: unleash.token,
    UNLEASH_REFRESH_MS: String(REFRESH_MS),
  }
  return {
    folder,
    postgres,
    unleash,
    environment,
    async startStowage(more: Record<string, string> = {}): Promise<StowageProcess> {
      const stowage = await startStowage({ ...environment, ...more })
      started.push(stowage)
      return stowage
    },
    async close(): Promise<void> {
      await Promise.all(started.map(stowage => stowage.stop()))
      await unleash.close()
      await postgres.close()
      await engine.stop()
      await folder.remove()
    },
  }
}

/** `POST /v1/context` with the key of a tenant. */
export async function ask(stowage: StowageProcess, tenant: TenantName, sessionId?: string): Promise<Asked> {
  const body = {
    query: QUESTION,
    collection: COLLECTION,
    budget_tokens: 500,
    ...(sessionId !== undefined && { session_id: sessionId }),
  }
  const { status, headers, json } = await stowage.send<{ trace: Trace }>('POST', '/v1/context', body, {
    'api-key': tenant,
  })
  return { status, headers, trace: json.trace }
}

/**
 * `x-stowage-applied` of a search on Qdrant's own path; null when stowage left it alone. It has the vector of a stored point, because
 * there is no model.
 */
export async function appliedToSearch(stowage: StowageProcess, tenant: TenantName): Promise<string | null> {
  const headers = { 'api-key': tenant, 'x-stowage-query': encodeURIComponent(QUESTION) }
  const path = `/collections/${COLLECTION}/points`
  const scrolled = await stowage.send<{ result: { points: { vector: { sparse: unknown } }[] } }>(
    'POST',
    `${path}/scroll`,
    { limit: 1, with_vector: ['sparse'] },
    headers,
  )
  const query = scrolled.json.result.points[0]?.vector.sparse
  const search = { query, using: 'sparse', limit: 5, with_payload: true }
  const answer = await stowage.send('POST', `${path}/query`, search, headers)
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer.headers.get('x-stowage-applied')
}

/** The samples of stowage's metrics whose line begins with `name`, as `series value`. */
export async function samplesOf(stowage: StowageProcess, name: string): Promise<string[]> {
  const { text } = await stowage.send('GET', '/v1/metrics', undefined, { 'api-key': OPERATOR_KEY })
  return text.split('\n').filter(line => line.startsWith(name))
}
