import { z } from 'zod'
import { planSchema } from './plan.ts'

/** One value of a plan: its path with dots (`packing.mode`), its schema, and what the schema says about it. */
export interface PlanValue {
  path: string
  schema: z.ZodType
  description: string
  /** Environment variable that sets it; null where only overrides do. */
  variable: string | null
}

/** All values of a plan in the order of the schema. */
export const PLAN_VALUES: readonly PlanValue[] = valuesOf(planSchema, '')

function valuesOf(schema: z.ZodObject, prefix: string): PlanValue[] {
  return Object.entries(schema.shape).flatMap(([key, inner]) => {
    const path = `${prefix}${key}`
    if (inner instanceof z.ZodObject) return valuesOf(inner, `${path}.`)
    const { description = '', variable } = (inner as z.ZodType).meta() ?? {}
    return [{ path, schema: inner as z.ZodType, description, variable: typeof variable === 'string' ? variable : null }]
  })
}

const SWITCH: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  '1': true,
  off: false,
  false: false,
  '0': false,
}
const NONE: ReadonlySet<string> = new Set(['off', 'none', 'null'])

/**
 * Reads a value that was given as text, in the environment or on the command line: `on` and `off` for switches, `off` for a
 * nullable value, decimal numbers.
 * @returns the value, or the fault in words
 */
export function readPlanText({ schema }: PlanValue, text: string): { value: unknown } | { fault: string } {
  const parsed = schema.safeParse(interpret(schema, text))
  return parsed.success
    ? { value: parsed.data }
    : { fault: parsed.error.issues.map(({ message }) => message).join('; ') }
}

function interpret(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodNullable) return NONE.has(text) ? null : interpret(schema.unwrap() as z.ZodType, text)
  if (schema instanceof z.ZodBoolean) return Object.hasOwn(SWITCH, text) ? SWITCH[text] : text
  if (schema instanceof z.ZodNumber) return /^-?(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text
  return text
}
