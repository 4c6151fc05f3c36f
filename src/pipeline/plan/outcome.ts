import type { Trace } from '../trace/schema.ts'
import type { Assignment } from './decision.ts'

/** What one finished request says about its variant. */
export interface ExperimentOutcome {
  assignment: Assignment
  /** Identity of the assigned unit: a session, a tenant, or the request itself. Outcomes of one unit are not independent. */
  unitId: string
  endpoint: Trace['endpoint']
  /** Whether the pipeline had no answer of its own: an error of `/v1/context`, or a search that passed through because improving failed. */
  failed: boolean
  /** Time of the pipeline in seconds. */
  seconds: number
  /** In [0,1]; null for failed requests, and when nothing was found. */
  recallProxy: number | null
  /** Tokens of the answer; null for failed requests. */
  tokens: number | null
}
