import type { Chunk, JsonObject, PointId, RetrievedList, SparseVector } from './types.ts'

/** The ports: what the pipeline asks of the world. Adapters implement them; tests bring fakes that fail loudly when asked unasked. */

/** Counts tokens of a text with one model's tokenizer. Never throws on any string; same text, same count. */
export interface Tokenizer {
  /** The model asked for. */
  readonly model: string
  /** The encoding in use, e.g. `o200k_base`. */
  readonly encoding: string
  /** True when the model's name is unknown and the encoding was chosen for it. */
  readonly mapped: boolean
  count(text: string): number
}

/** Turns texts into unit vectors. */
export interface Embedder {
  /** Model id + dimension + pooling: written to every point, compared before vectors are mixed. */
  readonly version: string
  readonly dimensions: number
  embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array>
  embedPassages(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>
  close(): Promise<void>
}

export interface RerankRequest {
  query: string
  /** Passages in fused order: scored in this order, so a deadline costs the least promising ones. */
  passages: string[]
  signal: AbortSignal
}

/** `scores[i]` is the calibrated relevance in [0,1] of passage i, or null where the deadline came first. */
export interface RerankResult {
  scores: (number | null)[]
  /** How many were answered from the cache of scored pairs. */
  cached: number
}

export interface Reranker {
  readonly model: string
  /** Resolves with what is scored when the signal aborts; rejects only when nothing can be scored at all. */
  rerank(request: RerankRequest): Promise<RerankResult>
  close(): Promise<void>
}

export interface SearchRequest {
  collection: string
  filter: JsonObject | null
  /** Query vectors; a list whose vector is null is not asked for. */
  dense: number[] | Float32Array | null
  sparse: SparseVector | null
  /** Hits per list. */
  limit: number
  /** Whether hits bring their dense vectors (MMR by cosine). */
  withVectors: boolean
}

/** Where passages come from: Qdrant, or the embedded engine behind the same REST API. */
export interface PassageStore {
  /** One round trip; lists that the collection's schema cannot serve are left out and named in `missing`. */
  search(request: SearchRequest, call: StoreCall): Promise<{ lists: RetrievedList[]; missing: string[] }>
  /** The chunks at the given places of documents; absent places are simply not in the answer. */
  fetchPlaces(collection: string, places: DocumentPlace[], filter: JsonObject | null, call: StoreCall): Promise<Chunk[]>
}

export interface DocumentPlace {
  docId: string
  orderIndex: number
}

/** What every call to the store carries: the client's own credentials, and when to stop. */
export interface StoreCall {
  apiKey: string | null
  signal: AbortSignal
}

export type { PointId }
