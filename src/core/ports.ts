import type { Steps } from './steps.ts'
import type { Chunk, Json, JsonObject, PointId, RetrievedList, Span, SparseVector } from './types.ts'

/** The ports of the pipeline: interfaces that the adapters implement. */

/** Counts tokens with the tokenizer of one model. Counting is deterministic and never throws. */
export interface Tokenizer {
  /** The requested model. */
  readonly model: string
  /** For example `o200k_base`. */
  readonly encoding: string
  /** Whether the model is unknown, so that a default encoding is used. */
  readonly mapped: boolean
  count(text: string): number
  /** The same count, in steps for long texts. */
  countInSteps: CountTokens
}

/** Counts the tokens of a text. The sum over parts of a text can differ a little from the count of the whole. */
export type CountTokens = (text: string) => Steps<number>

/** Converts texts to unit vectors. */
export interface Embedder {
  /** Model id, dimension and pooling. Each point stores it; vectors of different versions are never compared. */
  readonly version: string
  readonly dimensions: number
  /** Whether a query and a passage of the same text get different vectors. Absent: they get the same. */
  readonly tellsSidesApart?: boolean
  /** The languages that it was made for, as `languageOf` names them; absent: any. */
  readonly languages?: readonly string[] | undefined
  /** @param tenant whose query it is; tenants take turns */
  embedQuery(text: string, signal?: AbortSignal, tenant?: string | null): Promise<Float32Array>
  embedPassages(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>
  /** Estimated time until new work of a tenant would start, in milliseconds; absent when the embedder has no queue. */
  expectedWaitMs?(tenant?: string | null): number
  close(): Promise<void>
}

export interface RerankRequest {
  query: string
  /** Best first. They are scored in this order, so a deadline leaves out the weakest. */
  passages: string[]
  signal: AbortSignal
  /** Whose passages they are; tenants take turns. Default: null, as in open mode. */
  tenant?: string | null
}

export interface RerankResult {
  /** Calibrated relevance in [0,1] of each passage; null when the deadline came first. */
  scores: (number | null)[]
  /** Number of scores that came from the cache. */
  cached: number
}

/** A passage and parts of it, in its order, that do not overlap. */
export interface PassageParts {
  text: string
  parts: readonly Span[]
}

export interface MatchPartsRequest extends Omit<RerankRequest, 'passages'> {
  passages: readonly PassageParts[]
}

export interface Reranker {
  readonly model: string
  /** On abort it resolves with the scores so far. It rejects only when no passage can be scored. */
  rerank(request: RerankRequest): Promise<RerankResult>
  /**
   * How well each part of each passage matches the query, as a logit: of two parts of one passage, the answer is exp(difference) times as likely in the better one. Null for a
   * passage of which this cannot be told, and on abort. Absent when the model cannot tell it of any.
   */
  matchParts?(request: MatchPartsRequest): Promise<(number[] | null)[]>
  /** The languages that it was made for, as `languageOf` names them; absent: any. Those of an endpoint are told after the start. */
  readonly languages?: readonly string[] | undefined
  /** Says that passages of this query come soon. The reranker may read the query now, while the passages are searched. It never throws. */
  prepare?(query: string, tenant: string | null): void
  /** Estimated time until new work of a tenant would start, in milliseconds; absent when the reranker has no queue. */
  expectedWaitMs?(tenant?: string | null): number
  /** Number of pairs that wait for a worker; absent when the reranker has no queue. */
  waiting?(): number
  /**
   * Reads passages ahead of questions, and keeps what it made of them where later processes find it; absent when there is no such place.
   * @throws StowageError when something could not be kept; an AbortError on abort, and what was read by then is kept
   */
  warm?(passages: readonly string[], signal: AbortSignal): Promise<WarmResult>
  close(): Promise<void>
}

/** Sees where a reranker finds what it made of passages. */
export interface PassageObserver {
  /** Numbers of the passages of one request. */
  passagesFound(event: { memory: number; disk: number; unread: number }): void
  /** The folder that keeps it cannot be written. */
  passageFolderFailed(event: { detail: string }): void
}

/** Numbers of different passages. */
interface WarmResult {
  /** Those that were read before. */
  known: number
  read: number
  /** Passages that this process deleted to make room, since its start. */
  deleted: number
}

/** The vector of a query that is being embedded. It does not search the vectors of another embedder. */
export interface PendingVector {
  dimensions: number
  embedderVersion: string
  /** Never rejects; null when the query could not be embedded. */
  vector: Promise<Float32Array | null>
}

export interface SearchRequest {
  collection: string
  filter: JsonObject | null
  /** Query vector of the dense list; null skips the list. While it is pending, the keyword list is searched. */
  dense: number[] | Float32Array | PendingVector | null
  /** Query vector of the keyword list; null skips the list. */
  sparse: SparseVector | null
  /** Hits per list. */
  limit: number
  /** Hits per list in a collection that `stowage ingest` has not written. Default: `limit`. */
  foreignLimit?: number
  /** Ids of documents, whose chunks alone are searched. There are no lists where the collection has no quick way to them. Default: all documents. */
  documents?: readonly string[]
  /** Whether hits include their dense vectors, for MMR by cosine. */
  withVectors: boolean
}

export interface SearchResult {
  lists: RetrievedList[]
  /** The lists that the collection cannot serve, each with the reason. */
  missing: string[]
  /** Whether no list could be searched, or the query does not fit the dense vectors of the collection. Default: no. */
  isUnsearched?: boolean
  /** Whether `stowage ingest` has not written the collection. Default: no. */
  isForeign?: boolean
}

/** Source of passages: Qdrant, or the embedded engine with the same REST API. */
export interface PassageStore {
  search(request: SearchRequest, call: StoreCall): Promise<SearchResult>
  /** Fetches the chunks at these places. Places without a chunk are left out. */
  fetchPlaces(collection: string, places: DocumentPlace[], filter: JsonObject | null, call: StoreCall): Promise<Chunk[]>
  /** Fetches the parents with these ids. Ids of other points, and of points that the filter leaves out, are left out. */
  fetchParents(collection: string, ids: PointId[], filter: JsonObject | null, call: StoreCall): Promise<Chunk[]>
}

export interface DocumentPlace {
  docId: string
  orderIndex: number
}

/** How a cluster of Qdrant answers reads, in Qdrant's own words. What is absent is Qdrant's default. */
export interface ClusterRead {
  /** How many replicas must agree: a number of them, or one of these words. */
  consistency?: number | 'majority' | 'quorum' | 'all' | undefined
  /** The shards that are read, where a collection has shard keys. */
  shardKey?: Json | undefined
  /** Longest time of one read in seconds, 1 or more. */
  timeout?: number | undefined
}

export interface StoreCall {
  /** The key for Qdrant. */
  apiKey: string | null
  /** A condition on every point that is read, beside the filter of the request; null for none. */
  condition: JsonObject | null
  /** Applies to every read of points. Absent or null: Qdrant's defaults. */
  cluster?: ClusterRead | null | undefined
  signal: AbortSignal
}
