import { badRequest, StowageError } from '../../core/errors.ts'
import { inOneStep } from '../../core/steps.ts'
import { unreachable } from '../../qdrant/condition.ts'
import type { Tenant } from '../tenant.ts'
import { forbidden, shown } from './body/refusals.ts'
import type { MatchedRoute, MatchRoute } from './guarded.ts'
import { createFindRoute, type FoundRoute } from './routes/find.ts'
import { asItIs, type Cover, type Guard, type Route, type RoutedRequest } from './routes/route.ts'
import { ROUTES } from './routes/table.ts'
import { printParameters, printTarget, type RequestTarget, readTarget } from './routes/target.ts'

/** `MatchRoute` for the table of Qdrant's routes. */
export const matchRoute: MatchRoute = createMatchRoute(ROUTES)

/** `MatchRoute` for another table, for example one with a row switched off. */
export function createMatchRoute(table: readonly Route[]): MatchRoute {
  const findRoute = createFindRoute(table)
  return function match(method, rawTarget, tenant) {
    const target = readTarget(rawTarget)
    const found = findRoute(method, target.segments)
    if (found === null) throw new StowageError('not_found', 'There is no such route.')
    const request = toRoutedRequest(method, target, found, tenant)
    requireOpen(found.route, request)
    requireKnownParameters(found.route, target)
    return toMatchedRoute(found.route, request)
  }
}

function toRoutedRequest(method: string, target: RequestTarget, { parts }: FoundRoute, tenant: Tenant): RoutedRequest {
  return {
    tenant,
    method,
    target: printTarget(target),
    queryString: printParameters(target.parameters),
    parts,
    collection: parts.collection_name ?? null,
  }
}

/** Collections that are not reached are refused in the same way whether they exist or not. */
function requireOpen({ operation, access, cover }: Route, { tenant, collection }: RoutedRequest): void {
  if (cover.kind === 'open') return
  if (!isOpenTo(tenant, operation, cover)) throw notAllowed(operation, cover, tenant)
  if (collection !== null && !tenant.reaches(collection)) throw unreachable()
  if (access === 'write' && !mayWrite(tenant)) throw forbidden('Only reading is allowed.')
}

function isOpenTo(tenant: Tenant, operation: string, cover: Cover): boolean {
  if (cover.kind !== 'allowable') return cover.kind === 'guarded'
  const inScope = cover.scope === 'any' || tenant.condition === null
  return inScope && tenant.allowedOperations.has(operation)
}

/** Says what the operator can do about it, without a word on other tenants. */
function notAllowed(operation: string, cover: Cover, { condition }: Tenant): StowageError {
  const refusal = `The operation ${operation} is not allowed`
  if (cover.kind !== 'allowable') return forbidden(`${refusal} to tenants.`)
  if (cover.scope === 'whole' && condition !== null) return forbidden(`${refusal} in shared collections.`)
  return forbidden(`${refusal}. The operator can name it under \`allow\` of this tenant.`)
}

/** In a shared collection, points that are written need the tenant field. */
function mayWrite({ readOnly, condition, stamp }: Tenant): boolean {
  return !readOnly && (condition === null || stamp !== null)
}

function requireKnownParameters({ parameters }: Route, target: RequestTarget): void {
  const unknown = [...target.parameters.keys()].find(name => !parameters.includes(name))
  if (unknown === undefined) return
  throw badRequest(`Unknown query parameter ${shown(JSON.stringify(unknown))}.`)
}

function toMatchedRoute({ operation, cover }: Route, request: RoutedRequest): MatchedRoute {
  const guard = guardOf(cover, request.tenant)
  const readsBody = guard !== null && !(cover.kind === 'guarded' && !cover.hasBody)
  return {
    operation,
    collection: request.collection,
    readsBody,
    guard: body => (guard === null ? inOneStep(() => asItIs(request, cover)) : guard(request, body ?? '')),
  }
}

/** Null when the request goes on as it is. A tenant with whole collections can only do harm by naming another one. */
function guardOf(cover: Cover, tenant: Tenant): Guard | null {
  if (cover.kind === 'allowable') return cover.guard ?? null
  if (cover.kind !== 'guarded') return null
  return tenant.condition === null && !cover.namesCollections ? null : cover.guard
}
