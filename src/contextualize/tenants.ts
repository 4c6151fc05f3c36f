import type { JsonObject, PointId } from '../core/types.ts'
import { isPlainPath } from '../qdrant/places-filter.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { keyOf, type Partition } from './documents/survey.ts'
import type { LiveCollection, LivePoint } from './live-collection.ts'

/** What the tenants of a collection allow. */
export interface TenantRules {
  partition: Partition
  /** Keys of those points that a tenant can read who does not allow the endpoint of the writer: their texts must not go there. */
  mustStay(ids: readonly PointId[]): Promise<ReadonlySet<string>>
}

/** The fields by which `stowage ingest` says who may read a point. */
const INGEST_FIELDS = ['tenant', 'space_id', 'acl']

/**
 * Finds out who can read the points of a collection. The conditions of tenants are asked of the server, because only it knows what they match.
 * @param tenants null in open mode: then the command of the operator is the permission
 * @param allowsEndpoint whether texts of a tenant may go where the writer sends them
 */
export async function openTenantRules(
  collection: LiveCollection,
  tenants: readonly Tenant[] | null,
  allowsEndpoint: (tenant: Tenant) => boolean,
): Promise<TenantRules> {
  const names = await collection.names()
  const readers = (tenants ?? []).filter(tenant => names.some(name => tenant.reaches(name)))
  const forbidding = readers.filter(tenant => !allowsEndpoint(tenant))
  const stamps = readers.flatMap(({ stamp }) => (stamp === null ? [] : [stamp.field]))
  const fields = [...new Set([...INGEST_FIELDS, ...stamps, ...(await collection.tenantFields()).map(readableField)])]
  const filtered = readers.filter(tenant => tenant.condition !== null && !isStampAlone(tenant))
  return {
    partition: { fields, readersOf: points => readersOf(points, filtered, collection) },
    async mustStay(ids) {
      if (forbidding.some(({ condition }) => condition === null)) return new Set(ids.map(keyOf))
      const should = forbidding.flatMap(({ condition }) => condition ?? [])
      return should.length === 0 || ids.length === 0 ? new Set() : collection.matching(ids, { should })
    },
  }
}

/** The first part of a path in Qdrant's grammar: `"quoted.key"` or plain. */
const FIRST_PART = /^(?:"([^"]*)"|([^."[\]]+))/u

/** A field whose value parts points at least as finely as this path: the outermost value for a path through quotes or lists. */
function readableField(path: string): string {
  const [, quoted, plain] = FIRST_PART.exec(path) ?? []
  return isPlainPath(path) ? path : (quoted ?? plain ?? path)
}

/** Whether the value of one field, which parts documents anyway, is all that the tenant is known by. */
function isStampAlone({ condition, stamp }: Tenant): boolean {
  const must: unknown = (condition as JsonObject | null)?.must
  return stamp !== null && Array.isArray(must) && must.length === 1
}

/** The names of the tenants whose filters match each point, as one text. */
async function readersOf(
  points: readonly LivePoint[],
  tenants: readonly Tenant[],
  collection: LiveCollection,
): Promise<ReadonlyMap<string, string>> {
  const readers = new Map<string, string>()
  for (const { name, condition } of tenants) {
    if (condition === null) continue
    const matched = await collection.matching(
      points.map(({ id }) => id),
      condition,
    )
    for (const key of matched) readers.set(key, `${readers.get(key) ?? ''}${JSON.stringify(name)}`)
  }
  return readers
}
