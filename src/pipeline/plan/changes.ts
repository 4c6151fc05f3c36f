import { z } from 'zod'
import { describeIssues, strictObject } from '../../core/schema-faults.ts'
import { isObject } from '../../qdrant/json.ts'
import { NAMED_PLANS } from './named-plans.ts'
import { OVERRIDABLE, overridePlanByText, type TextOverride } from './override-plan.ts'
import { PLAN_NAMES, type Plan } from './plan.ts'
import { PLAN_VALUES } from './plan-values.ts'

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be text, a number, true, false or null')

/** The names of plan values in files and flags: their paths, and the variables that set them. */
const PLAN_CHANGE_KEYS: readonly string[] = [
  'STOWAGE_PLAN',
  ...OVERRIDABLE.flatMap(({ path, variable }) => (variable === null ? [path] : [path, variable])),
]

/** Plan values as files and flags give them: `{ "packing.mode": "sentence", "RERANKER": "off" }`. */
export const planChangesSchema = strictObject(
  Object.fromEntries(PLAN_CHANGE_KEYS.map(name => [name, scalar.optional()] as const)) as Record<
    string,
    z.ZodOptional<typeof scalar>
  >,
)

/** New values for a plan, which were read without a fault. */
export interface PlanChanges {
  /** A named plan that replaces the plan first; null changes the plan as it is. */
  named: Plan | null
  overrides: readonly TextOverride[]
}

/** The reranker that the process has loaded. A plan can use this one, `mmr` or none. */
export type LoadedReranker = Plan['rerank']['method']

/**
 * Reads plan values from a parsed file or from the payload of a flag. Never throws.
 * @param place where the values stand, such as `tenants.acme.plan`
 * @param loaded null when the plan decides what is loaded
 * @returns the changes, or one line per fault
 */
export function readPlanChanges(
  values: unknown,
  place: string,
  loaded: LoadedReranker | null,
): { changes: PlanChanges; faults: [] } | { changes: null; faults: string[] } {
  const known = planChangesSchema.safeParse(values)
  const faults = known.success ? [] : describeIssues(known.error, place, values)
  const readable = known.data ?? readablePart(values)
  const given = Object.entries(readable).filter(([, value]) => value !== undefined)
  const wanted = readable.STOWAGE_PLAN
  const name = PLAN_NAMES.find(one => one === wanted)
  if (wanted !== undefined && name === undefined)
    faults.push(`${place}.STOWAGE_PLAN: must be one of ${PLAN_NAMES.join(', ')}`)
  const overrides = given.flatMap(([key, value]): TextOverride[] => {
    const path = PLAN_VALUES.find(one => one.variable === key)?.path ?? key
    return path === 'name' ? [] : [{ path, value: asText(value), name: key }]
  })
  for (const { path } of overrides.filter((one, at) => overrides.findIndex(({ path }) => path === one.path) !== at))
    faults.push(`${place}.${path}: is set twice, by its path and by its variable`)
  const named = name === undefined ? null : NAMED_PLANS[name]
  const { plan, faults: wrong } = overridePlanByText(named ?? NAMED_PLANS.measured, overrides)
  faults.push(...wrong.map(fault => `${place}: ${fault}`))
  const { method } = plan.rerank
  const chosen = overrides.find(({ path }) => path === 'rerank.method')
  const written = chosen ? `${chosen.name}=${chosen.value}` : name && `the plan ${name} reranks with ${method}`
  if (loaded !== null && written && method !== loaded && (method === 'crossencoder' || method === 'http'))
    faults.push(`${place}: ${written}: the process has loaded no such reranker (RERANKER=${loaded})`)
  return faults.length > 0 ? { changes: null, faults } : { changes: { named, overrides }, faults: [] }
}

/** The members that are known and hold a value, so that their own faults are found beside those of the others. */
function readablePart(values: unknown): z.infer<typeof planChangesSchema> {
  if (!isObject(values)) return {}
  const isReadable = ([name, value]: [string, unknown]) => planChangesSchema.safeParse({ [name]: value }).success
  return planChangesSchema.parse(Object.fromEntries(Object.entries(values).filter(isReadable)))
}

/** A plan with changes that were read without a fault. The result is frozen at every depth. */
export function changePlan(plan: Plan, { named, overrides }: PlanChanges): Plan {
  return overridePlanByText(named ?? plan, overrides).plan
}

function asText(value: z.infer<typeof scalar> | undefined): string {
  if (value === null) return 'off'
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}
