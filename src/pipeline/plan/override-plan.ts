import type { Plan } from './plan.ts'
import { PLAN_VALUES, readPlanText } from './plan-values.ts'

/** Plan values that replace others; absent ones stay as they are. */
export type PlanOverrides<Part = Plan> = {
  [Key in keyof Part]?: (Part[Key] extends object ? PlanOverrides<Part[Key]> : Part[Key]) | undefined
}

/** The plan with the overrides merged in at every depth. The result is frozen at every depth. */
export function overridePlan(plan: Plan, overrides: PlanOverrides): Plan {
  return deepFreeze(merge(plan, overrides) as Plan)
}

/** A plan value given as text. `name` is what the user wrote it under: a variable or a path. */
export interface TextOverride {
  path: string
  value: string
  name?: string
}

/**
 * The plan with values given as text, frozen.
 * @returns the plan and the faults, one line each: `name=value: reason`. With faults the plan is not to be used.
 */
export function overridePlanByText(plan: Plan, overrides: readonly TextOverride[]): { plan: Plan; faults: string[] } {
  const faults: string[] = []
  const changed = structuredClone(plan)
  for (const { path, value, name = path } of overrides) {
    const known = OVERRIDABLE.find(one => one.path === path)
    if (known === undefined) {
      faults.push(`no plan value is called ${path}; there are: ${OVERRIDABLE.map(one => one.path).join(', ')}`)
      continue
    }
    const read = readPlanText(known, value)
    if ('fault' in read) faults.push(`${name}=${value}: ${read.fault}`)
    else setAt(changed, path.split('.'), read.value)
  }
  return { plan: deepFreeze(changed), faults }
}

/** The name says which plan the values come from and is not overridden. */
const OVERRIDABLE = PLAN_VALUES.filter(({ path }) => path !== 'name')

function setAt(target: object, keys: readonly string[], value: unknown): void {
  const [key = '', ...rest] = keys
  if (rest.length === 0) Reflect.set(target, key, value)
  else setAt(Reflect.get(target, key), rest, value)
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isRecord(base) || !isRecord(over)) return over
  const merged = { ...base }
  for (const [key, value] of Object.entries(over)) merged[key] = merge(base[key], value)
  return merged
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const entry of Object.values(value)) deepFreeze(entry)
  }
  return value
}
