import { countOf } from '../core/collections.ts'
import type { FlagSource } from '../pipeline/plan/decision.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { FlagCatalogue } from './catalogue.ts'
import { type FlagKind, kindOf, SWITCHES } from './table.ts'

/** The value of a flag for one tenant. */
export interface ListedFlag {
  flag: string
  kind: FlagKind
  /** Null without tenants. */
  tenant: string | null
  /** Share of the requests for which the flag is on, in [0,1]: between 0 and 1 for a rollout by session, as a sample of sessions shows it. */
  on: number
  source: FlagSource
  /** Share of each variant among the requests for which the flag is on, by name. */
  variants: Record<string, number>
}

interface ListDependencies {
  off: ReadonlySet<string>
  catalogue: FlagCatalogue | null
  newSessionId(): string
}

/** Sessions that are asked about. */
const SAMPLE = 1_000

/** Every flag with its value for a tenant: all switches, then the experiments and shadow runs that the source has. */
export function listFlags(tenant: string | null, plan: Plan, dependencies: ListDependencies): ListedFlag[] {
  const { off, catalogue, newSessionId } = dependencies
  const trials = [...(catalogue?.flags.definitions.keys() ?? []), ...off].filter(key => {
    const kind = kindOf(key)
    return kind === 'experiment' || kind === 'shadow'
  })
  const keys = [...SWITCHES.map(({ key }) => key), ...new Set(trials)]
  const contexts = Array.from({ length: SAMPLE }, () => ({ tenant, sessionId: newSessionId() }))
  return keys.map(flag => {
    const listed = { flag, kind: kindOf(flag) ?? 'switch', tenant }
    if (off.has(flag)) return { ...listed, on: 0, source: 'kill_switch', variants: {} }
    const values = catalogue?.flags.definitions.has(flag)
      ? contexts.flatMap(context => catalogue.flags.evaluate(flag, context) ?? [])
      : []
    if (catalogue === null || values.length === 0) {
      const known = SWITCHES.find(({ key }) => key === flag)
      return { ...listed, on: known?.isOn(plan) ? 1 : 0, source: 'plan', variants: {} }
    }
    const enabled = values.filter(value => value.enabled)
    const counts = countOf(enabled.flatMap(({ variant }) => variant?.name ?? []))
    return {
      ...listed,
      on: enabled.length / values.length,
      source: catalogue.flags.source,
      variants: Object.fromEntries([...counts].map(([name, count]) => [name, count / enabled.length])),
    }
  })
}
