import type { JsonObject, SparseVector } from '../core/types.ts'

/** Chunks that are embedded and written at a time. */
export const DEFAULT_BATCH_SIZE = 64

export interface DenseField {
  /** '' is the unnamed vector. */
  name: string
  size: number
  /** `Cosine`, `Dot`, `Euclid` or `Manhattan`. */
  distance: string
}

/** Vectors and payload indexes of a collection. */
export interface CollectionLayout {
  points: number
  dense: DenseField[]
  sparse: { name: string; idf: boolean }[]
  /** Type of the payload index per field, for example `{ doc_id: 'keyword' }`. */
  indexes: Record<string, string>
}

/** A point to write; a vector that is null is left out. */
export interface NewPoint {
  id: string
  dense: Float32Array | null
  sparse: SparseVector | null
  payload: JsonObject
}

/** Stored with the first chunk of a document: when `hash` fits, and as many chunks are there, nothing has to be compared. */
export interface DocumentMark {
  /** Covers all that the chunks and vectors of the document depend on. */
  hash: string
  chunks: number
  tokens: number
}

export interface StoredPoint {
  docId: string
  contentHash: string
  title: string
  /** Stamp of its context; null without one. */
  contextVersion: string | null
  /** The name of the source; null when none was given. */
  source: string | null
  /** Fingerprint of the folder it was read from; null when the source has a name. */
  sourceFolder: string | null
  isParent: boolean
  /** Null for all points but the first chunk. */
  document: DocumentMark | null
}

/** A collection that is open for writing. All methods throw StowageError. */
export interface CollectionWriter {
  readonly created: boolean
  /** False for a foreign collection without a sparse vector with modifier idf; its points get no sparse vector. */
  readonly hasSparse: boolean
  /** The matching points that ingest wrote (those with a content hash), by id. */
  stored(filter: JsonObject): Promise<Map<string, StoredPoint>>
  /** Payloads of at most `limit` matching points. */
  sample(limit: number, filter?: JsonObject): Promise<unknown[]>
  /** Writes points and waits until searches find them. */
  upsert(points: NewPoint[]): Promise<void>
  remove(ids: string[]): Promise<void>
}

export interface IngestTarget {
  /**
   * Opens a collection. A missing one is created with the vectors `dense` (cosine; left out when the size is null) and `sparse`
   * (idf) and with payload indexes; with `create: false` the result is null.
   * @throws StowageError `unprocessable` when an existing collection has no dense vector of this size
   */
  open(collection: string, options: { denseSize: number | null; create: boolean }): Promise<CollectionWriter | null>
}
