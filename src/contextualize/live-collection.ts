import type { Chunk, JsonObject, PointId } from '../core/types.ts'
import type { CollectionLayout } from '../ingest/target.ts'

/** A point of a collection that other programs may write to at the same time. */
export interface LivePoint {
  id: PointId
  /** What `readChunk` finds in the payload. */
  chunk: Chunk
  payload: JsonObject
  /** The vectors that were asked for, by name ('' is the unnamed one): each the JSON that the server printed. */
  vectors: ReadonlyMap<string, string>
}

/** A change of a point. What it does not name stays as it is. */
export interface PointChange {
  id: PointId
  /** JSON of each vector that is replaced, by name. */
  vectors: ReadonlyMap<string, string>
  /** Payload fields to set; null removes all fields of a context. */
  fields: JsonObject | null
}

/** A collection that is changed while it is in use. All methods throw StowageError. */
export interface LiveCollection {
  readonly name: string
  layout(): Promise<CollectionLayout>
  /** All its names: its own and its aliases. */
  names(): Promise<string[]>
  /** Payload fields whose index says that they part tenants. */
  tenantFields(): Promise<string[]>
  /** All points without their vectors, in the order of their ids, a page at a time. */
  pages(filter?: JsonObject): AsyncIterable<LivePoint[]>
  /** The points that are there, with these vectors. */
  read(ids: readonly PointId[], vectors?: readonly string[]): Promise<LivePoint[]>
  /** Those of the ids whose points match the filter, as texts. */
  matching(ids: readonly PointId[], filter: JsonObject): Promise<Set<string>>
  /**
   * Changes points in one request: first all vectors, then all payloads, so that a point is marked as done after its vectors are. Points
   * that are not there any more are passed over. Repeating a call changes nothing.
   */
  write(changes: readonly PointChange[]): Promise<void>
}
