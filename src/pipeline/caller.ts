import type { JsonObject } from '../core/types.ts'
import type { Deadline } from './deadline.ts'
import type { Assignment } from './plan/assignment.ts'
import type { Plan } from './plan/plan.ts'

/** What a tenant may read, and by which plan. */
export interface CallerTenant {
  readonly name: string
  reaches(collection: string): boolean
  /** The condition on every point that is read; null for none. */
  readonly condition: JsonObject | null
  /** Absent: the plan of the configuration. */
  readonly plan?: Plan
}

/** The client of a request. */
export interface Caller {
  /** The key for Qdrant: the client's own, or that of its tenant. Null sends none. */
  apiKey: string | null
  /** Null without tenants: Qdrant alone decides what a key may access. */
  tenant: CallerTenant | null
  /** Aborts when the client disconnects or the deadline passes. */
  signal: AbortSignal
  /** Whether the request is marked as a measurement. Default: false. */
  isReplay?: boolean
  /** Called when the request turns out to be part of an experiment. */
  onAssigned?: (assignment: Assignment) => void
}

/** Who asks, and until when. */
export interface TimedCaller {
  apiKey: string | null
  /** The name of the tenant, for fair turns. */
  tenant: string | null
  /** The condition of the tenant on every point that is read; null for none. */
  condition: JsonObject | null
  deadline: Deadline
  /** Whether other requests of the tenant wait, so that this one should do without reranking. */
  crowded: () => boolean
}
