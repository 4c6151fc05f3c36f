import { StowageError } from '../../core/errors.ts'
import type { ErrorCode, PassthroughReason } from '../../core/vocabulary.ts'
import type { Trace } from '../trace/schema.ts'
import { type Assignment, isControlOnly } from './assignment.ts'
import type { PlanDecision } from './decision.ts'

/** What one finished request says about its variant. */
export interface ExperimentOutcome {
  assignment: Assignment
  /** Identity of the assigned unit: a session, a tenant, or the request itself. Outcomes of one unit are not independent. */
  unitId: string
  endpoint: Trace['endpoint']
  /**
   * Whether the pipeline had no answer of its own: an error of `/v1/context`, or a search that passed through because improving failed. Null
   * for an answer from the cache, whose pipeline did not run: the variant with more traffic has more of them.
   */
  failed: boolean | null
  /** Time of the pipeline in seconds; null when it did not run. */
  seconds: number | null
  /** Of the answer, also of one from the cache. In [0,1]; null for failed requests, and when nothing was found. */
  recallProxy: number | null
  /** Tokens of the answer; null for failed requests. */
  tokens: number | null
}

/** Takes the outcomes of requests that are part of an experiment. */
export type ObserveOutcome = (outcome: ExperimentOutcome) => void

/** The request of an outcome. */
export interface OutcomeSubject {
  endpoint: Trace['endpoint']
  /** Name of the tenant. */
  tenant: string | null
  sessionId: string | null
  /** Any id that no other request has. */
  requestId: string
  decision: Pick<PlanDecision, 'assignment'>
}

type OutcomeValues = Omit<ExperimentOutcome, 'assignment' | 'unitId' | 'endpoint'>

/**
 * Tells the outcome of a request to the observer, if the request is part of an experiment that has a treatment now. An observer that
 * throws changes no answer.
 */
export function tellOutcome(
  observe: ObserveOutcome | undefined,
  { decision: { assignment }, ...subject }: OutcomeSubject,
  values: OutcomeValues,
): void {
  if (observe === undefined || assignment === null || isControlOnly(assignment)) return
  try {
    observe({ assignment, unitId: unitIdOf(assignment, subject), endpoint: subject.endpoint, ...values })
  } catch {}
}

/** A request that failed after some seconds. */
export const failedAfter = (seconds: number): OutcomeValues => ({
  failed: true,
  seconds,
  recallProxy: null,
  tokens: null,
})

/** Two tenants may use the same id of a session. */
function unitIdOf(
  { unit }: Assignment,
  { tenant, sessionId, requestId }: Omit<OutcomeSubject, 'decision' | 'endpoint'>,
): string {
  if (unit === 'tenant') return tenant ?? ''
  return unit === 'session' && sessionId !== null ? `${tenant ?? ''}/${sessionId}` : requestId
}

/** Reasons of a search that passes through which another plan could have changed: it decides how much is searched, and how long choosing takes. */
export const OF_THE_PLAN: ReadonlySet<PassthroughReason> = new Set([
  'deadline',
  'hedged',
  'pipeline_failed',
  'nothing_chosen',
])

/** Refusals of the caller, and of more requests than fit: another plan would not have changed them. */
const NOT_OF_THE_PLAN: ReadonlySet<ErrorCode> = new Set([
  'unauthorized',
  'forbidden',
  'collection_not_found',
  'not_found',
  'too_many_requests',
  'overloaded',
])

/**
 * Whether the plan can be the reason why `/v1/context` has no answer. A refusal of the search by Qdrant counts, because the plan sets how
 * much is searched.
 */
export function canBlamePlan(error: unknown): boolean {
  return !(error instanceof StowageError && NOT_OF_THE_PLAN.has(error.code))
}
