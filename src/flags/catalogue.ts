import { closestName } from '../core/closest-name.ts'
import { compareText } from '../core/collections.ts'
import { unknownName } from '../core/schema-faults.ts'
import { CONTROL } from '../pipeline/plan/assignment.ts'
import { fullKey, namesLike } from './kill-switch.ts'
import { type PayloadReader, readPayloads } from './payloads.ts'
import type { PlanStep } from './plan-steps.ts'
import type { FlagDefinition, FlagPayload, FlagSet, VariantDefinition } from './provider.ts'
import { EXPERIMENT, kindOf, PREFIX, SHADOW, SWITCHES, type Switch } from './table.ts'

/** An experiment or a shadow run that can run. */
export interface Trial {
  key: string
  /** The key without its prefix. */
  name: string
  variantSets: FlagDefinition['variantSets']
}

/** The flags of a source, checked once, so that a request only evaluates those that are there. */
export interface FlagCatalogue {
  flags: FlagSet
  /** The switches that the source has, in the order of the table. */
  switches: readonly Switch[]
  /** Those without a fault, by name. */
  experiments: readonly Trial[]
  shadows: readonly Trial[]
  /** What a payload does with a plan; null for none, and for one with a fault. */
  stepOf(payload: FlagPayload | null): PlanStep | null
  /** What is wrong, one sentence each. Flags of other applications are no fault. */
  faults: readonly string[]
}

/** What the hash of a variant can be taken of. `default` is the tenant, else the session. */
const STICKINESS = ['default', 'sessionId', 'userId', 'tenant', 'random'] as const
/** Names stand in a header and in labels of metrics. */
const NAME = /^[\w.~-]{1,100}$/u

/** Checks the flags of a source. Never throws. */
export function checkFlags(flags: FlagSet, reader: PayloadReader): FlagCatalogue {
  const definitions = [...flags.definitions.values()].sort((a, b) => compareText(a.key, b.key))
  const payloads = readPayloads(definitions.filter(isOurs), reader)
  const faultsOf = (definition: FlagDefinition) => [
    ...payloads.faultsOf(definition),
    ...faultsOfTrial(definition),
    ...faultsOfSwitch(definition, reader),
  ]
  const runnable = (kind: string, prefix: string): Trial[] =>
    definitions
      .filter(definition => kindOf(definition.key) === kind && faultsOf(definition).length === 0)
      .map(({ key, variantSets }) => ({ key, name: key.slice(prefix.length), variantSets }))
  return {
    flags,
    switches: SWITCHES.filter(({ key }) => flags.definitions.has(key)),
    experiments: runnable('experiment', EXPERIMENT),
    shadows: runnable('shadow', SHADOW),
    stepOf: payloads.stepOf,
    faults: [
      ...flags.faults,
      ...definitions.flatMap(definition =>
        isOurs(definition) ? faultsOf(definition) : faultsOfName(definition, flags.source),
      ),
    ],
  }
}

function isOurs({ key }: FlagDefinition): boolean {
  return kindOf(key) !== null
}

/**
 * A flag of stowage that is misspelled, or lacks the prefix in the file. A server has the flags of other applications too: one of them may
 * well be called `experiment.checkout`, and who is told of it could not mend it.
 */
function faultsOfName({ key }: FlagDefinition, source: FlagSet['source']): string[] {
  if (key.startsWith(PREFIX)) return [unknownName(key, 'flag', namesLike(key))]
  if (source === 'file' && kindOf(fullKey(key)) !== null)
    return [`${key}: stowage reads ${fullKey(key)}; did you mean that?`]
  const meant = /^stowage/iu.test(key) && key.length < 100 ? closestName(key, namesLike(PREFIX)) : null
  return meant === null ? [] : [`unknown flag ${key}; did you mean ${meant}?`]
}

function faultsOfSwitch({ key, enabled }: FlagDefinition, { loaded }: PayloadReader): string[] {
  if (key !== `${PREFIX}rerank` || !enabled || loaded === 'crossencoder' || loaded === 'http') return []
  return [`${key}: is on, but the process has loaded no reranker (RERANKER=${loaded})`]
}

/** An experiment or shadow run with a fault does not run: a variant that is left out would bend the shares of the others. */
function faultsOfTrial({ key, enabled, variantSets }: FlagDefinition): string[] {
  const kind = kindOf(key)
  if (kind !== 'experiment' && kind !== 'shadow') return []
  const sets = variantSets.filter(set => set.length > 0)
  // Unleash shows a flag to all environments, and its variants to the one in which they are being prepared.
  if (sets.length === 0) return enabled ? [`${key}: has no variants`] : []
  const names = [
    key.slice((kind === 'experiment' ? EXPERIMENT : SHADOW).length),
    ...sets.flat().map(({ name }) => name),
  ]
  const faults = names
    .filter(name => !NAME.test(name))
    .map(name => `${key}: the name ${JSON.stringify(name.slice(0, 100))} must have letters, digits and . _ ~ - only`)
  if (kind === 'shadow') return [...faults, ...sets.flat().flatMap(variant => faultsOfShadow(key, variant))]
  for (const set of sets) {
    if (!set.some(({ name }) => name === CONTROL)) faults.push(`${key}: has no variant called ${CONTROL}`)
    const stickiness = set[0]?.stickiness ?? 'default'
    if (!STICKINESS.some(known => known === stickiness))
      faults.push(`${key}: stickiness ${stickiness.slice(0, 100)} is not one of ${STICKINESS.join(', ')}`)
    for (const { name, payload } of set)
      if (name === CONTROL && payload !== null) faults.push(`${key}: ${CONTROL} must have no payload`)
  }
  return faults
}

function faultsOfShadow(key: string, { name, payload }: VariantDefinition): string[] {
  return name !== CONTROL && payload === null ? [`${key}: variant ${name} has no payload, so it is the control`] : []
}
