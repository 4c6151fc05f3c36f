import { getOrInsert } from '../../core/collections.ts'
import { planFingerprint } from '../../pipeline/plan/derived.ts'
import { overridePlan, type PlanOverrides } from '../../pipeline/plan/override-plan.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { isObject } from '../../qdrant/json.ts'
import type { PlanArm } from '../arms/arm.ts'
import { RULES, type Rule, type RuleName } from './rules.ts'

/**
 * How a rule is switched: `off alone` in the plan that is ablated, `on alone` in the bare plan. For a rule that the plan does not use, `off
 * alone` compares the plan with the rule and the plan as it is.
 */
export const SWITCHES = ['off alone', 'on alone'] as const
export type Switch = (typeof SWITCHES)[number]

/** Two arms that differ in one rule. */
export interface RulePair {
  rule: RuleName
  kind: Switch
  /** Whether the plan uses the rule. */
  inPlan: boolean
  /** Names of the arms. */
  with: string
  without: string
}

const NONE: PlanOverrides = {}

/** What an ablation runs, and which arms it compares. */
export interface AblationArms {
  arms: PlanArm[]
  pairs: RulePair[]
}

/** The arms of an ablation. Plans that are equal run once. */
export function ablationArms({ name, plan }: PlanArm, rules: readonly RuleName[]): AblationArms {
  const arms = new Map<string, PlanArm>()
  const armOf = (armName: string, armPlan: Plan): string =>
    getOrInsert(arms, planFingerprint(armPlan), () => ({ kind: 'plan', name: armName, plan: armPlan })).name
  armOf(name, plan)
  const pairs = rules.flatMap((rule): RulePair[] => {
    const { off, isOn, requires = NONE }: Rule = RULES[rule]
    const inPlan = isOn(plan)
    const ownValues = (values: PlanOverrides) => (inPlan ? (pick(plan, values) as PlanOverrides) : values)
    const on = ownValues(RULES[rule].on)
    const ground = overridePlan(plan, inPlan ? off : requires)
    const bare = overridePlan(barePlan(plan), ownValues(requires))
    return [
      {
        rule,
        kind: 'off alone',
        inPlan,
        with: inPlan ? name : armOf(`${name} with ${rule}`, overridePlan(ground, on)),
        without: armOf(`${name} without ${rule}`, ground),
      },
      {
        rule,
        kind: 'on alone',
        inPlan,
        with: armOf(`bare with ${rule}`, overridePlan(bare, on)),
        without: armOf(requires === NONE ? 'bare' : `bare for ${rule}`, bare),
      },
    ]
  })
  return { arms: [...arms.values()], pairs }
}

/** Every rule off: greedy fill of the fused list until the first chunk that does not fit. Models, lists and weights stay. */
export function barePlan(plan: Plan): Plan {
  return Object.values(RULES).reduce((bare, { off }) => overridePlan(bare, off), plan)
}

/** The part of `from` that has the keys of `shape`. */
function pick(from: unknown, shape: unknown): unknown {
  if (!isObject(from) || !isObject(shape)) return from
  return Object.fromEntries(Object.keys(shape).map(key => [key, pick(from[key], shape[key])]))
}
