import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import { sendOk } from '../../support/send.ts'
import { openStowage } from '../../support/stowage.ts'
import { openTenantsFile } from '../../support/tenants-file.ts'

export const ACME_KEY = 'acme-key-0123456789abcdefghijklmnopqrstuvwxyz'
const BETA_KEY = 'beta-key-0123456789abcdefghijklmnopqrstuvwxyz'
/** Of a tenant that has the collections `whole-*` for itself. */
export const WHOLE_KEY = 'whole-key-0123456789abcdefghijklmnopqrstuvwxyz'

/** Operations besides those on points that the clients use. */
const ALLOWED = [
  'get_collections',
  'get_collection',
  'collection_exists',
  'create_collection',
  'get_collections_aliases',
]

export interface Access {
  url: string
  apiKey: string | undefined
}

/**
 * A client of the tenant acme, which shares the collections `shared-*` with beta, and a client of a Qdrant, or a stowage, that has nothing but
 * what this client writes. Both should see the same.
 * @param mode what stowage does with searches; the other client's stowage does the same, `passthrough` has none
 */
export async function openTwoWorlds(mode: 'improve' | 'passthrough') {
  const [shared, alone] = await Promise.all([startEmbeddedServer(), startEmbeddedServer()])
  const tenant = (key: string, more: object = {}) => ({ keys: [{ sha256: keyHash(key) }], allow: ALLOWED, ...more })
  const file = await openTenantsFile({
    tenants: {
      acme: tenant(ACME_KEY, { collections: ['shared-*'] }),
      beta: tenant(BETA_KEY, { collections: ['shared-*', 'private'] }),
      whole: tenant(WHOLE_KEY, {
        collections: ['whole-*'],
        whole_collections: true,
        allow: [...ALLOWED, 'delete_collection', 'create_field_index'],
      }),
    },
  })
  const withTenants = await openStowage({ QDRANT_URL: shared.url, STOWAGE_DROPIN: mode, TENANTS_FILE: file.path })
  const plain = mode === 'improve' ? await openStowage({ QDRANT_URL: alone.url, STOWAGE_DROPIN: mode }) : null
  return {
    tenant: { url: withTenants.url, apiKey: ACME_KEY } satisfies Access,
    alone: { url: plain?.url ?? alone.url, apiKey: undefined } satisfies Access,
    stowage: withTenants,
    /** The engine with the shared collections, without stowage in front. */
    engine: shared.url,
    /** Creates a collection of beta alone. */
    createPrivate: (name: string, parameters: object) => sendOk(shared.url, 'PUT', `/collections/${name}`, parameters),
    /** Creates a collection in both worlds, and fills the shared one with points of beta. */
    async create(name: string, parameters: object, foreign: object[], indexes: Record<string, string> = {}) {
      for (const { url } of [shared, alone]) {
        await sendOk(url, 'PUT', `/collections/${name}`, parameters)
        for (const [field_name, field_schema] of Object.entries(indexes))
          await sendOk(url, 'PUT', `/collections/${name}/index?wait=true`, { field_name, field_schema })
      }
      await sendOk(shared.url, 'PUT', `/collections/${name}/points?wait=true`, { points: foreign })
    },
    /** All points of a collection in the shared world that are not acme's, as they are stored. */
    async foreign(name: string): Promise<string> {
      const body = JSON.stringify({
        limit: 10_000,
        with_vector: true,
        filter: { must_not: [{ key: 'tenant', match: { value: 'acme' } }] },
      })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${shared.url}/collections/${name}/points/scroll`, { method: 'POST', headers, body })
      const { result } = (await answer.json()) as { result: object }
      return JSON.stringify(result)
    },
    async close() {
      await withTenants.close()
      await plain?.close()
      await Promise.all([shared.close(), alone.close(), file.remove()])
    },
  }
}

/** What differs between two worlds although nothing is wrong: times, the numbers of writes, and the field of the tenant. */
const OF_THE_WORLD = ['time', 'version', 'operation_id']

/**
 * A value without what differs between worlds. Random ids are replaced by numbers in the order in which they come.
 * @param isRandom whether a text is a random id
 */
export function comparable(value: unknown, isRandom: (text: string) => boolean = () => false): unknown {
  const names = new Map<string, string>()
  const visit = (inner: unknown, key = ''): unknown => {
    if (typeof inner === 'string') {
      if (!isRandom(inner)) return inner
      if (!names.has(inner)) names.set(inner, `random id ${names.size}`)
      return names.get(inner)
    }
    if (inner instanceof Error) {
      const { message, status, data } = inner as Error & { status?: number; data?: unknown }
      return { error: message, status, data: visit(data) }
    }
    if (Array.isArray(inner)) return inner.map(part => visit(part))
    if (typeof inner !== 'object' || inner === null) return inner
    const entries = Object.entries(inner)
      .filter(([name, part]) => part !== undefined && !OF_THE_WORLD.includes(name))
      .filter(([name]) => !(name === 'tenant' && ['payload', 'metadata'].includes(key)))
      .map(([name, part]) => [name, visit(part, name)] as const)
      // A payload that the tenant field alone was in.
      .filter(([name, part]) => !(name === 'payload' && JSON.stringify(part) === '{}'))
    return Object.fromEntries(entries)
  }
  return visit(value)
}

/** Runs steps one after the other, and keeps the answer or the error of each. */
export async function answersTo(steps: Record<string, () => Promise<unknown>>): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const [name, step] of Object.entries(steps)) answers[name] = await step().catch((error: unknown) => error)
  return answers
}
