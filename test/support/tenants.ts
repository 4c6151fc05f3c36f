import type { Tenant } from '../../src/tenants/tenant.ts'

/** A tenant of this name with points of its own in every collection and without limits; a test gives what it looks at. */
export function tenantOfName(name: string, over: Partial<Tenant> = {}): Tenant {
  return {
    name,
    reaches: () => true,
    condition: { key: 'tenant', match: { value: name } },
    stamp: { field: 'tenant', value: name },
    upstreamKey: null,
    readOnly: false,
    allowedOperations: new Set(),
    limits: { rate: null, concurrency: null },
    ...over,
  }
}
