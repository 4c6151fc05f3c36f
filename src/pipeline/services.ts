import type { DocumentPlace, Embedder, PassageStore, Reranker, Tokenizer } from '../core/ports.ts'
import type { Candidate, Chunk, Degradation, JsonObject, QuerySource, RetrievedList } from '../core/types.ts'
import type { PassthroughReason, StageName } from '../core/vocabulary.ts'
import type { Caller, CallerTenant } from './caller.ts'
import type { ContextRequest, ContextResponse } from './context-request.ts'
import type { Background } from './pacing/background.ts'
import type { PlanDecision } from './plan/decision.ts'
import type { Trace } from './trace/schema.ts'
import type { TraceSummary } from './trace/summary.ts'

/** Ports of the pipeline. A null port degrades the step that needs it. */
export interface PipelinePorts {
  store: PassageStore
  tokenizer: (model: string) => Tokenizer
  embedder: Embedder | null
  reranker: Reranker | null
  /** Whether a word in lower case is spelled correctly. */
  isWord: (word: string) => boolean
  /** Why a port is null, for `degraded`. */
  unavailable: { embedder: string | null; reranker: string | null }
}

/** The pipeline of `POST /v1/context`. */
export type PackContext = (request: ContextRequest, caller: Caller) => Promise<ContextResponse>

/** The lists that the drop-in route retrieved for the client's own request. */
export interface ChoosePointsRequest {
  /** The collection that was searched, also when it has no hit. */
  collection: string
  /** Query text; null means no reranker and no intent. */
  query: string | null
  /** Default: `header` for a text, `none` without one. */
  querySource?: QuerySource
  /** Ids of the documents that the question names, whose points are in the lists. Default: none. */
  namedDocuments?: readonly string[]
  /** What was missing when the query and the points were looked for. Default: nothing. */
  degraded?: readonly Degradation[]
  /** One list per prefetch, or the single search, best first. `chunk.text` may be ''. */
  lists: RetrievedList[]
  /** Most points: the client's offset + limit. */
  limit: number
  decision: PlanDecision
  /** Null when the client names no session. */
  sessionId: string | null
  /** One id for all searches of a batch; null or absent for a single search. */
  batchId?: string | null
  /**
   * How the request ends: null when its client gets the chosen points, else why it gets Qdrant's own answer. The trace is stored then, and not at
   * all when the client has gone. Default: the client gets the points.
   */
  ending?: Promise<PassthroughReason | null>
  /** Fetches neighbours; null switches fetching off. */
  fetchNeighbours: ((places: DocumentPlace[]) => Promise<Chunk[]>) | null
}

export interface ChosenPoints {
  /** At most `limit`, best first, neighbours included. */
  chosen: Candidate[]
  /** The ids, as text, of points that duplicate a better one. */
  duplicates: ReadonlySet<string>
  /** The stages that changed the points, for `x-stowage-applied`. */
  applied: StageName[]
  degraded: Degradation[]
  traceId: string
  /** As in the trace. */
  recallProxy: number | null
  /** Tokens of the chosen points, at four characters each. */
  tokens: number
}

/** A second run of a request that was answered, for comparison. */
export interface ShadowRun {
  /** The trace of the answer. */
  control: Trace
  owner: TraceOwner
  /** Runs the other plan and builds its trace. It rejects when the signal of the background aborts. */
  run(background: Background): Promise<Trace>
}

/** Takes a run for later, or drops it. It never throws. */
export type OfferShadow = (run: ShadowRun) => void

export type ChoosePoints = (request: ChoosePointsRequest, caller: Caller) => Promise<ChosenPoints>

/** Says that points for this question will be chosen soon, so that models can read it while they are searched. It never throws. */
export type PrepareQuestion = (question: string, decision: PlanDecision, caller: Caller) => void

/**
 * Who made a trace: a tenant with any of its keys, else a key. Nobody else may read it, because it holds texts that the key gave
 * access to. A tenant of the same name with another condition is another one.
 */
export interface TraceOwner {
  tenant: Pick<CallerTenant, 'name' | 'condition'> | null
  apiKey: string | null
}

/** Who asks for a trace. */
export interface TraceReader extends TraceOwner {
  tenant: Pick<CallerTenant, 'name' | 'condition' | 'reaches'> | null
}

/** Stores finished traces. No method fails a request. */
export interface TraceStore {
  record(trace: Trace, owner: TraceOwner): void
  /** Null for an unknown trace, and for a trace of another owner. */
  find(traceId: string, owner: TraceOwner): Trace | null
  /** The kept traces of this owner, the newest first. */
  list(owner: TraceOwner): TraceSummary[]
  close(): Promise<void>
}

/** Finds a trace wherever it is kept; null for an unknown one, and for one of another owner. */
export type FindTrace = (traceId: string, reader: TraceReader) => Promise<Trace | null>

/** Lists the traces of an owner wherever they are kept, the newest first. */
export type ListTraces = (reader: TraceReader) => Promise<TraceSummary[]>

/** Everything that a packed context depends on. Requests with equal parts can share an answer. */
export interface ContextKeyParts {
  tenant: string | null
  apiKey: string | null
  /** The condition of the tenant. */
  condition: JsonObject | null
  request: JsonObject
  filter: JsonObject | null
  collections: string[]
  planFingerprint: string
  /** Versions of the embedder and the reranker; null when unavailable. */
  models: (string | null)[]
}

/** Caches answers for a short time. A write to a collection invalidates its answers. No method rejects. */
export interface ContextCache {
  /** Null when the cache is off. Compute it before retrieval, so that a write during retrieval invalidates it. */
  key(parts: ContextKeyParts): string | null | Promise<string | null>
  get(key: string): TracedContext | null | Promise<TracedContext | null>
  put(key: string, answer: TracedContext): void
}

export interface TracedContext {
  response: ContextResponse
  trace: Trace
}
