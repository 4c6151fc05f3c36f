import type { RequestHandler, Response } from 'express'
import { StowageError } from '../../core/errors.ts'
import type { Tenant, TenantRegistry } from '../../tenants/tenant.ts'
import { apiKeyOf } from '../caller.ts'

/** Finds the tenant of each request once, by its key. Without tenants (open mode), Qdrant alone decides what a key may access. */
export function authenticate(registry: TenantRegistry | null): RequestHandler {
  return function findTenant(request, response, next) {
    if (registry === null) return next()
    const apiKey = apiKeyOf(request)
    const tenant = registry.find(apiKey)
    if (tenant === null) throw unauthorized(apiKey)
    response.locals.tenant = tenant
    next()
  }
}

/** The tenant that `authenticate` found; null in open mode. */
export function tenantOf(response: Response): Tenant | null {
  return (response.locals.tenant as Tenant | undefined) ?? null
}

function unauthorized(apiKey: string | null): StowageError {
  const message = apiKey === null ? 'Must provide an API key or an Authorization bearer token' : 'Invalid API key'
  return new StowageError('unauthorized', message)
}
