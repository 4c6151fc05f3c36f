import type { Assignment } from '../../src/pipeline/plan/assignment.ts'
import { type DecidePlan, decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'

export const TREATED: Assignment = { experiment: 'fewer', variant: 'half', unit: 'session', share: 0.1 }

/** Puts every request into a variant of an experiment. */
export function assigning(assignment: Assignment, plan: Plan = NAMED_PLANS.measured): DecidePlan {
  return subject => ({ ...decideByConfiguration(plan)(subject), assignment })
}

/** Gives every request a shadow whose plan has these values. */
export function shadowing(overrides: PlanOverrides, plan: Plan = NAMED_PLANS.measured): DecidePlan {
  const shadow = { experiment: 'look', variant: 'other', plan: overridePlan(plan, overrides) }
  return subject => ({ ...decideByConfiguration(plan)(subject), shadow })
}
