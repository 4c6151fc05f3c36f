import { z } from 'zod'
import { settingsSchema } from '../../../src/config/settings.ts'
import { KNOWN_PRICES } from '../../../src/contexts/spending/price-table.ts'
import {
  ANSWERABLE_REASONS,
  CONTEXT_FALLBACKS,
  CONTEXT_FAULTS,
  DEGRADATIONS,
  DROP_REASONS,
  EFFECT_VERDICTS,
  ERRORS,
  PASSTHROUGH_REASONS,
  ROLLBACK_TRIGGERS,
  SHADOW_OUTCOMES,
  STAGES,
  UPSERT_FAULTS,
  VERDICTS,
} from '../../../src/core/vocabulary.ts'
import { RULES } from '../../../src/evaluation/ablation/rules.ts'
import { GOLDEN_FINDINGS } from '../../../src/evaluation/golden-set/golden-findings.ts'
import { LOSS_STEPS } from '../../../src/evaluation/loss/steps.ts'
import { MEASURES } from '../../../src/evaluation/metrics/measures.ts'
import { IMPROVE, SWITCHES } from '../../../src/flags/table.ts'
import { OWN_ROUTES } from '../../../src/http/description/own-routes.ts'
import { createMetrics } from '../../../src/observe/metrics.ts'
import { contextRequestSchema, contextResponseSchema } from '../../../src/pipeline/context-request.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { PLAN_VALUES, type PlanValue } from '../../../src/pipeline/plan/plan-values.ts'
import { RELAY_PATHS } from '../../../src/relay/paths.ts'
import { tenantSchema } from '../../../src/tenants/file/schema.ts'
import { tenantRouteRows } from './tenant-routes.ts'

/** The parts of the pages under `docs/` that are written by `npm run docs`, by the name in their marker. */
export async function generatedSections(): Promise<Record<string, string>> {
  return {
    settings: settingsTable(),
    'plan values': planTable(),
    routes: table(
      ['route', 'what it does'],
      Object.entries(OWN_ROUTES).map(([route, does]) => [code(route), does]),
    ),
    'relay routes': table(
      ['path', 'what it does'],
      Object.entries(RELAY_PATHS).map(([path, does]) => [code(path), does]),
    ),
    'context request': fieldsTable(contextRequestSchema),
    'context answer': table(
      ['field', 'meaning'],
      Object.entries(contextResponseSchema.shape).map(([name, field]) => [code(name), field.meta()?.description ?? '']),
    ),
    errors: table(
      ['code', 'status', 'meaning'],
      Object.entries(ERRORS).map(([name, { status, meaning }]) => [code(name), String(status), meaning]),
    ),
    degradations: vocabulary('code', DEGRADATIONS),
    verdicts: vocabulary('verdict', VERDICTS),
    'answerable reasons': vocabulary('reason', ANSWERABLE_REASONS),
    'passthrough reasons': vocabulary('reason', PASSTHROUGH_REASONS),
    'upsert faults': vocabulary('reason', UPSERT_FAULTS),
    'golden findings': table(
      ['code', 'severity', 'meaning', 'what to do'],
      Object.entries(GOLDEN_FINDINGS).map(([name, { severity, meaning, advice }]) => [
        code(name),
        severity,
        meaning,
        advice,
      ]),
    ),
    'context faults': table(
      ['fault', 'meaning', 'what the model is told'],
      Object.entries(CONTEXT_FAULTS).map(([name, { meaning, advice }]) => [code(name), meaning, advice]),
    ),
    'context fallbacks': vocabulary('reason', CONTEXT_FALLBACKS),
    'model prices': table(
      ['model', 'input', 'cached', 'written into the cache', 'output'],
      [...KNOWN_PRICES].map(([model, { input, cached, cacheWritten, output }]) => [
        code(model),
        ...[input, cached, cacheWritten, output].map(String),
      ]),
    ),
    'drop reasons': vocabulary('reason', DROP_REASONS),
    stages: vocabulary('stage', STAGES),
    'rollback triggers': vocabulary('trigger', ROLLBACK_TRIGGERS),
    'shadow outcomes': vocabulary('outcome', SHADOW_OUTCOMES),
    'effect verdicts': vocabulary('verdict', EFFECT_VERDICTS),
    measures: table(
      ['measure', 'name', 'meaning', 'better'],
      Object.entries(MEASURES).map(([name, { title, meaning, better }]) => [title, code(name), meaning, better]),
    ),
    'loss steps': table(
      ['step', 'name', 'meaning'],
      Object.entries(LOSS_STEPS).map(([name, { title, meaning }]) => [title, code(name), meaning]),
    ),
    rules: table(
      ['rule', 'what it does', 'in `measured`'],
      Object.entries(RULES).map(([name, { meaning, isOn }]) => [
        code(name),
        meaning,
        isOn(NAMED_PLANS.measured) ? 'yes' : '',
      ]),
    ),
    metrics: await metricsTable(),
    flags: table(
      ['flag', 'what it guards', 'plan values', '`measured`', 'owner', 'since'],
      SWITCHES.map(({ key, guards, values, default: on, owner, since }) => [
        code(key),
        guards,
        key === IMPROVE ? 'all of the values below' : values.map(code).join(', '),
        shown(on),
        owner,
        since,
      ]),
    ),
    'tenant fields': tenantTable(),
    'tenant routes': table(['route', 'operation', 'open to', 'how it is kept to the tenant'], tenantRouteRows()),
  }
}

const MARKER = /(<!-- generated: ([a-z ]+) -->\n)[\s\S]*?(<!-- end -->)/g

/** A page with its generated parts as they should be. @throws Error for a marker with an unknown name */
export function withSections(page: string, sections: Readonly<Record<string, string>>): string {
  return page.replace(MARKER, (_whole, opening: string, name: string, closing: string) => {
    const section = sections[name]
    if (section === undefined) throw new Error(`no generated section is called ${name}`)
    return `${opening}\n${section}\n\n${closing}`
  })
}

/** Names of the generated parts that a page holds. */
export function sectionsOf(page: string): string[] {
  return [...page.matchAll(MARKER)].map(([, , name]) => name ?? '')
}

function fieldsTable({ shape }: typeof contextRequestSchema): string {
  const rows = Object.entries(shape).map(([name, field]) => [
    code(name),
    rangeOf(field),
    field.meta()?.description ?? '',
  ])
  return table(['field', 'values', 'meaning'], rows)
}

/** The values of a field by its JSON Schema. */
function rangeOf(field: z.ZodType): string {
  return valuesOf(z.toJSONSchema(field, { unrepresentable: 'any' }))
}

function valuesOf({
  type,
  enum: values,
  anyOf,
  minLength,
  maxLength,
  ...schema
}: z.core.JSONSchema.JSONSchema): string {
  if (values) return values.map(value => code(String(value))).join(', ')
  const most = anyOf?.map(one => one.maxItems).find(maxItems => maxItems !== undefined)
  if (most !== undefined) return `name, or up to ${most} names`
  if (anyOf) return anyOf.map(valuesOf).join(', ')
  if (type === 'string') return `${minLength} to ${count(maxLength)} characters`
  if (type === 'array') return `${schema.minItems} to ${count(schema.maxItems)} numbers`
  if (type === 'integer' || type === 'number') return `${schema.minimum} to ${count(schema.maximum)}`
  return String(type)
}

const count = (most: number | undefined) => most?.toLocaleString('en-US') ?? ''

function settingsTable(): string {
  const defaults: Record<string, unknown> = settingsSchema.parse({})
  const rows = Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const { description = '' } = schema.meta() ?? {}
    return [code(name), optionsOf(schema), shown(defaults[name]), description]
  })
  return table(['variable', 'values', 'default', 'what it sets'], rows)
}

function planTable(): string {
  const presets = /^retrieval\.presets\.(?!definition\.)/
  const rows = PLAN_VALUES.filter(({ path }) => !presets.test(path)).map((value: PlanValue) => {
    const { path, variable, schema, description } = value
    const [measured, design] = [valueAt(NAMED_PLANS.measured, path), valueAt(NAMED_PLANS.design, path)]
    const both = measured === design ? shown(measured) : `${shown(measured)} (${shown(design)})`
    return [
      code(path.replace('.definition.', '.<intent>.')),
      variable === null ? '' : code(variable),
      optionsOf(schema),
      path.startsWith('retrieval.presets') ? 'by intent' : both,
      description,
    ]
  })
  return table(['value', 'variable', 'values', '`measured` (`design`)', 'what it decides'], rows)
}

function tenantTable(): string {
  const { properties = {}, required = [] } = z.toJSONSchema(tenantSchema, { io: 'input', unrepresentable: 'any' })
  const rows = Object.entries(properties).map(([name, property]) => {
    const { description = '', default: initial } = property as { description?: string; default?: unknown }
    return [
      code(name),
      required.includes(name) ? 'needed' : initial === undefined ? '' : JSON.stringify(initial),
      description,
    ]
  })
  return table(['field of a tenant', 'default', 'meaning'], rows)
}

async function metricsTable(): Promise<string> {
  const metrics = await createMetrics({ processMetrics: false }).registry.getMetricsAsJSON()
  return table(
    ['metric', 'type', 'meaning'],
    metrics.map(({ name, type, help }) => [code(name), String(type), help]),
  )
}

function optionsOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return optionsOf(schema.unwrap())
  if (schema instanceof z.ZodNullable) return ['off', optionsOf(schema.unwrap())].filter(Boolean).join(', ')
  if (schema instanceof z.ZodPipe) return optionsOf(schema.out)
  if (schema instanceof z.ZodURL) return 'URL'
  if (schema instanceof z.ZodEnum) return schema.options.join(', ')
  if (schema instanceof z.ZodBoolean) return 'on, off'
  if (schema instanceof z.ZodNumber) return range(schema.minValue, schema.maxValue)
  return ''
}

function range(least: number | null, most: number | null): string {
  if (least === null) return ''
  return most === null || most >= Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`
}

function shown(value: unknown): string {
  if (value === undefined) return ''
  if (value === null) return 'off'
  if (value instanceof Map) return value.size === 0 ? '' : [...value].map(([from, to]) => `${from}=${to}`).join(', ')
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}

function valueAt(plan: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), plan)
}

function vocabulary(title: string, entries: Readonly<Record<string, string>>): string {
  return table(
    [title, 'meaning'],
    Object.entries(entries).map(([name, meaning]) => [code(name), meaning]),
  )
}

const code = (text: string) => `\`${text}\``

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
