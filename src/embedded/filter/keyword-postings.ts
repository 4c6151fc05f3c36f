import { addTo } from '../../core/collections.ts'
import type { PointId } from '../../core/types.ts'
import type { Pace } from '../pace.ts'
import { asList, isRecord } from '../wire/shape.ts'
import { parsePath, valuesAt } from './payload-path.ts'

interface Stored {
  id: PointId
  payload: unknown
}

/** By value: a text, number or boolean. */
type Postings = ReadonlyMap<unknown, readonly PointId[]>

/**
 * The points that have a value under a payload key with a keyword index. They narrow a filter to the points that can match it, so that it is
 * not tested on all. Each key is read when a filter first asks for it, and again after a write.
 */
export class KeywordPostings {
  private byKey = new Map<string, Postings>()
  private readonly points: () => Iterable<Stored>
  private readonly hasIndex: (key: string) => boolean

  constructor(points: () => Iterable<Stored>, hasIndex: (key: string) => boolean) {
    this.points = points
    this.hasIndex = hasIndex
  }

  /** To be called at every write. */
  forget(): void {
    this.byKey = new Map()
  }

  /**
   * @param filter that was compiled without an error
   * @returns ids of all points that match the filter, in no order, and perhaps of others; undefined when it cannot tell
   */
  async narrow(filter: unknown, pace: Pace): Promise<Set<PointId> | undefined> {
    const asked = this.byKey
    const found = await this.narrowClauses(filter, pace)
    // A write came between: what was read may lack a point.
    return asked === this.byKey ? found : undefined
  }

  private async narrowClauses(filter: unknown, pace: Pace): Promise<Set<PointId> | undefined> {
    if (!isRecord(filter)) return undefined
    let smallest: Set<PointId> | undefined
    const should = asList(filter.should)
    const ways = should.length === 0 ? [] : [await this.union(should, pace)]
    for (const condition of asList(filter.must)) ways.push(await this.narrowCondition(condition, pace))
    for (const way of ways) if (way && (smallest === undefined || way.size < smallest.size)) smallest = way
    return smallest
  }

  /** The points of any of the conditions; undefined when one of them cannot be narrowed. */
  private async union(conditions: readonly unknown[], pace: Pace): Promise<Set<PointId> | undefined> {
    const all = new Set<PointId>()
    for (const condition of conditions) {
      const some = await this.narrowCondition(condition, pace)
      if (some === undefined) return undefined
      for (const id of some) all.add(id)
    }
    return all
  }

  private async narrowCondition(condition: unknown, pace: Pace): Promise<Set<PointId> | undefined> {
    if (!isRecord(condition)) return undefined
    const { key, match } = condition
    if (key === undefined) return this.narrowClauses(condition, pace)
    if (typeof key !== 'string' || !isRecord(match) || !this.hasIndex(key)) return undefined
    const values = 'value' in match ? [match.value] : 'any' in match ? asList(match.any) : []
    if (values.length === 0) return undefined
    const postings = await this.postingsOf(key, pace)
    return new Set(values.flatMap(value => postings.get(value) ?? []))
  }

  private async postingsOf(key: string, pace: Pace): Promise<Postings> {
    const { byKey } = this
    const known = byKey.get(key)
    if (known) return known
    const postings = new Map<unknown, PointId[]>()
    const path = parsePath(key)
    for (const { id, payload } of this.points()) {
      if (pace.isDue()) await pace.rest()
      for (const value of new Set(valuesAt(payload, path).flat())) {
        if (typeof value !== 'object') addTo(postings, value, id)
      }
    }
    byKey.set(key, postings)
    return postings
  }
}
