import { z } from 'zod'
import { planSchema } from './plan.ts'

export interface PlanValue {
  /** Dotted path, such as `packing.mode`. */
  path: string
  schema: z.ZodType
  description: string
  /** Environment variable that sets it; null when there is none. */
  variable: string | null
}

/** All values of a plan, in schema order. */
export const PLAN_VALUES: readonly PlanValue[] = valuesOf(planSchema, '')

function valuesOf(schema: z.ZodObject, prefix: string): PlanValue[] {
  return Object.entries(schema.shape).flatMap(([key, inner]) => {
    const path = `${prefix}${key}`
    if (inner instanceof z.ZodObject) return valuesOf(inner, `${path}.`)
    const { description = '', variable } = (inner as z.ZodType).meta() ?? {}
    return [{ path, schema: inner as z.ZodType, description, variable: typeof variable === 'string' ? variable : null }]
  })
}

const ON = ['on', 'true', '1']
const OFF = ['off', 'false', '0']
const NONE = ['off', 'none', 'null']

/**
 * Parses a plan value from the environment or the command line: `on` and `off` for switches, `off` for null, decimal numbers.
 * @returns the value or the fault
 */
export function readPlanText({ schema }: PlanValue, text: string): { value: unknown } | { fault: string } {
  const parsed = schema.safeParse(interpret(schema, text))
  return parsed.success
    ? { value: parsed.data }
    : { fault: parsed.error.issues.map(({ message }) => message).join('; ') }
}

function interpret(schema: z.ZodType, text: string): unknown {
  if (schema instanceof z.ZodNullable) return NONE.includes(text) ? null : interpret(schema.unwrap() as z.ZodType, text)
  if (schema instanceof z.ZodBoolean) return ON.includes(text) || (OFF.includes(text) ? false : text)
  if (schema instanceof z.ZodNumber) return /^-?(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : text
  return text
}
