import type { DegradationCode, DropReason } from './vocabulary.ts'

/** The data that the pipeline works on. Types only, no behaviour. */

/** A Qdrant point id: u64 (bigint when it does not fit a double exactly) or UUID string. */
export type PointId = number | bigint | string

/** Sparse vector in Qdrant's shape: parallel arrays, indices unique u32. */
export interface SparseVector {
  indices: number[]
  values: number[]
}

/** JSON as it comes over the wire. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** A passage as it stands in a collection. `text` is exactly what is stored; offsets are UTF-16 code units into the document. */
export interface Chunk {
  id: PointId
  collection: string
  /** The payload's document id; the point id where the payload names none. */
  docId: string
  docTitle: string
  /** "A > B > C", empty when unknown. */
  sectionPath: string
  /** The section's header line as it stands in the document ("## Setup"), empty when unknown. */
  header: string
  /** Place in the document, counted from 0; null when unknown, and then the chunk has no neighbours. */
  orderIndex: number | null
  charStart: number | null
  charEnd: number | null
  text: string
}

/** What one list (or the pool's own BM25) says of a candidate. `contribution` is its share of the fused score. */
export interface Signal {
  /** 'dense', 'keyword', 'candidate_bm25', or 'prefetch[0]' in the drop-in route; prefixed by the collection when there are several. */
  source: string
  kind: 'dense' | 'keyword' | 'lexical' | 'other'
  /** Rank from 1 in its list, null where the candidate is absent from it. */
  rank: number | null
  /** Raw score in the list's own scale, null where absent. */
  score: number | null
  weight: number
  contribution: number
}

/** One ranked list as retrieved: hits best first. */
export interface RetrievedList {
  source: string
  kind: 'dense' | 'keyword' | 'other'
  hits: RetrievedHit[]
}

export interface RetrievedHit {
  chunk: Chunk
  score: number
  /** The dense vector, when the store gave it (MMR uses it). */
  vector?: Float32Array
}

/** A chunk under consideration, with every number that led to its place. Steps return new candidates, they mutate none. */
export interface Candidate {
  /** `collection/id`, unique within a request. */
  key: string
  chunk: Chunk
  origin: 'retrieved' | 'neighbour'
  signals: Signal[]
  /** Sum of the signals' contributions. */
  fused: number
  /** Calibrated relevance in [0,1] from the reranker; null when not scored. */
  rerank: number | null
  answerability: { bonus: number; features: string[] }
  /** The value that packing sorts by. Fusion sets it; after `scaleToBest` the best candidate has 1. */
  value: number
  /** The dense vector, when the store gave it. */
  vector?: Float32Array
}

/** A candidate that is out, with its one reason and the evidence for it. */
export interface Dropped {
  candidate: Candidate
  reason: DropReason
  evidence: { of?: string; similarity?: number; short_by_tokens?: number; cap?: number; rank?: number; detail?: string }
}

/** What a filtering step gives back: those that stay, in order, and those that are out. */
export interface FilterResult {
  kept: Candidate[]
  dropped: Dropped[]
}

export const INTENTS = ['definition', 'measurement', 'procedure', 'identifier', 'comparison', 'exploratory'] as const
export type Intent = (typeof INTENTS)[number]

/** A step that could not do its work; the request goes on without it. */
export interface Degradation {
  code: DegradationCode
  detail: string
}

export const CONTEXT_FORMATS = ['markdown', 'xml', 'json'] as const
export type ContextFormat = (typeof CONTEXT_FORMATS)[number]

export const CONTEXT_ORDERS = ['relevance', 'document', 'edges', 'stable'] as const
export type ContextOrder = (typeof CONTEXT_ORDERS)[number]
