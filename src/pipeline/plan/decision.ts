import { z } from 'zod'
import type { CallerTenant } from '../context-request.ts'
import type { PlanChanges } from './changes.ts'
import { planFor } from './derived.ts'
import type { Plan } from './plan.ts'

/** The variant whose plan no experiment changes. */
export const CONTROL = 'control'

/** The unit that keeps its variant: all requests of a session, or of a tenant; or each request has a variant of its own. */
export const ASSIGNMENT_UNITS = ['session', 'tenant', 'request'] as const
export type AssignmentUnit = (typeof ASSIGNMENT_UNITS)[number]

/** The variant of a request that is part of an experiment. */
export const assignmentSchema = z.object({
  /** Name of the experiment. */
  experiment: z.string(),
  /** `control`, or another name that the experiment declares. */
  variant: z.string(),
  unit: z.enum(ASSIGNMENT_UNITS),
  /** Share of the units that get this variant, in (0,1]; 1 for the control of an experiment that is rolled back; null when the flags do not tell. */
  share: z.number().nullable(),
})
export type Assignment = z.infer<typeof assignmentSchema>

/**
 * Whether everyone gets the control, as after a rollback: then there is nothing to compare the request with. While an experiment runs, the
 * share of its control is less than 1.
 */
export function isControlOnly({ variant, share }: Pick<Assignment, 'variant' | 'share'>): boolean {
  return variant === CONTROL && share === 1
}

/** The value of a flag for one request. */
export const flagDecisionSchema = z.object({
  flag: z.string(),
  enabled: z.boolean(),
  /** Where the value comes from: the environment, the Unleash server, the flags file, or the plan itself. */
  source: z.enum(['kill_switch', 'unleash', 'file', 'plan']),
  /** Name of the variant; null when the flag has none. */
  variant: z.string().nullable(),
})
export type FlagDecision = z.infer<typeof flagDecisionSchema>
export type FlagSource = FlagDecision['source']

/** What is decided about a request before its first step. No later step reads a flag. */
export interface PlanDecision {
  plan: Plan
  /** False: searches on Qdrant's paths pass through. */
  improves: boolean
  /** Whether the question of a search may be found by its vector, among those that the embedding relay remembers. */
  findsQuestion: boolean
  /** The flags that a source sets for this request. */
  flags: readonly FlagDecision[]
  /** Null outside of experiments. */
  assignment: Assignment | null
  /** A second plan, which runs after the answer for comparison only. */
  shadow: ShadowPlan | null
}

export interface ShadowPlan {
  experiment: string
  variant: string
  plan: Plan
}

/** Who asks. */
export interface DecisionSubject {
  tenant: CallerTenant | null
  /** Null when the client names no session. */
  sessionId: string | null
  /** Plan values of the project that the request names; absent without one. They come before flags. */
  changes?: PlanChanges | null
  /** A measurement: no experiment and no shadow takes part. Default: false. */
  isReplay?: boolean
}

/** Decides once per request. It never throws. */
export type DecidePlan = (subject: DecisionSubject) => PlanDecision

/** The plan of the tenant, else the configured one, without flags. */
export function decideByConfiguration(configured: Plan): DecidePlan {
  return subject => ({
    plan: planFor(subject, configured),
    improves: true,
    findsQuestion: true,
    flags: [],
    assignment: null,
    shadow: null,
  })
}
