import { redactUrls } from '../../core/redact-urls.ts'
import { planFingerprint } from '../../pipeline/plan/derived.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { PLAN_VALUES } from '../../pipeline/plan/plan-values.ts'

/** An arm that runs in this process. */
export interface PlanArm {
  kind: 'plan'
  /** As on the command line, for example `measured:reunification.expansion=0`. */
  name: string
  plan: Plan
}

/** An arm that asks a running stowage, which has a plan of its own. */
export interface ServerArm {
  kind: 'server'
  name: string
  /** http or https, without user, query and fragment. */
  url: string
  /** The collection to ask; null asks the one with the name of the set. */
  collection: string | null
}

/** What golden queries are asked of. */
export type Arm = PlanArm | ServerArm

/** What a report says of an arm. The plan of a server is not known. */
export interface ReportedArm {
  kind: Arm['kind']
  name: string
  planFingerprint: string | null
  plan: Plan | null
  url: string | null
}

export function reportArm(arm: Arm): ReportedArm {
  const { kind, name } = arm
  return arm.kind === 'plan'
    ? { kind, name, planFingerprint: planFingerprint(arm.plan), plan: arm.plan, url: null }
    : { kind, name, planFingerprint: null, plan: null, url: redactUrls(arm.url) }
}

/** The values of a plan with their dotted paths. */
export function planValues(plan: Plan): [path: string, value: unknown][] {
  return PLAN_VALUES.map(({ path }) => [
    path,
    path.split('.').reduce<unknown>((part, key) => Reflect.get(Object(part), key), plan),
  ])
}
