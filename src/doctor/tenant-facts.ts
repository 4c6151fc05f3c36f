import type { Json } from '../core/types.ts'
import { isObject } from '../qdrant/json.ts'
import type { Tenant } from '../tenants/tenant.ts'

/** Reads from Qdrant what the checks of tenants need. All methods throw StowageError. */
export interface TenantProbe {
  /** All collections, with their aliases. */
  names(): Promise<CollectionName[]>
  marking(collection: string, field: string): Promise<Marking>
}

export interface CollectionName {
  name: string
  aliases: string[]
}

/** How the points of a collection are marked with their tenant. */
export interface Marking {
  /** The payload index on the field; null when there is none. */
  index: { type: string; isTenant: boolean } | null
  points: number
  /** Points without the field. */
  unmarked: number
}

export interface TenantFacts {
  tenants: readonly Tenant[]
  collections: CollectionName[]
  /** For each collection that a tenant shares, by the field that marks its points. */
  markings: (Marking & { collection: string; field: string })[]
}

/** Reads the facts about all collections that tenants reach. @throws StowageError when Qdrant refuses or fails */
export async function gatherTenantFacts(tenants: readonly Tenant[], probe: TenantProbe): Promise<TenantFacts> {
  const collections = await probe.names()
  const markings: TenantFacts['markings'] = []
  for (const collection of collections) {
    const fields = tenants.filter(tenant => reaches(tenant, collection)).flatMap(tenant => markedBy(tenant) ?? [])
    for (const field of new Set(fields)) {
      markings.push({ collection: collection.name, field, ...(await probe.marking(collection.name, field)) })
    }
  }
  return { tenants, collections, markings }
}

/** Whether a tenant reaches a collection by its name or by an alias. */
export function reaches(tenant: Tenant, { name, aliases }: CollectionName): boolean {
  return [name, ...aliases].some(known => tenant.reaches(known))
}

/** The field that the points of a tenant are found by; null when it has whole collections, or another kind of filter. */
function markedBy({ stamp, condition }: Tenant): string | null {
  if (stamp !== null) return stamp.field
  const [first]: Json[] = Array.isArray(condition?.must) ? condition.must : []
  return isObject(first) && typeof first.key === 'string' && 'match' in first ? first.key : null
}
