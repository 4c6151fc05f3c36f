import type { PointId } from '../../core/types.ts'
import type { Vector } from '../wire/vector.ts'

/** The vectors of one name, by point. */
export abstract class VectorStore<Kind extends Vector = Vector> {
  /** Whether a smaller score is better. */
  readonly ascending: boolean = false
  protected readonly vectors = new Map<PointId, Kind>()

  has(id: PointId): boolean {
    return this.vectors.has(id)
  }

  get(id: PointId): Kind | undefined {
    return this.vectors.get(id)
  }

  /**
   * Ids of the points that a search with this vector has to compare, each once. Points can be deleted and put again while the search rests, which
   * would bring them once more at the end of the map itself.
   */
  reachable(_query: Kind): Iterable<PointId> {
    return [...this.vectors.keys()]
  }

  set(id: PointId, vector: Kind): void {
    this.vectors.set(id, vector)
  }

  remove(id: PointId): void {
    this.vectors.delete(id)
  }

  /** @throws EngineError 400 when the vector does not fit the schema */
  abstract check(vector: Vector): void

  /** Normalises or weights a query vector for `similarity`. */
  abstract prepare(query: Kind): Kind

  /** Larger is more similar. Undefined when the point has no vector, or shares no dimension with a sparse query. */
  abstract similarity(query: Kind, id: PointId): number | undefined

  /** The score that an answer gives for a similarity. */
  score(similarity: number): number {
    return similarity
  }
}
