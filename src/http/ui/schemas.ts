import { z } from 'zod'
import { collectionName, contextRequestSchema, contextResponseSchema } from '../../pipeline/context-request.ts'
import { answerableSchema, pointIdSchema, traceSchema } from '../../pipeline/trace/schema.ts'
import { traceSummarySchema } from '../../pipeline/trace/summary.ts'

/** The plans that stowage is shown beside: top-k by fused rank without a reranker, or top-k of the list that stowage packs from. */
const RIVALS = ['baseline', 'topk'] as const
export type Rival = (typeof RIVALS)[number]

const { query, collection, budget_tokens } = contextRequestSchema.shape

/** Body of `POST /v1/ui/compare`. */
export const compareRequestSchema = z.strictObject({
  query,
  collection: collection.unwrap(),
  budget_tokens,
  against: z.enum(RIVALS).optional(),
})

/** A point with its text, for a reader. */
const passageSchema = z.object({
  collection: z.string(),
  id: pointIdSchema,
  doc_id: z.string(),
  doc_title: z.string(),
  section_path: z.string(),
  /** At most 20,000 UTF-16 code units. */
  text: z.string(),
})
export type Passage = z.infer<typeof passageSchema>

const passagesAnswer = z.object({
  passages: z.array(passageSchema),
  /** Why texts are missing that should be there; null when none is. */
  passages_missing: z.string().nullable(),
})

const tracedContext = z.object({ ...contextResponseSchema.shape, trace: traceSchema })

/** Answer of `POST /v1/ui/compare`: both contexts with their traces, and the texts of all their candidates. */
export const compareResponseSchema = z.object({
  stowage: tracedContext,
  top_k: tracedContext,
  ...passagesAnswer.shape,
})
export type Comparison = z.infer<typeof compareResponseSchema>

const MOST_POINTS = 2_000

/** Body of `POST /v1/ui/passages`. An id in digits can be a text, because JavaScript loses digits of large ones. */
export const passagesRequestSchema = z.strictObject({
  points: z.array(z.strictObject({ collection: collectionName, id: pointIdSchema })).max(MOST_POINTS),
})

/** Answer of `POST /v1/ui/passages`. Points that are not there, or that the caller may not read, are left out. */
export const passagesResponseSchema = passagesAnswer
export type Passages = z.infer<typeof passagesResponseSchema>

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/u, 'must be a whole number')
  .transform(Number)

/** Query string of `GET /v1/traces`. */
export const tracesQuerySchema = z.strictObject({
  limit: wholeNumber.pipe(z.int().min(1).max(500)).optional().describe('Most traces. Default: 50.'),
  endpoint: traceSchema.shape.endpoint.optional().describe('Only requests to this endpoint.'),
  degraded: z.enum(['true', 'false']).optional().describe('Only requests with left-out steps, or only those without.'),
  verdict: answerableSchema.shape.verdict.optional().describe('Only requests with this verdict.'),
  query: z.string().max(1_000).optional().describe('A part of the question, in any case.'),
  min_ms: wholeNumber.optional().describe('Only requests that took at least as many milliseconds.'),
})

/** Answer of `GET /v1/traces`, the newest first. */
export const tracesResponseSchema = z.object({
  traces: z.array(traceSummarySchema),
  /** Number of kept traces of the caller, without filters. */
  kept: z.int(),
})
