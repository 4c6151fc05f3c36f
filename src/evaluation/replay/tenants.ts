import { isDeepStrictEqual } from 'node:util'
import { deepFreeze } from '../../core/deep-freeze.ts'
import { badRequest } from '../../core/errors.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { isObject } from '../../qdrant/json.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import type { GoldenSet } from '../golden-set/golden-set.ts'

/** The tenants that golden queries can name. */
export interface ReplayTenants {
  tenants: readonly Pick<Tenant, 'name' | 'condition' | 'plan'>[]
  /** The plan of the configuration, which the plans of tenants change. */
  configured: Plan
}

/** The tenant of a query. @throws StowageError `bad_request` when it is not declared */
export function tenantOf(query: { id: string; tenant: string }, declared: ReplayTenants | null) {
  const found = declared?.tenants.find(({ name }) => name === query.tenant)
  if (found !== undefined) return found
  const reason = declared === null ? 'TENANTS_FILE is not set' : 'TENANTS_FILE declares no such tenant'
  throw badRequest(`query ${query.id} asks as tenant ${query.tenant}: ${reason}`)
}

/** What the figures of a set depend on, of its tenants. @throws StowageError `bad_request` when one is not declared */
export function tenantsOf({ queries }: GoldenSet, declared: ReplayTenants | null) {
  const asking = queries.flatMap(({ id, tenant }) => (tenant === null ? [] : [tenantOf({ id, tenant }, declared)]))
  return [...new Set(asking)].map(({ name, condition, plan = null }) => ({ name, condition, plan }))
}

/**
 * The plan of an arm for a tenant. A value of the tenant's plan holds where the arm has the value of the configuration. Where the arm
 * differs, it keeps its own value, because that is what is measured.
 */
export function planForTenant(arm: Plan, tenant: Plan | undefined, configured: Plan): Plan {
  return tenant === undefined ? arm : deepFreeze(merged(arm, tenant, configured) as Plan)
}

/** A three-way merge of values of one shape. */
function merged(arm: unknown, tenant: unknown, configured: unknown): unknown {
  if (!isObject(arm) || !isObject(tenant) || !isObject(configured))
    return isDeepStrictEqual(arm, configured) ? tenant : arm
  return Object.fromEntries(Object.keys(arm).map(key => [key, merged(arm[key], tenant[key], configured[key])] as const))
}
