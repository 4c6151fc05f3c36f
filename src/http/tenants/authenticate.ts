import { StowageError } from '../../core/errors.ts'
import type { Tenant, TenantRegistry } from '../../tenants/tenant.ts'
import { apiKeyOf } from '../caller.ts'
import type { Step } from '../step.ts'

/** Finds the tenant of each request once, by its key. Without tenants (open mode), Qdrant alone decides what a key may access. */
export function authenticate(registry: TenantRegistry | null): Step {
  return function rememberTenant(request, response, next) {
    if (registry === null) return next()
    response.locals.tenant = findTenant(registry, apiKeyOf(request))
    next()
  }
}

/** @throws StowageError `unauthorized` for no key and for an unknown one */
export function findTenant(registry: TenantRegistry, apiKey: string | null): Tenant {
  const tenant = registry.find(apiKey)
  if (tenant !== null) return tenant
  const message = apiKey === null ? 'Must provide an API key or an Authorization bearer token' : 'Invalid API key'
  throw new StowageError('unauthorized', message)
}
