import { NAMED_PLANS } from '../../pipeline/plan/named-plans.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { PLAN_VALUES } from '../../pipeline/plan/plan-values.ts'

/** Budgets are options of a replay, and a replay gives rerankers all the time that they need: neither is part of what was tuned. */
const NOT_TUNED: ReadonlySet<string> = new Set(['name', 'budgetTokens', 'rerank.deadlineMs'])

/**
 * The content of a plan file: the named plan, and each value that differs from it. Flags, tenants, `STOWAGE_PLAN` and `--arm` read it.
 * @returns JSON with a final line break
 */
export function planFileText(plan: Plan): string {
  const named = NAMED_PLANS[plan.name]
  const changed = PLAN_VALUES.flatMap(({ path }): [string, unknown][] => {
    const value = valueAt(plan, path)
    return NOT_TUNED.has(path) || value === valueAt(named, path) ? [] : [[path, value]]
  })
  return `${JSON.stringify({ STOWAGE_PLAN: plan.name, ...Object.fromEntries(changed) }, null, 2)}\n`
}

function valueAt(plan: Plan, path: string): unknown {
  return path.split('.').reduce<unknown>((part, key) => Reflect.get(Object(part), key), plan)
}
