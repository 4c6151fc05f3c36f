import type { PointId } from '../../core/types.ts'
import { unknownVector } from '../errors.ts'
import { compileFilter, type FilterSubject } from '../filter/filter.ts'
import { KeywordPostings } from '../filter/keyword-postings.ts'
import type { TextIndex } from '../filter/text-match.ts'
import type { Pace } from '../pace.ts'
import { comparePointIds } from '../wire/point-id.ts'
import type { JsonRecord } from '../wire/shape.ts'
import type { Vector } from '../wire/vector.ts'
import type { PayloadIndex } from './payload-index.ts'
import { createVectorStores } from './schema.ts'
import type { VectorStore } from './vector-store.ts'

export interface Point {
  readonly id: PointId
  readonly payload: JsonRecord
  /** Number of the last write that changed the point. */
  readonly version: number
}

/** Points with their vectors and payload indexes, in memory. */
export class Collection implements FilterSubject {
  /** The body of the request that creates the collection as it is now. It always describes the same vectors. */
  config: JsonRecord
  readonly vectors: ReadonlyMap<string, VectorStore>
  readonly indexes = new Map<string, PayloadIndex>()
  /** Number of the next write. */
  nextOperation = 0
  private readonly points = new Map<PointId, Point>()
  private sorted: PointId[] | undefined
  private readonly postings = new KeywordPostings(
    () => this.inOrder(),
    key => this.indexes.get(key)?.type === 'keyword',
  )

  /** @throws EngineError when the configuration is faulty or not supported */
  constructor(config: JsonRecord) {
    this.config = config
    this.vectors = createVectorStores(config)
  }

  get size(): number {
    return this.points.size
  }

  get(id: PointId): Point | undefined {
    return this.points.get(id)
  }

  /** @throws EngineError 400 */
  vectorStore(name: string): VectorStore {
    const store = this.vectors.get(name)
    if (store === undefined) throw unknownVector(name)
    return store
  }

  hasVector(name: string, id: PointId): boolean {
    return this.vectors.get(name)?.has(id) ?? false
  }

  textIndex(key: string): TextIndex | undefined {
    return this.indexes.get(key)?.text
  }

  /** Compiles a filter into a test of points. */
  filter(filter: unknown): (id: PointId) => boolean {
    const holds = compileFilter(filter, this)
    return id => holds(id, this.points.get(id)?.payload)
  }

  /** All points, ascending by id. */
  inOrder(): Generator<Point> {
    this.sorted ??= [...this.points.keys()].sort(comparePointIds)
    return this.existing(this.sorted)
  }

  /** The points that match a filter, ascending by id. */
  async *matching(filter: unknown, pace: Pace): AsyncGenerator<Point> {
    const holds = compileFilter(filter, this)
    const narrowed = await this.postings.narrow(filter, pace)
    const points = narrowed === undefined ? this.inOrder() : this.existing([...narrowed].sort(comparePointIds))
    for (const point of points) {
      if (pace.isDue()) await pace.rest()
      if (holds(point.id, point.payload)) yield point
    }
  }

  /** Those of the ids that are points, in the order of the ids. */
  private *existing(ids: readonly PointId[]): Generator<Point> {
    for (const id of ids) {
      const point = this.points.get(id)
      if (point !== undefined) yield point
    }
  }

  /** The vectors that a point has, by name. */
  vectorsOf(id: PointId): Map<string, Vector> {
    return new Map(
      [...this.vectors].flatMap(([name, store]) => {
        const vector = store.get(id)
        return vector === undefined ? [] : [[name, vector] as const]
      }),
    )
  }

  /** Inserts or replaces a point. Its vectors are checked before. */
  put(point: Point, vectors: ReadonlyMap<string, Vector>): void {
    this.putPayload(point)
    for (const [name, store] of this.vectors) {
      const vector = vectors.get(name)
      if (vector === undefined) store.remove(point.id)
      else store.set(point.id, vector)
    }
  }

  /** Inserts a point without vectors, or replaces the payload and version of a point. */
  putPayload(point: Point): void {
    if (!this.points.has(point.id)) this.sortIn(point.id)
    this.points.set(point.id, point)
    this.postings.forget()
  }

  remove(id: PointId): void {
    if (this.points.delete(id)) this.sorted = undefined
    this.postings.forget()
    for (const store of this.vectors.values()) store.remove(id)
  }

  /** Ids often arrive in ascending order, which keeps the sorted list. */
  private sortIn(id: PointId): void {
    const last = this.sorted?.at(-1)
    if (last !== undefined && comparePointIds(last, id) < 0) this.sorted?.push(id)
    else this.sorted = undefined
  }
}
