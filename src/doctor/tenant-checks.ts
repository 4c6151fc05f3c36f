import type { Seen } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { reaches, type TenantFacts } from './tenant-facts.ts'

/** Checks that every tenant reaches its points, and that every point is marked. */
export function checkTenants(seen: Seen<TenantFacts>): Finding[] {
  if (seen.fault !== null) {
    const fix = 'Give doctor a key that may read all collections (QDRANT_API_KEY or --api-key).'
    return [fail('tenants', seen.fault, fix)]
  }
  const { facts } = seen
  return [checkReach(facts), checkUnreached(facts), checkIndexes(facts), checkMarks(facts)]
}

/** Requests of a tenant that reaches no collection are all refused. One that may create collections can begin with none. */
function checkReach({ tenants, collections }: TenantFacts): Finding {
  const without = tenants.filter(
    tenant =>
      !tenant.allowedOperations.has('create_collection') &&
      !collections.some(collection => reaches(tenant, collection)),
  )
  if (without.length === 0) return ok('tenants', `${tenants.length} declared, and each reaches a collection`)
  return fail(
    'tenants',
    `the collections of ${listed(without.map(({ name }) => name))} match no collection and no alias, so all of their requests are refused`,
    'Correct `collections` of these tenants in TENANTS_FILE, or create the collections.',
  )
}

function checkUnreached({ tenants, collections }: TenantFacts): Finding {
  const unreached = collections.filter(collection => !tenants.some(tenant => reaches(tenant, collection)))
  const check = 'tenant reach'
  if (unreached.length === 0) return ok(check, `every collection is open to a tenant (${collections.length})`)
  return warn(
    check,
    `no tenant reaches ${listed(unreached.map(({ name }) => name))}`,
    'Name these collections under `collections` of a tenant in TENANTS_FILE. When clients have no use for them, nothing is to be done.',
  )
}

/** Every search of a tenant filters by the field. `is_tenant` lets Qdrant store the points of each tenant together. */
function checkIndexes({ markings }: TenantFacts): Finding {
  const check = 'tenant index'
  const unsuited = markings.filter(({ index }) => index?.type !== 'keyword' && index?.type !== 'uuid')
  const scattered = markings.filter(marking => !unsuited.includes(marking) && !marking.index?.isTenant)
  const [first] = [...unsuited, ...scattered]
  if (first === undefined) return ok(check, markings.length === 0 ? 'none needed' : placesOf(markings))
  const faults = [
    ...(unsuited.length === 0 ? [] : [`no keyword index on ${placesOf(unsuited)}: every request scans the collection`]),
    ...(scattered.length === 0
      ? []
      : [`an index without is_tenant on ${placesOf(scattered)}: the points of a tenant are not stored together`]),
  ]
  const schema = JSON.stringify({ field_name: first.field, field_schema: { type: 'keyword', is_tenant: true } })
  const path = `/collections/${first.collection}/index`
  const replacing = first.index === null ? '' : `DELETE ${path}/${first.field}, then `
  return warn(check, faults.join('; '), `For each of them: ${replacing}PUT ${path} ${schema}`)
}

/** A point without the field belongs to nobody: no tenant finds it. */
function checkMarks({ markings }: TenantFacts): Finding {
  const check = 'tenant points'
  const unmarked = markings.filter(marking => marking.unmarked > 0)
  const [first] = unmarked
  if (first === undefined) return ok(check, 'every point of a shared collection is marked')
  const counts = unmarked.map(
    ({ collection, field, unmarked: without, points }) =>
      `${without} of ${points} points of ${collection} have no ${field}`,
  )
  const filter = JSON.stringify({ must: [{ is_empty: { key: first.field } }] })
  return warn(
    check,
    `${listed(counts, '; ')}: no tenant finds them`,
    `Set the field of these points, or delete them, with the filter ${filter}: POST /collections/${first.collection}/points/payload or …/points/delete.`,
  )
}

function placesOf(markings: TenantFacts['markings']): string {
  return listed(markings.map(({ collection, field }) => `${field} in ${collection}`))
}

const MOST_LISTED = 5

function listed(names: readonly string[], separator = ', '): string {
  const more = names.length - MOST_LISTED
  return names.slice(0, MOST_LISTED).join(separator) + (more > 0 ? `${separator}and ${more} more` : '')
}
