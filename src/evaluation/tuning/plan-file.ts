import { NAMED_PLANS } from '../../pipeline/plan/named-plans.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { planValues } from '../arms/arm.ts'

/** Budgets are options of a replay, and a replay gives rerankers all the time that they need: neither is part of what was tuned. */
const NOT_TUNED: ReadonlySet<string> = new Set(['name', 'budgetTokens', 'rerank.deadlineMs'])

/**
 * The content of a plan file: the named plan, and each value that differs from it. Flags, tenants, `STOWAGE_PLAN` and `--arm` read it.
 * @returns JSON with a final line break
 */
export function planFileText(plan: Plan): string {
  const named = new Map(planValues(NAMED_PLANS[plan.name]))
  const changed = planValues(plan).filter(([path, value]) => !NOT_TUNED.has(path) && value !== named.get(path))
  return `${JSON.stringify({ STOWAGE_PLAN: plan.name, ...Object.fromEntries(changed) }, null, 2)}\n`
}
