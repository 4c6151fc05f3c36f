import { z } from 'zod'
import { CONTEXT_FORMATS, CONTEXT_ORDERS, FILLS, type JsonObject, RETRIEVAL_MODES } from '../core/types.ts'
import { LARGEST_FLOAT32 } from '../qdrant/float32.ts'
import { isPathPart, LONGEST_COLLECTION_NAME } from '../qdrant/paths.ts'
import { MOST_DIMENSIONS } from '../qdrant/points.ts'
import { RELEVANCE_KINDS } from './confidence/relevance.ts'
import {
  answerableSchema,
  correctionSchema,
  degradationSchema,
  pointIdSchema,
  traceSchema,
  usedModeSchema,
} from './trace/schema.ts'

/** `x-stowage-replay: true` marks a request of `stowage replay`: a measurement, and no question of a user. */
export const REPLAY_HEADER = 'x-stowage-replay'

/** Longest query in UTF-16 code units. */
export const LONGEST_QUERY = 8_192

export const collectionName = z
  .string()
  .min(1)
  .max(LONGEST_COLLECTION_NAME)
  .refine(isPathPart, 'must not be . or .., and must not contain a slash, a backslash or half of a surrogate pair')
  .meta({ pattern: '^[^/\\\\]*$', not: { enum: ['.', '..'] } })

/** Whether no number of a JSON value was read as Infinity (`1e999`). Printed as JSON it would become null, which is another filter. */
function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact)
}

const share = z.number().min(0).max(1)

/** The meaning of a field, for the description of the API and its page. */
const describe = <Schema extends z.ZodType>(schema: Schema, description: string): Schema => schema.meta({ description })

/** Arguments of a `refine` over several fields. It runs beside other faults too, so that all are named at once. */
type Check<Fields> = [(request: Fields) => boolean, { path: string[]; message: string; when: typeof hasFields }]
const hasFields = ({ value }: { value: unknown }) => typeof value === 'object' && value !== null

/** A u64; numbers beyond 2^53 come as bigint. The description has the largest double that is one. */
const shardNumber = z
  .union([
    z.int().min(0),
    z
      .bigint()
      .min(0n)
      .max(2n ** 64n - 1n),
  ])
  .meta({ type: 'integer', minimum: 0, maximum: 2 ** 64 - 2 ** 11 })
const shardKey = z.union([z.string().min(1).max(1_000), shardNumber])
const shardKeySchema = z.union(
  [shardKey, z.array(shardKey).min(1).max(100), z.strictObject({ target: shardKey, fallback: shardKey })],
  'must be a shard key (a text, or a whole number from 0), a list of 1 to 100 of them, or {target, fallback}',
)

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
    query: describe(z.string().min(1).max(LONGEST_QUERY), 'The question. Its length counts in UTF-16 code units.'),
    collection: describe(
      z.union([collectionName, z.array(collectionName).min(1).max(16)]).optional(),
      'Where to search: a collection or several. A request has this or `project`.',
    ),
    project: describe(z.string().min(1).max(64).optional(), 'A project, whose collection is searched by its plan.'),
    filter: describe(
      // JSON, as it comes from a body.
      (z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>)
        .refine(isExact, 'a number is beyond the range of a double')
        .nullish(),
      'A filter of Qdrant, at most 256 KiB of JSON. It restricts the search and the neighbours. null is none, as in Qdrant.',
    ),
    consistency: describe(
      z.union([z.int().min(1).max(1_000), z.enum(['majority', 'quorum', 'all'])]).optional(),
      'How many replicas of a Qdrant cluster must agree on each read, as in Qdrant. Default: that of Qdrant.',
    ),
    shard_key: describe(
      shardKeySchema.optional(),
      'The shards of a Qdrant cluster that every read of this request goes to, as in Qdrant: a key, a list of keys, or `{target, fallback}`.',
    ),
    timeout: describe(
      z.int().min(1).max(600).optional(),
      'Longest time of one read in Qdrant, in seconds. The deadline of the request still holds.',
    ),
    budget_tokens: describe(
      z.int().min(0).max(10_000_000).optional(),
      'Most tokens of the context. Default: `CONTEXT_TOKEN_BUDGET`.',
    ),
    mode: describe(
      z.enum(RETRIEVAL_MODES).optional(),
      'Which lists are searched: both, only the dense one, or only the keyword one. Default: `RETRIEVAL_MODE`.',
    ),
    model: describe(
      z.string().min(1).max(200).optional(),
      'The model whose tokenizer counts. Default: `TOKENIZER_MODEL`.',
    ),
    limit: describe(z.int().min(1).max(1000).optional(), 'Most chunks of the context.'),
    fill: describe(
      z.enum(FILLS).optional(),
      'Fill the budget with what fits, or stop before filler. Default: `PACKING_FILL`.',
    ),
    min_relevance: describe(
      share.optional(),
      'Least `relevance` of a chunk. What is below it is dropped, so the context can be empty. Default: `PACKING_MIN_RELEVANCE`.',
    ),
    score_threshold: describe(share.optional(), 'The former name of `min_relevance`: give one of the two.'),
    vector: describe(
      z.array(z.number().min(-LARGEST_FLOAT32).max(LARGEST_FLOAT32)).min(1).max(MOST_DIMENSIONS).optional(),
      'A ready query vector; then no embedder is needed.',
    ),
    session_id: describe(
      z.string().min(1).max(200).optional(),
      "The client's session. With `order: stable`, what an earlier turn packed keeps its place.",
    ),
    format: describe(z.enum(CONTEXT_FORMATS).optional(), 'How the context is written.'),
    order: describe(z.enum(CONTEXT_ORDERS).optional(), 'The order of the blocks.'),
    trace: describe(z.boolean().optional(), 'Put the trace into the answer.'),
    deadline_ms: describe(
      z.int().min(1).max(600_000).optional(),
      'The deadline of this request in milliseconds. Default: `REQUEST_DEADLINE_MS`.',
    ),
  })
  .refine(...ONE_PLACE)
  .refine(...ONE_THRESHOLD)
  // What the two rules are in JSON Schema.
  .meta({
    oneOf: [{ required: ['collection'] }, { required: ['project'] }],
    not: {
      properties: { min_relevance: {}, score_threshold: {} },
      required: ['min_relevance', 'score_threshold'],
    },
  })

export type ContextRequest = z.infer<typeof contextRequestSchema>

export const contextChunkSchema = z.object({
  id: describe(pointIdSchema, 'The id of the point.'),
  collection: z.string(),
  doc_id: z.string(),
  doc_title: z.string(),
  section_path: describe(z.string(), 'The headings above the chunk: `A > B > C`.'),
  order_index: describe(z.int().nullable(), 'The place of the chunk in its document, from 0.'),
  score: describe(z.number(), 'The value that decides the order of packing.'),
  relevance: describe(share, 'Estimated probability that the chunk answers the question.'),
  relevance_kind: describe(z.enum(RELEVANCE_KINDS), 'What `relevance` rests on.'),
  tokens: describe(z.int(), 'Tokens of `text`.'),
  text: z.string(),
  citation: describe(z.string(), 'How the context refers to the chunk.'),
})

/** Answer of `POST /v1/context`. `tokens` is the count of `context` and at most `budget_tokens`. */
export const contextResponseSchema = z.object({
  context: describe(z.string(), 'The text for the prompt.'),
  tokens: describe(
    z.int(),
    'Tokens of `context`, counted with the tokenizer of `model`; never more than `budget_tokens`.',
  ),
  budget_tokens: describe(z.int(), 'The budget in force.'),
  chunks: describe(
    z.array(contextChunkSchema),
    'The chunks in the order of the context, each with its id, document, section, score, relevance, tokens, text and citation.',
  ),
  mode: describe(usedModeSchema, 'The mode that was asked, and the one that was used.'),
  answerable: describe(
    answerableSchema,
    'How likely the documents answer the question: probability, verdict and reasons.',
  ),
  corrections: describe(
    z.array(correctionSchema).optional(),
    'Words of the question that were probably misspelt, and the words that were searched instead; absent when none was.',
  ),
  degraded: describe(z.array(degradationSchema), 'Steps that could not do their work.'),
  trace_id: describe(z.string(), 'The id for `GET /v1/traces/{id}`.'),
  trace: describe(traceSchema.optional(), 'The trace, when it was asked for.'),
})

export type ContextChunk = z.infer<typeof contextChunkSchema>
export type ContextResponse = z.infer<typeof contextResponseSchema>
