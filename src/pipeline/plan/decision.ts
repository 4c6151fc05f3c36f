import { z } from 'zod'
import type { CallerTenant } from '../caller.ts'
import type { Assignment } from './assignment.ts'
import { changePlan, type PlanChanges } from './changes.ts'
import type { Plan } from './plan.ts'

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

/** The plan of the caller's tenant, else the configured one, with the values of the project that the request names. */
export function planFor({ tenant, changes }: Pick<DecisionSubject, 'tenant' | 'changes'>, configured: Plan): Plan {
  const plan = tenant?.plan ?? configured
  return changes ? changePlan(plan, changes) : plan
}

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
