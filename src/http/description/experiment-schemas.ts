import { z } from 'zod'
import { codesOf, ROLLBACK_TRIGGERS } from '../../core/vocabulary.ts'
import { traceSchema } from '../../pipeline/trace/schema.ts'

const mean = z.number().nullable()

/** Answer of `GET /v1/experiments`. Times in seconds; null when nothing was measured. */
export const experimentsSchema = z.object({
  experiments: z.array(
    z.object({
      experiment: z.string(),
      rolled_back: z
        .object({
          variant: z.string(),
          trigger: z.enum(codesOf(ROLLBACK_TRIGGERS)),
          detail: z.string(),
          since: z.string(),
        })
        .nullable(),
      variants: z.array(
        z.object({
          variant: z.string(),
          share: z.number().nullable(),
          units: z.int(),
          requests: z.int(),
          failed: z.int(),
          seconds: z.object({ mean, p50: mean, p95: mean }),
          tokens: mean,
          recall_proxy: mean,
        }),
      ),
    }),
  ),
})

/** One line of `GET /v1/experiments/{name}/outcomes`. */
export const outcomeLineSchema = z.object({
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
export const resetSchema = z.object({ experiment: z.string(), was_rolled_back: z.boolean() })
