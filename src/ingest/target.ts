import type { JsonObject, SparseVector } from '../core/types.ts'

export interface DenseField {
  /** '' is Qdrant's unnamed vector. */
  name: string
  size: number
  /** Qdrant's name: Cosine, Dot, Euclid, Manhattan. */
  distance: string
}

/** What a collection can hold and be searched by. */
export interface CollectionLayout {
  points: number
  dense: DenseField[]
  sparse: { name: string; idf: boolean }[]
  /** Type of the payload index by field, e.g. `{ doc_id: 'keyword' }`. */
  indexes: Record<string, string>
}

/** A point to write. A vector that is null is not written. */
export interface NewPoint {
  id: string
  dense: Float32Array | null
  sparse: SparseVector
  payload: JsonObject
}

export interface StoredPoint {
  docId: string
  contentHash: string
}

/** One collection, open for writing. Errors are `StowageError`s. */
export interface CollectionWriter {
  readonly created: boolean
  /** False for a foreign collection without a sparse vector that weighs by idf: its points then get none. */
  readonly hasSparse: boolean
  /** By id, our own points (those with a content hash) that the filter matches. */
  stored(filter: JsonObject): Promise<Map<string, StoredPoint>>
  /** Payloads of some points that the filter matches. */
  sample(limit: number, filter?: JsonObject): Promise<unknown[]>
  /** Writes, and waits until the points can be found. */
  upsert(points: NewPoint[]): Promise<void>
  remove(ids: string[]): Promise<void>
}

/** Where ingest writes to. */
export interface IngestTarget {
  /**
   * Opens a collection. One that is absent is created with the vectors `dense` (cosine; none when the size is null),
   * `sparse` (idf) and payload indexes, or, with `create: false`, answered by null. Throws `unprocessable` when an
   * existing one has no dense vector of that size.
   */
  open(collection: string, options: { denseSize: number | null; create: boolean }): Promise<CollectionWriter | null>
}
