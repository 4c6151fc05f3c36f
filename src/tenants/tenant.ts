import type { JsonObject } from '../core/types.ts'
import type { Plan } from '../pipeline/plan/plan.ts'

/** A tenant as requests see it. One request uses one such object from its start to its end, also when the file is reloaded meanwhile. */
export interface Tenant {
  /** Also the label in traces, metrics and logs. */
  readonly name: string
  /** Whether a collection, or an alias, is open to the tenant. */
  reaches(collection: string): boolean
  /** The condition that every point meets which the tenant reads or changes; null when it has whole collections of its own. */
  readonly condition: JsonObject | null
  /** The payload field that marks the points of the tenant; null when it has whole collections, or may only read. */
  readonly stamp: TenantStamp | null
  /** The key for Qdrant; null sends none. */
  readonly upstreamKey: string | null
  readonly readOnly: boolean
  /** Operations beside those on points, by their names in Qdrant's OpenAPI description, for example `get_collection`. */
  readonly allowedOperations: ReadonlySet<string>
  /** Base URLs of language models that texts of the tenant may be sent to, see `endpointAllowed`. Absent: none. */
  readonly contextEndpoints?: readonly string[]
  readonly limits: TenantLimits
  /** Absent: the plan of the configuration. */
  readonly plan?: Plan
}

export interface TenantStamp {
  /** Path into the payload, for example `tenant` or `metadata.tenant`. Its parts are plain names. */
  readonly field: string
  readonly value: string
}

/** Null means no limit. */
export interface TenantLimits {
  /** Requests per second over time, and at once. */
  readonly rate: { readonly perSecond: number; readonly burst: number } | null
  /** Requests in flight. */
  readonly concurrency: number | null
}

/** The tenants that are declared now. */
export interface TenantRegistry {
  /** The tenant of a key; null for no key and for an unknown one. */
  find(apiKey: string | null): Tenant | null
}

/** The tenants and operators of one version of the file. */
export interface TenantDirectory extends KnownKeys {
  readonly tenants: readonly Tenant[]
  /** Number of the keys of operators. */
  readonly operators: number
}

/** Whose key a key is. */
export interface KnownKeys extends TenantRegistry {
  /** Whether a key may read what concerns all tenants, such as the metrics. */
  isOperator(apiKey: string | null): boolean
}
