import { deepFreeze } from '../../core/deep-freeze.ts'
import type { Json, JsonObject } from '../../core/types.ts'
import { NAMED_PLANS } from '../../pipeline/plan/named-plans.ts'
import { overridePlanByText, type TextOverride } from '../../pipeline/plan/override-plan.ts'
import { PLAN_NAMES, type Plan } from '../../pipeline/plan/plan.ts'
import { PLAN_VALUES } from '../../pipeline/plan/plan-values.ts'
import { ALLOWABLE_OPERATIONS } from '../operations.ts'
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
  const plan = planOf(declaration.plan ?? {}, surroundings.plan, fault)
  const collections = [...declaration.collections]
  const { rate_limit: rate = null, concurrency = null } = declaration
  const tenant: Tenant = {
    name,
    reaches: collection => collections.some(pattern => matchesPattern(pattern, collection)),
    condition: declaration.whole_collections ? null : conditionOf(field, value, filter),
    stamp: field === null || declaration.read_only ? null : { field, value },
    upstreamKey: upstreamKeyOf(declaration, surroundings.environment, fault),
    readOnly: declaration.read_only,
    allowedOperations: new Set(declaration.allow),
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

/** The plan of a tenant, from values as the variables and `replay` name them; null when it is that of the configuration. */
function planOf(values: Readonly<Record<string, unknown>>, configured: Plan, fault: ReportFault): Plan | null {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  if (given.length === 0) return null
  const named = values.STOWAGE_PLAN
  const name = PLAN_NAMES.find(known => known === named)
  if (named !== undefined && name === undefined) fault('plan.STOWAGE_PLAN', `must be one of ${PLAN_NAMES.join(', ')}`)
  const overrides = given.flatMap(([key, value]): TextOverride[] => {
    const path = PLAN_VALUES.find(known => known.variable === key)?.path ?? key
    return path === 'name' ? [] : [{ path, value: asText(value), name: key }]
  })
  for (const { path } of overrides.filter((one, at) => overrides.findIndex(({ path }) => path === one.path) !== at))
    fault(`plan.${path}`, 'is set twice, by its path and by its variable')
  const { plan, faults } = overridePlanByText(name === undefined ? configured : NAMED_PLANS[name], overrides)
  for (const message of faults) fault('plan', message)
  const { method } = plan.rerank
  if (method !== configured.rerank.method && (method === 'crossencoder' || method === 'http'))
    fault('plan', `RERANKER=${method}: the process has loaded no such reranker (RERANKER=${configured.rerank.method})`)
  return plan
}

function asText(value: unknown): string {
  if (value === null) return 'off'
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}
