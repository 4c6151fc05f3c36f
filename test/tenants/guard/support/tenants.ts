import type { Tenant } from '../../../../src/tenants/tenant.ts'
import { tenantOfName } from '../../../support/tenants.ts'

/** A tenant that shares the collections whose names begin with `shared`. */
export function sharingTenant(changes: Partial<Tenant> = {}): Tenant {
  return tenantOfName('acme', { reaches: collection => collection.startsWith('shared'), ...changes })
}

/** A tenant with collections of its own. */
export function owningTenant(changes: Partial<Tenant> = {}): Tenant {
  return sharingTenant({
    condition: null,
    stamp: null,
    reaches: collection => collection.startsWith('own'),
    ...changes,
  })
}
