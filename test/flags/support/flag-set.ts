import { checkFlags, type FlagCatalogue } from '../../../src/flags/catalogue.ts'
import { createDecide, type DecideDependencies } from '../../../src/flags/decide.ts'
import type { FlagDefinition, FlagPayload, FlagSet, FlagValue } from '../../../src/flags/provider.ts'
import type { CallerTenant } from '../../../src/pipeline/caller.ts'
import type { PlanChanges } from '../../../src/pipeline/plan/changes.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'

/** A flag of a source in memory: everybody gets the same value. */
export interface FakeFlag {
  enabled: boolean
  /** Name of the variant that everybody gets. */
  gets?: string
  variants?: { name: string; weight?: number; stickiness?: string; payload?: FlagPayload | null }[]
}

export const json = (values: unknown): FlagPayload => ({ type: 'json', value: JSON.stringify(values) })

export function flagSetOf(flags: Readonly<Record<string, FakeFlag>>, source: FlagSet['source'] = 'unleash'): FlagSet {
  const definitions = new Map(
    Object.entries(flags).map(([key, { enabled, variants = [] }]): [string, FlagDefinition] => [
      key,
      {
        key,
        enabled,
        variantSets: [
          variants.map(({ name, weight = 500, stickiness = 'default', payload = null }) => ({
            name,
            weight,
            stickiness,
            payload,
          })),
        ],
      },
    ]),
  )
  return {
    source,
    definitions,
    faults: [],
    evaluate: (key): FlagValue | null => {
      const flag = flags[key]
      if (flag === undefined || !Object.hasOwn(flags, key)) return null
      const variant = flag.variants?.find(({ name }) => name === flag.gets)
      return {
        enabled: flag.enabled,
        variant: flag.enabled && variant ? { name: variant.name, payload: variant.payload ?? null } : null,
      }
    },
  }
}

export function catalogueOf(
  flags: FlagSet,
  {
    loaded = 'crossencoder',
    plans = new Map(),
  }: { loaded?: Plan['rerank']['method']; plans?: Map<string, PlanChanges> } = {},
): FlagCatalogue {
  let steps = 0
  return checkFlags(flags, { loaded, plans, newStepId: () => `payload ${++steps}` })
}

/** A decision for everybody by flags in memory. */
export function decideWith(
  flags: Readonly<Record<string, FakeFlag>> | null,
  { off = [], ...over }: Partial<Omit<DecideDependencies, 'off'>> & { off?: readonly string[] } = {},
) {
  const configured = over.configured ?? NAMED_PLANS.measured
  const catalogue = flags && catalogueOf(flagSetOf(flags), { loaded: configured.rerank.method })
  return createDecide({
    configured,
    off: new Set(off),
    catalogue: () => catalogue,
    isRolledBack: () => false,
    newSessionId: () => 'a session',
    ...over,
  })
}

export const ANYBODY = { tenant: null, sessionId: null }

export function tenantWith(plan: Plan): CallerTenant {
  return { name: 'acme', reaches: () => true, condition: null, plan }
}
