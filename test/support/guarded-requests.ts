import { inOneStep } from '../../src/core/steps.ts'
import type { AppDependencies } from '../../src/http/app.ts'
import { authenticate } from '../../src/http/tenants/authenticate.ts'
import type { GuardDependencies } from '../../src/http/tenants/guard-requests.ts'
import type { GuardedRequest, MatchRoute } from '../../src/tenants/guard/guarded.ts'
import type { Tenant, TenantRegistry } from '../../src/tenants/tenant.ts'
import { tenantOfName } from './tenants.ts'

/** A tenant of the shared collection `docs`; `over` sets what a test is about. */
export function testTenant(over: Partial<Tenant> = {}): Tenant {
  return tenantOfName('acme', { reaches: collection => collection === 'docs', upstreamKey: 'upstream-key', ...over })
}

export const ACME_KEY = 'acme-key-0123456789abcdef'

/** A registry of the tenants by their keys. Default: one tenant with `ACME_KEY`. */
export function registryOf(byKey: Record<string, Tenant> = { [ACME_KEY]: testTenant() }): TenantRegistry {
  return { find: key => (key !== null && Object.hasOwn(byKey, key) ? (byKey[key] ?? null) : null) }
}

/** Routes that guard every request in the same way. */
export function guardedAs(guarded: Partial<GuardedRequest>, readsBody = false): MatchRoute {
  return (method, target) => {
    const unguarded = { method, target, checks: [], answer: { kind: 'unchanged' } } as const
    const guard = (body: string | null) => inOneStep((): GuardedRequest => ({ ...unguarded, body, ...guarded }))
    return { operation: 'test', collection: 'docs', readsBody, guard }
  }
}

/** Dependencies of an app that admits the tenants of a registry and guards their requests. */
export function guarding(
  registry: TenantRegistry,
  guard: GuardDependencies,
): Pick<AppDependencies, 'admitTenant' | 'guard'> {
  return { admitTenant: [authenticate(registry)], guard }
}
