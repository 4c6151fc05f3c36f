import type { UnleashConfig } from 'unleash-client'
import { z } from 'zod'
import { describeIssues } from '../../core/schema-faults.ts'
import type { FlagDefinition, VariantDefinition } from '../../flags/provider.ts'
import { PREFIX } from '../../flags/table.ts'
import { isObject } from '../../qdrant/json.ts'

type Repository = NonNullable<UnleashConfig['repository']>
type Feature = NonNullable<ReturnType<Repository['getToggle']>>
type Segment = NonNullable<ReturnType<Repository['getSegment']>>

/** What the client API of Unleash answers, and what a flags file holds. */
export interface FlagDocument {
  features: ReadonlyMap<string, Feature>
  segments: ReadonlyMap<number, Segment>
}

/** The strategies that unleash-client evaluates. Another one never enables a flag. */
const STRATEGIES = [
  'default',
  'flexibleRollout',
  'userWithId',
  'gradualRolloutRandom',
  'gradualRolloutSessionId',
  'gradualRolloutUserId',
  'remoteAddress',
  'applicationHostname',
] as const

/** Unleash writes null where there is nothing. */
const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema)
    .nullish()
    .transform(list => list ?? [])
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform(value => value ?? undefined) as z.ZodType<z.output<Schema> | undefined>
const asText = z.union([z.string(), z.number(), z.boolean()]).transform(String)

const constraint = z.object({
  contextName: z.string(),
  operator: z.string(),
  values: listOf(asText),
  value: optional(asText),
  inverted: z.boolean().nullish().transform(Boolean),
  caseInsensitive: z.boolean().nullish().transform(Boolean),
})
const variant = z.object({
  name: z.string().min(1),
  weight: z.number().min(0),
  stickiness: optional(z.string()),
  payload: optional(z.object({ type: z.string(), value: z.string() })),
  overrides: listOf(z.object({ contextName: z.string(), values: listOf(asText) })),
})
const strategy = z.object({
  name: z.enum(STRATEGIES),
  parameters: z
    .record(z.string(), asText)
    .nullish()
    .transform(parameters => parameters ?? {}),
  constraints: listOf(constraint),
  segments: listOf(z.number()),
  variants: listOf(variant),
})
const feature = z.object({
  name: z.string().min(1),
  enabled: z.boolean(),
  strategies: listOf(strategy),
  variants: listOf(variant),
  dependencies: listOf(z.object({ feature: z.string(), enabled: optional(z.boolean()), variants: listOf(z.string()) })),
})
const segment = z.object({ id: z.number(), constraints: listOf(constraint) })

/**
 * Reads a document of flags. Never throws.
 * @returns what could be read, null when it is no such document at all; and one line per fault, with the name of its flag
 */
export function readFlagDocument(value: unknown): {
  document: FlagDocument | null
  faults: { flag: string | null; fault: string }[]
} {
  if (!isObject(value) || !Array.isArray(value.features))
    return { document: null, faults: [{ flag: null, fault: 'must be a mapping with a list of features' }] }
  const faults: { flag: string | null; fault: string }[] = []
  const features = new Map<string, Feature>()
  const segments = new Map<number, Segment>()
  for (const [index, one] of value.features.entries()) {
    const flag = isObject(one) && typeof one.name === 'string' ? one.name : null
    const read = feature.safeParse(one)
    const place = flag === null ? `features[${index}]` : flag.slice(0, 100)
    for (const fault of describeIssues(read.error, place, one)) faults.push({ flag, fault })
    if (!read.success) continue
    if (features.has(read.data.name)) faults.push({ flag, fault: `${place}: is there twice` })
    else features.set(read.data.name, read.data as Feature)
  }
  const given = value.segments ?? []
  if (!Array.isArray(given)) faults.push({ flag: null, fault: 'segments: must be a list' })
  for (const [index, one] of Array.isArray(given) ? given.entries() : []) {
    const read = segment.safeParse(one)
    for (const fault of describeIssues(read.error, `segments[${index}]`, one)) faults.push({ flag: null, fault })
    if (read.success) segments.set(read.data.id, read.data as Segment)
  }
  return { document: { features, segments }, faults }
}

/** Whether a fault concerns stowage: a server has the flags of other applications too. */
export function isOurs(flag: string | null): boolean {
  return flag === null || flag.startsWith(PREFIX)
}

export function definitionOf({ name, enabled, strategies, variants }: Feature): FlagDefinition {
  const sets = [
    variants?.map(one => asDefinition(one, 'default')) ?? [],
    ...(strategies ?? []).map(({ parameters, variants: own }) =>
      (own ?? []).map(one => asDefinition(one, String(parameters.stickiness ?? 'default'))),
    ),
  ]
  return { key: name, enabled, variantSets: sets.filter(set => set.length > 0) }
}

type Variant = NonNullable<Feature['variants']>[number]

function asDefinition({ name, weight, stickiness, payload }: Variant, otherwise: string): VariantDefinition {
  return { name, weight, stickiness: stickiness || otherwise, payload: payload ?? null }
}
