import { deepFreeze } from '../../core/deep-freeze.ts'
import type { Json, JsonObject } from '../../core/types.ts'
import { changePlan, readPlanChanges } from '../../pipeline/plan/changes.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { canBeCollection } from '../../qdrant/paths.ts'
import { ALLOWABLE_OPERATIONS } from '../guard/routes/table.ts'
import { matchesPattern } from '../patterns.ts'
import type { Tenant } from '../tenant.ts'
import type { TenantDeclaration } from './schema.ts'

/** What the file refers to. */
export interface Surroundings {
  /** The plan of the configuration. */
  plan: Plan
  /** The variables that `upstream_key_env` names; null does not look them up. */
  environment: Readonly<Record<string, string | undefined>> | null
}

const DEFAULT_FIELD = 'tenant'

/** The field that marks the points of a tenant; null when it has whole collections, or only a filter. */
export function fieldOf({ whole_collections, field }: TenantDeclaration): string | null {
  return whole_collections ? null : field === undefined ? DEFAULT_FIELD : field
}

/** Builds a tenant, frozen at every depth. @returns `faults` with the place of each; do not use the tenant when there are any */
export function buildTenant(
  name: string,
  declaration: TenantDeclaration,
  surroundings: Surroundings,
): { tenant: Tenant; faults: string[] } {
  const faults: string[] = []
  const fault = (place: string, message: string) => faults.push(`tenants.${name}.${place}: ${message}`)
  const field = fieldOf(declaration)
  const value = declaration.value ?? name
  const filter = (declaration.filter as JsonObject | undefined) ?? null
  checkCondition(declaration, field, fault)
  checkAllowed(declaration, fault)
  const { changes, faults: wrong } = readPlanChanges(
    declaration.plan ?? {},
    `tenants.${name}.plan`,
    surroundings.plan.rerank.method,
  )
  faults.push(...wrong)
  const plan = declaration.plan === undefined || changes === null ? null : changePlan(surroundings.plan, changes)
  const collections = [...declaration.collections]
  const { rate_limit: rate = null, concurrency = null } = declaration
  const tenant: Tenant = {
    name,
    // A pattern with a star would match a text with slashes, too, which can lead to another collection.
    reaches: collection =>
      canBeCollection(collection) && collections.some(pattern => matchesPattern(pattern, collection)),
    condition: declaration.whole_collections ? null : conditionOf(field, value, filter),
    stamp: field === null || declaration.read_only ? null : { field, value },
    upstreamKey: upstreamKeyOf(declaration, surroundings.environment, fault),
    readOnly: declaration.read_only,
    allowedOperations: new Set(declaration.allow),
    contextEndpoints: declaration.context_endpoints,
    limits: { rate: rate && { perSecond: rate.per_second, burst: rate.burst }, concurrency },
    ...(plan === null ? {} : { plan }),
  }
  return { tenant: deepFreeze(tenant), faults }
}

type ReportFault = (place: string, message: string) => void

function checkCondition(declaration: TenantDeclaration, field: string | null, fault: ReportFault): void {
  const { whole_collections: whole, read_only: readOnly, filter } = declaration
  if (whole) {
    for (const key of ['field', 'value', 'filter'] as const)
      if (declaration[key] !== undefined) fault(key, 'has no effect with whole_collections; leave one of them out')
    return
  }
  if (field === null && !readOnly) fault('field', 'a tenant that writes needs one, so that its points are marked')
  if (field === null && filter === undefined) fault('filter', 'is needed without a field: nothing else is forced')
  if (field === null && declaration.value !== undefined) fault('value', 'has no effect without a field')
  if (filter !== undefined) for (const message of faultsOfFilter(filter)) fault('filter', message)
}

function checkAllowed({ whole_collections: whole, allow }: TenantDeclaration, fault: ReportFault): void {
  for (const operation of allow) {
    if (!whole && ALLOWABLE_OPERATIONS.get(operation)?.needsWholeCollections)
      fault('allow', `${operation} concerns the points of all tenants, so it needs whole_collections: true`)
  }
}

const CLAUSES = ['must', 'should', 'must_not', 'min_should']

/** Qdrant checks the conditions; here it is made sure that there are any. An empty filter would match every point. */
function faultsOfFilter(filter: Readonly<Record<string, unknown>>): string[] {
  const unknown = Object.keys(filter).filter(key => !CLAUSES.includes(key))
  if (unknown.length > 0) return [`unknown key ${unknown.join(', ')}; a filter has ${CLAUSES.join(', ')}`]
  const conditions = Object.values(filter).flatMap(clause =>
    Array.isArray(clause) ? clause : clause === null ? [] : [clause],
  )
  return conditions.length === 0 ? ['has no condition, so it would match every point'] : []
}

function conditionOf(field: string | null, value: string, filter: JsonObject | null): JsonObject {
  const marked: Json[] = field === null ? [] : [{ key: field, match: { value } }]
  return { must: filter === null ? marked : [...marked, filter] }
}

function upstreamKeyOf(
  { upstream_key: key, upstream_key_env: variable }: TenantDeclaration,
  environment: Surroundings['environment'],
  fault: ReportFault,
): string | null {
  if (key !== undefined && variable !== undefined)
    fault('upstream_key_env', 'is there beside upstream_key; leave one of them out')
  if (variable === undefined) return key ?? null
  const found = environment?.[variable] ?? ''
  if (found === '' && environment !== null) fault('upstream_key_env', `the variable ${variable} is not set`)
  return found === '' ? null : found
}
