import { StowageError } from '../../../../src/core/errors.ts'
import { finish } from '../../../../src/core/steps.ts'
import type { GuardedRequest } from '../../../../src/tenants/guard/guarded.ts'
import { matchRoute } from '../../../../src/tenants/guard/match.ts'
import { ROUTES } from '../../../../src/tenants/guard/routes/table.ts'
import type { Tenant } from '../../../../src/tenants/tenant.ts'
import { sharingTenant } from './tenants.ts'

function routeOf(operation: string) {
  const route = ROUTES.find(row => row.operation === operation)
  if (route === undefined) throw new Error(`no route has the operation ${operation}`)
  return route
}

/** The guarded form of a request to the collection `shared`. @param body a value, or JSON text */
export function guardOne(
  operation: string,
  body: unknown,
  tenant: Tenant = sharingTenant(),
  collection = 'shared',
): GuardedRequest {
  const { method, path } = routeOf(operation)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return finish(matchRoute(method, path.replace('{collection_name}', collection), tenant).guard(text))
}

/** How a request is refused: its code and message; null when it is not. */
export function refusalOf(run: () => unknown): string | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof StowageError) return `${error.code}: ${error.message}`
    throw error
  }
}
