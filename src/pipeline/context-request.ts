import { z } from 'zod'
import { CONTEXT_FORMATS, CONTEXT_ORDERS, FILLS, type JsonObject, RETRIEVAL_MODES } from '../core/types.ts'
import { ANSWERABLE_REASONS, codesOf, VERDICTS } from '../core/vocabulary.ts'
import { RELEVANCE_KINDS } from './confidence/relevance.ts'
import type { Deadline } from './deadline.ts'
import type { Assignment } from './plan/decision.ts'
import type { Plan } from './plan/plan.ts'
import { degradationSchema, pointIdSchema, traceSchema, usedModeSchema } from './trace/schema.ts'

/** Longest query in UTF-16 code units. */
export const LONGEST_QUERY = 8_192

export const collectionName = z
  .string()
  .min(1)
  .max(255)
  .refine(name => name.isWellFormed(), 'must not contain half of a surrogate pair')
  // In a path, these two would lead to another one.
  .refine(name => name !== '.' && name !== '..', 'must not be . or ..')

/** Whether no number of a JSON value was read as Infinity (`1e999`). Printed as JSON it would become null, which is another filter. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
}

const share = z.number().min(0).max(1)
/** Arguments of a `refine` over several fields. It runs beside other faults too, so that all are named at once. */
type Check<Fields> = [(request: Fields) => boolean, { path: string[]; message: string; when: typeof hasFields }]
const hasFields = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** A request says once where to search. */
export const ONE_PLACE: Check<{ collection?: unknown; project?: unknown }> = [
  ({ collection, project }) => (collection === undefined) !== (project === undefined),
  { path: ['collection'], message: 'give either collection or project', when: hasFields },
]

/** A request has one of the two names of a field. */
export const ONE_THRESHOLD: Check<{ min_relevance?: unknown; score_threshold?: unknown }> = [
  one => one.min_relevance === undefined || one.score_threshold === undefined,
  {
    path: ['score_threshold'],
    message: 'is the former name of min_relevance: give one of the two',
    when: hasFields,
  },
]

/** Body of `POST /v1/context`: a question to a collection, or to a project. Unknown keys are errors. */
export const contextRequestSchema = z
  .strictObject({
    query: z.string().min(1).max(LONGEST_QUERY),
    collection: z.union([collectionName, z.array(collectionName).min(1).max(16)]).optional(),
    project: z.string().min(1).max(64).optional(),
    filter: z.record(z.string(), z.unknown()).refine(isExact, 'a number is beyond the range of a double').optional(),
    budget_tokens: z.int().min(0).max(10_000_000).optional(),
    mode: z.enum(RETRIEVAL_MODES).optional(),
    model: z.string().min(1).max(200).optional(),
    limit: z.int().min(1).max(1000).optional(),
    fill: z.enum(FILLS).optional(),
    min_relevance: share.optional(),
    /** The former name of `min_relevance`. */
    score_threshold: share.optional(),
    vector: z.array(z.number()).min(1).max(65_536).optional(),
    session_id: z.string().min(1).max(200).optional(),
    format: z.enum(CONTEXT_FORMATS).optional(),
    order: z.enum(CONTEXT_ORDERS).optional(),
    trace: z.boolean().optional(),
    deadline_ms: z.int().min(1).max(600_000).optional(),
  })
  .refine(...ONE_PLACE)
  .refine(...ONE_THRESHOLD)

export type ContextRequest = Omit<z.infer<typeof contextRequestSchema>, 'filter'> & { filter?: JsonObject | undefined }

const contextChunkSchema = z.object({
  id: pointIdSchema,
  collection: z.string(),
  doc_id: z.string(),
  doc_title: z.string(),
  section_path: z.string(),
  order_index: z.int().nullable(),
  score: z.number(),
  /** Estimated probability that the chunk answers the question. */
  relevance: share,
  relevance_kind: z.enum(RELEVANCE_KINDS),
  tokens: z.int(),
  text: z.string(),
  citation: z.string(),
})

/** How likely the documents answer the question. More fields may follow. */
const answerableSchema = z.object({
  probability: share,
  verdict: z.enum(codesOf(VERDICTS)),
  reasons: z.array(z.enum(codesOf(ANSWERABLE_REASONS))),
})

/** Answer of `POST /v1/context`. `tokens` is the count of `context` and at most `budget_tokens`. */
export const contextResponseSchema = z.object({
  context: z.string(),
  tokens: z.int(),
  budget_tokens: z.int(),
  chunks: z.array(contextChunkSchema),
  mode: usedModeSchema,
  answerable: answerableSchema,
  degraded: z.array(degradationSchema),
  trace_id: z.string(),
  trace: traceSchema.optional(),
})

export type ContextChunk = z.infer<typeof contextChunkSchema>
export type ContextResponse = z.infer<typeof contextResponseSchema>

/** What a tenant may read, and by which plan. */
export interface CallerTenant {
  readonly name: string
  reaches(collection: string): boolean
  /** The condition on every point that is read; null for none. */
  readonly condition: JsonObject | null
  /** Absent: the plan of the configuration. */
  readonly plan?: Plan
}

/** The client of a request. */
export interface Caller {
  /** The key for Qdrant: the client's own, or that of its tenant. Null sends none. */
  apiKey: string | null
  /** Null without tenants: Qdrant alone decides what a key may access. */
  tenant: CallerTenant | null
  /** Aborts when the client disconnects or the deadline passes. */
  signal: AbortSignal
  /** Called when the request turns out to be part of an experiment. */
  onAssigned?: (assignment: Assignment) => void
}

/** Who asks, and until when. */
export interface TimedCaller {
  apiKey: string | null
  /** The name of the tenant, for fair turns. */
  tenant: string | null
  /** The condition of the tenant on every point that is read; null for none. */
  condition: JsonObject | null
  deadline: Deadline
  /** Whether other requests of the tenant wait, so that this one should do without reranking. */
  crowded: () => boolean
}
