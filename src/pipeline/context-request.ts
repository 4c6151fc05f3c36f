import { z } from 'zod'
import { CONTEXT_FORMATS, CONTEXT_ORDERS, type Degradation, type JsonObject, type PointId } from '../core/types.ts'
import type { Trace } from './trace/schema.ts'

const collectionName = z.string().min(1).max(255)

/** Body of `POST /v1/context`. Unknown keys are an error that names them. */
export const contextRequestSchema = z.strictObject({
  query: z.string().min(1).max(8192),
  collection: z.union([collectionName, z.array(collectionName).min(1).max(16)]),
  filter: z.record(z.string(), z.unknown()).optional(),
  budget_tokens: z.int().min(0).max(10_000_000).optional(),
  model: z.string().min(1).max(200).optional(),
  limit: z.int().min(1).max(1000).optional(),
  vector: z.array(z.number()).min(1).max(65_536).optional(),
  session_id: z.string().min(1).max(200).optional(),
  format: z.enum(CONTEXT_FORMATS).optional(),
  order: z.enum(CONTEXT_ORDERS).optional(),
  trace: z.boolean().optional(),
  deadline_ms: z.int().min(1).max(600_000).optional(),
})

export type ContextRequest = Omit<z.infer<typeof contextRequestSchema>, 'filter'> & { filter?: JsonObject | undefined }

export interface ContextChunk {
  id: PointId
  collection: string
  doc_id: string
  doc_title: string
  section_path: string
  order_index: number | null
  score: number
  tokens: number
  text: string
  citation: string
}

export interface ContextResponse {
  /** The rendered context; `tokens` counts this very string. */
  context: string
  tokens: number
  budget_tokens: number
  chunks: ContextChunk[]
  degraded: Degradation[]
  trace_id: string
  trace?: Trace
}

/** Who asks, and until when: what a door knows besides the request itself. */
export interface Caller {
  apiKey: string | null
  tenant: string | null
  signal: AbortSignal
}
