import { deepFreeze } from '../../core/deep-freeze.ts'
import { shortened, unknownName } from '../../core/schema-faults.ts'
import { isObject } from '../../qdrant/json.ts'
import type { Plan } from './plan.ts'
import { PLAN_VALUES, readPlanText } from './plan-values.ts'

/** New values for a plan. Absent values do not change. */
export type PlanOverrides<Part = Plan> = {
  [Key in keyof Part]?: (Part[Key] extends object ? PlanOverrides<Part[Key]> : Part[Key]) | undefined
}

/** Merges overrides into a plan. The result is frozen at every depth. */
export function overridePlan(plan: Plan, overrides: PlanOverrides): Plan {
  return deepFreeze(merge(plan, overrides) as Plan)
}

/** A plan value as text. `name` is the variable or the path that the user set. */
export interface TextOverride {
  path: string
  value: string
  name?: string
}

/**
 * Changes a plan by values given as text.
 * @returns the frozen plan, and one line per fault: `name=value: reason`. Do not use the plan when there are faults.
 */
export function overridePlanByText(plan: Plan, overrides: readonly TextOverride[]): { plan: Plan; faults: string[] } {
  const faults: string[] = []
  let changed = plan
  for (const { path, value, name = path } of overrides) {
    const known = OVERRIDABLE.find(one => one.path === path)
    if (known === undefined) {
      faults.push(unknownName(path, 'plan value', PATHS))
      continue
    }
    const read = readPlanText(known, value)
    if ('fault' in read) faults.push(`${name}=${shortened(value)}: ${read.fault}`)
    else changed = merge(changed, nested(path, read.value)) as Plan
  }
  if (faults.length === 0) faults.push(...thresholdFaults(changed, overrides))
  return { plan: deepFreeze(changed), faults }
}

/** The thresholds of verdicts belong together. A change of one alone is checked beside the other one of the plan. */
function thresholdFaults({ verdict }: Plan, overrides: readonly TextOverride[]): string[] {
  if (verdict.uncertain <= verdict.inDocuments) return []
  const given = (path: string) => overrides.findLast(one => one.path === path)
  const shown = ({ path, value, name = path }: TextOverride) => `${name}=${shortened(value)}`
  const [uncertain, inDocuments] = [given('verdict.uncertain'), given('verdict.inDocuments')]
  if (uncertain) {
    const other = inDocuments ? shown(inDocuments) : `verdict.inDocuments, which is ${verdict.inDocuments}: set both`
    return [`${shown(uncertain)}: must be at most ${other}`]
  }
  return inDocuments
    ? [`${shown(inDocuments)}: must be at least verdict.uncertain, which is ${verdict.uncertain}: set both`]
    : []
}

/** All values but the name, which says where the values come from. */
export const OVERRIDABLE = PLAN_VALUES.filter(({ path }) => path !== 'name')
const PATHS = OVERRIDABLE.map(({ path }) => path)

/** `{ packing: { mode: value } }` for the path `packing.mode`. */
function nested(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((inner, key) => ({ [key]: inner }), value)
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const merged = { ...base }
  for (const [key, value] of Object.entries(over)) merged[key] = merge(base[key], value)
  return merged
}
