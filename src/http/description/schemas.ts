import { z } from 'zod'
import { DEGRADATIONS, ERRORS } from '../../core/vocabulary.ts'
import { contextChunkSchema, contextRequestSchema, contextResponseSchema } from '../../pipeline/context-request.ts'
import { planSchema } from '../../pipeline/plan/plan.ts'
import {
  answerableSchema,
  degradationSchema,
  pointIdSchema,
  traceSchema,
  usedModeSchema,
} from '../../pipeline/trace/schema.ts'
import { experimentSummarySchema } from '../../rollout/rollout.ts'
import {
  compareRequestSchema,
  compareResponseSchema,
  passagesRequestSchema,
  passagesResponseSchema,
  tracesResponseSchema,
} from '../ui/schemas.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** JSON Schema (draft 2020-12) of a zod schema. @param io whether defaults may be left out (`input`) */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any', override })
}

/** In JSON, a u64 id is an integer, and the range of exact doubles says nothing. */
const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** OpenAPI wants `x-` before words of our own. */
const asExtension: typeof override = context => {
  override(context)
  const { jsonSchema } = context
  if (!('variable' in jsonSchema)) return
  jsonSchema['x-variable'] = jsonSchema.variable
  delete jsonSchema.variable
}

/** Answer of `GET /v1/experiments`. */
const experimentsSchema = z.object({ experiments: z.array(experimentSummarySchema) })

/** One line of `GET /v1/experiments/{name}/outcomes`. */
const outcomeLineSchema = z.object({
  assignment: traceSchema.shape.assignment.unwrap(),
  unit_id: z.string(),
  endpoint: traceSchema.shape.endpoint,
  started_at: traceSchema.shape.started_at,
  failed: z.boolean().nullable(),
  seconds: z.number().nullable(),
  recall_proxy: z.number().nullable(),
  tokens: z.number().nullable(),
})

/** Answer of `POST /v1/experiments/{name}/reset`. */
const resetSchema = z.object({ experiment: z.string(), was_rolled_back: z.boolean() })

/** Answer of `GET /readyz`. */
export const readinessSchema = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
})

const NAMED = {
  ContextRequest: contextRequestSchema,
  ContextResponse: contextResponseSchema,
  ContextChunk: contextChunkSchema,
  Answerable: answerableSchema,
  Degradation: degradationSchema,
  UsedMode: usedModeSchema,
  PointId: pointIdSchema,
  Trace: traceSchema,
  TraceCandidate: traceSchema.shape.candidates.element,
  Assignment: traceSchema.shape.assignment.unwrap(),
  Plan: planSchema,
  Experiments: experimentsSchema,
  ExperimentOutcome: outcomeLineSchema,
  ExperimentReset: resetSchema,
  TraceList: tracesResponseSchema,
  CompareRequest: compareRequestSchema,
  Comparison: compareResponseSchema,
  PassagesRequest: passagesRequestSchema,
  Passages: passagesResponseSchema,
  Readiness: readinessSchema,
} satisfies Record<string, z.ZodType>

export type SchemaName = keyof typeof NAMED | 'Error'

export const refTo = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` })

/** The schemas of `components`, by name. They refer to one another by name. */
export function namedSchemas(): Record<SchemaName, object> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id })
  const uri = (id: string) => refTo(id as SchemaName).$ref
  const { schemas } = z.toJSONSchema(registry, { uri, unrepresentable: 'any', override: asExtension })
  const named = Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema])
  return { ...Object.fromEntries(named), Error: errorSchema() }
}

/** The body of an error. Each code has its status and meaning as description. */
function errorSchema(): object {
  const codes = Object.entries(ERRORS).map(([code, { status, meaning }]) => ({
    const: code,
    description: `${status}: ${meaning}`,
  }))
  return {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message'],
        additionalProperties: false,
        properties: {
          code: { type: 'string', oneOf: codes },
          message: { type: 'string' },
          details: { description: 'For a wrong request, a list of `{ field, message, value }`.' },
        },
      },
    },
    'x-degradations': DEGRADATIONS,
  }
}
