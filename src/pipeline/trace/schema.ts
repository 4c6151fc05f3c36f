import { z } from 'zod'
import { INTENTS, ORIGINS, QUERY_SOURCES, RETRIEVAL_MODES } from '../../core/types.ts'
import {
  ANSWERABLE_REASONS,
  codesOf,
  DEGRADATIONS,
  DROP_REASONS,
  PASSTHROUGH_REASONS,
  STAGES,
  VERDICTS,
} from '../../core/vocabulary.ts'
import { assignmentSchema } from '../plan/assignment.ts'
import { flagDecisionSchema } from '../plan/decision.ts'
import { planSchema } from '../plan/plan.ts'

export const TRACE_VERSION = 3

export const pointIdSchema = z.union([z.string(), z.number(), z.bigint()])

/** A step that could not do its work, and the reason. */
export const degradationSchema = z.object({ code: z.enum(codesOf(DEGRADATIONS)), detail: z.string() })

/** A word of the question that was probably misspelt, and the word of the passages that was searched in its place. */
export const correctionSchema = z.object({ word: z.string(), correction: z.string() })

/** A document that the question names, whose chunks were searched once more. */
const namedDocument = z.object({ collection: z.string(), doc_id: z.string() })
export type NamedDocument = z.infer<typeof namedDocument>

/** How likely the documents that were searched answer the question. It does not depend on the budget. More fields may follow. */
export const answerableSchema = z.object({
  /** Estimated, in [0,1]; 0 when no passage was found. */
  probability: z.number().min(0).max(1),
  verdict: z.enum(codesOf(VERDICTS)),
  /** What lowers the probability; empty when nothing does. */
  reasons: z.array(z.enum(codesOf(ANSWERABLE_REASONS))),
})
export type Answerable = z.infer<typeof answerableSchema>

/** The retrieval mode that was asked, and the one that the searched lists amount to; null when no list was searched. */
export const usedModeSchema = z.object({
  asked: z.enum(RETRIEVAL_MODES),
  used: z.enum(RETRIEVAL_MODES).nullable(),
})
export type UsedMode = z.infer<typeof usedModeSchema>

const signal = z.object({
  source: z.string(),
  kind: z.enum(['dense', 'keyword', 'lexical', 'other']),
  rank: z.number().int().min(1).nullable(),
  score: z.number().nullable(),
  weight: z.number(),
  contribution: z.number(),
})

const candidate = z.object({
  id: pointIdSchema,
  collection: z.string(),
  doc_id: z.string(),
  section_path: z.string(),
  order_index: z.number().int().nullable(),
  origin: z.enum(ORIGINS),
  lists: z.array(signal),
  fused: z.number(),
  rerank: z.number().nullable(),
  answerability: z.object({ bonus: z.number(), features: z.array(z.string()) }),
  /** The best passage that names the document, and its part of the value before values were scaled; absent without one. */
  mention: z.object({ by: pointIdSchema, gain: z.number() }).optional(),
  final: z.number(),
  /** How well the sentences of the chunk match the question, as logits by offsets in its text; given when the reranker was to choose among them. */
  sentences: z.array(z.object({ start: z.number().int(), end: z.number().int(), match: z.number() })).optional(),
  tokens: z.number().int().nullable(),
  decision: z.enum(['packed', 'dropped']),
  /** Rank in the packed context from 1; null when dropped. */
  position: z.number().int().nullable(),
  reason: z.enum(codesOf(DROP_REASONS)).nullable(),
  evidence: z
    .object({
      of: z.string().optional(),
      similarity: z.number().optional(),
      short_by_tokens: z.number().optional(),
      cap: z.number().optional(),
      rank: z.number().optional(),
      detail: z.string().optional(),
    })
    .nullable(),
})

/** The trace of one request: why each candidate was included or dropped. Published as JSON Schema. */
export const traceSchema = z.object({
  version: z.literal(TRACE_VERSION),
  trace_id: z.string(),
  /** `replay`: a run of `stowage replay`, in its own process or on a server. */
  endpoint: z.enum(['context', 'points', 'replay']),
  started_at: z.string(),
  tenant: z.string().nullable(),
  session_id: z.string().nullable(),
  /** The same in the traces of all searches of one batch; absent for a request that has one trace. */
  batch_id: z.string().optional(),
  /** Why the client got Qdrant's own answer and not the chosen points; absent when it got them. */
  passthrough: z.enum(codesOf(PASSTHROUGH_REASONS)).optional(),
  /** The experiment that the request is part of. */
  assignment: assignmentSchema.nullable(),
  /** The flags that a source sets for the request. */
  flags: z.array(flagDecisionSchema),
  /** Id of the trace of the answer that this run shadows; null for the run that answered. */
  shadow_of: z.string().nullable(),
  collections: z.array(z.string()),
  query: z.string().nullable(),
  /** Where the text of the query came from; `none` when there is none. */
  query_source: z.enum(QUERY_SOURCES),
  /** What of the query was corrected for the search; absent when nothing was. */
  corrections: z.array(correctionSchema).optional(),
  /** Absent when the question names none, or the search in them failed. */
  named_documents: z.array(namedDocument).optional(),
  intent: z.object({ label: z.enum(INTENTS), rule: z.string() }).nullable(),
  /** Null in a search route, where the client's own request says what is searched. */
  mode: usedModeSchema.nullable(),
  plan: planSchema,
  plan_fingerprint: z.string(),
  cache: z.enum(['hit', 'miss', 'off']),
  /** Stages with milliseconds and numbers of candidates. `changed`: the candidates, their order or their values changed. */
  stages: z.array(
    z.object({
      name: z.enum(codesOf(STAGES)),
      /** From the start of `duration_ms`. */
      start_ms: z.number(),
      ms: z.number(),
      in: z.number().int(),
      out: z.number().int(),
      changed: z.boolean(),
    }),
  ),
  /** From the decision about the plan to the trace, waiting included. */
  duration_ms: z.number(),
  degraded: z.array(degradationSchema),
  counts: z.object({ retrieved: z.number().int(), packed: z.number().int(), dropped: z.number().int() }),
  budget: z.object({ tokens: z.number().int(), used: z.number().int(), tokenizer: z.string(), encoding: z.string() }),
  /** How much of what the searches found first is in the answer, in [0,1]; null when nothing was found. */
  recall_proxy: z.number().nullable(),
  /** Whether the documents answer the question; absent in a search route, and in traces of older versions. */
  answerable: answerableSchema.optional(),
  candidates: z.array(candidate),
})

export type Trace = z.infer<typeof traceSchema>
export type TraceCandidate = z.infer<typeof candidate>
