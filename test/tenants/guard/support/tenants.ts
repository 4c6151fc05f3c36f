import type { Tenant } from '../../../../src/tenants/tenant.ts'

/** A tenant that shares the collections whose names begin with `shared`. */
export function sharingTenant(changes: Partial<Tenant> = {}): Tenant {
  return {
    name: 'acme',
    reaches: collection => collection.startsWith('shared'),
    condition: { key: 'tenant', match: { value: 'acme' } },
    stamp: { field: 'tenant', value: 'acme' },
    upstreamKey: null,
    readOnly: false,
    allowedOperations: new Set(),
    limits: { rate: null, concurrency: null },
    ...changes,
  }
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
