import type { Embedder, PassageStore, Reranker, Tokenizer } from '../core/ports.ts'
import type { Candidate, Chunk, Degradation, JsonObject, RetrievedList } from '../core/types.ts'
import type { StageName } from '../core/vocabulary.ts'
import type { Caller, ContextRequest, ContextResponse } from './context-request.ts'
import type { Trace } from './trace/schema.ts'

/** Ports of the pipeline, as the composition root fills them. A null port degrades the step that wants it. */
export interface PipelinePorts {
  store: PassageStore
  tokenizer: (model: string) => Tokenizer
  embedder: Embedder | null
  reranker: Reranker | null
  /** Why a port is null, for `degraded`. */
  unavailable: { embedder: string | null; reranker: string | null }
}

/** The endpoint `POST /v1/context` calls. */
export type PackContext = (request: ContextRequest, caller: Caller) => Promise<ContextResponse>

/** What the drop-in route hands to the pipeline: lists that it retrieved itself, as the client's own request asked. */
export interface ChoosePointsRequest {
  /** Query text if any was found; without it there is no reranker and no intent. */
  query: string | null
  /** One list per prefetch (or the single search), hits best first. `chunk.text` may be ''. */
  lists: RetrievedList[]
  /** Points wanted: the client's offset + limit. */
  limit: number
  /** Neighbours may be fetched with this; null switches fetching off. */
  fetchNeighbours: ((places: { docId: string; orderIndex: number }[]) => Promise<Chunk[]>) | null
}

export interface ChosenPoints {
  /** At most `limit`, best first, neighbours included; empty means: answer the original request. */
  chosen: Candidate[]
  /** The stages that changed the points, for `x-stowage-applied`. */
  applied: StageName[]
  degraded: Degradation[]
  traceId: string
}

export type ChoosePoints = (request: ChoosePointsRequest, caller: Caller) => Promise<ChosenPoints>

/** Keeps finished traces; never throws into a request. */
export interface TraceStore {
  record(trace: Trace): void
  find(traceId: string): Trace | null
  close(): Promise<void>
}

/** All that a packed context depends on: two requests with equal parts may share one. */
export interface ContextKeyParts {
  tenant: string | null
  apiKey: string | null
  request: JsonObject
  filter: JsonObject | null
  collections: string[]
  planFingerprint: string
  /** Versions of the embedder and the reranker; null for one that is absent. */
  models: (string | null)[]
}

/** Keeps answers for a short time; a write to a collection makes its answers unfindable. */
export interface ContextCache {
  /** Null when the cache is off. Taken before retrieving, so that a write in between is noticed. */
  key(parts: ContextKeyParts): string | null
  get(key: string): TracedContext | null
  put(key: string, answer: TracedContext): void
}

/** An answer with its trace, whether or not the caller asked to see it. */
export interface TracedContext {
  response: ContextResponse
  trace: Trace
}
