import { LRUCache } from 'lru-cache'
import type { Plan } from '../pipeline/plan/plan.ts'

/** One change of a plan by a flag. */
export interface PlanStep {
  /** Steps with the same id do the same. It has no `|`. */
  id: string
  /** The result is frozen at every depth. */
  change(plan: Plan): Plan
}

/** Most plans that are kept for one base plan. Rollouts of many flags at random can make many. */
const MOST_PLANS = 1_000

/**
 * Takes the steps on a plan, in their order. Results are kept by base plan and steps, so that a request costs one lookup. A base plan
 * that nobody holds any more takes its results with it.
 */
export function createPlanMerger(): (base: Plan, steps: readonly PlanStep[]) => Plan {
  const merged = new WeakMap<Plan, LRUCache<string, Plan>>()
  return (base, steps) => {
    if (steps.length === 0) return base
    let known = merged.get(base)
    if (known === undefined) {
      known = new LRUCache({ max: MOST_PLANS })
      merged.set(base, known)
    }
    const key = steps.map(({ id }) => id).join('|')
    let plan = known.get(key)
    if (plan === undefined) {
      plan = steps.reduce((changed, step) => step.change(changed), base)
      known.set(key, plan)
    }
    return plan
  }
}
