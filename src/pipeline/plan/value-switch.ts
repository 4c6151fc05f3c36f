import type { PlanOverrides } from './override-plan.ts'
import type { Plan } from './plan.ts'

/** The parts of a plan that hold values of their own. */
export type PlanSection = { [Key in keyof Plan]: Plan[Key] extends object ? Key : never }[keyof Plan]

/** A value that switches a rule on, and the one that switches it off. */
export type OnOff<Value> = { on: Value; off: Value }

/** How a rule is switched that is one value of the plan, and on with every value but `off`. */
export function valueSwitch<Section extends PlanSection, Name extends keyof Plan[Section] & string>(
  section: Section,
  name: Name,
  { on, off }: OnOff<Plan[Section][Name]>,
) {
  const withValue = (value: Plan[Section][Name]): PlanOverrides => ({ [section]: { [name]: value } })
  return { on: withValue(on), off: withValue(off), isOn: ({ [section]: part }: Plan) => part[name] !== off }
}
