import { getOrInsert } from '../../../core/collections.ts'
import { StowageError } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import { unreachable } from '../../../qdrant/condition.ts'
import { printJson } from '../../../qdrant/json.ts'
import type { Tenant } from '../../tenant.ts'
import type { PointCheck } from '../guarded.ts'
import type { PointIdText } from './point-id.ts'
import { forbidden } from './refusals.ts'
import { type Stamp, toStamp } from './stamp.ts'

/** The filter that all points meet. */
export const ALL = '{}'

/** Ids that an error names. */
const NAMED_IDS = 5

interface SearchFrame {
  readonly ids: PointIdText[]
  lookupCollection: string
}

/** What the reading of one request knows and gathers. */
export class Scope {
  readonly tenant: Tenant
  readonly collection: string
  /** The condition of the tenant as JSON; null for whole collections. */
  readonly condition: string | null
  readonly #stamp: Stamp | null
  readonly #used = new Map<string, Set<PointIdText>>()
  readonly #upserted = new Set<PointIdText>()
  #search: SearchFrame | null = null

  constructor(tenant: Tenant, collection: string) {
    this.tenant = tenant
    this.collection = collection
    this.condition = tenant.condition === null ? null : printJson(tenant.condition)
    this.#stamp = tenant.stamp === null ? null : toStamp(tenant.stamp)
  }

  /** What marks the points of the tenant. @throws StowageError `forbidden` when it may only read */
  get stamp(): Stamp {
    if (this.#stamp === null) throw forbidden('Only reading is allowed.')
    return this.#stamp
  }

  /** A filter as JSON that also demands the condition of the tenant; null for no filter. */
  filter(given: string | null): string | null {
    return this.condition === null ? given : this.must(given)
  }

  /** A filter as JSON that demands the condition of the tenant, and another condition or filter. */
  must(demand: string | null): string {
    const demands = [this.condition, demand].filter(one => one !== null && one !== ALL)
    return `{"must":[${demands.join(',')}]}`
  }

  /** @throws StowageError `forbidden` */
  requireReach(collection: string): void {
    if (!this.tenant.reaches(collection)) throw unreachable()
  }

  /** Reads one search. The ids in it are looked up in its own `lookup_from`, wherever that stands in the text. */
  *search<Result>(steps: Steps<Result>): Steps<Result> {
    const outer = this.#search
    const frame: SearchFrame = { ids: [], lookupCollection: this.collection }
    this.#search = frame
    const result = yield* steps
    this.#search = outer
    this.use(frame.lookupCollection, frame.ids)
    return result
  }

  /** The search uses the vector of a point. */
  useVector(id: PointIdText): void {
    this.#search?.ids.push(id)
  }

  /** The search looks its ids up in this collection. @throws StowageError `forbidden` */
  lookUpIn(collection: string): void {
    this.requireReach(collection)
    if (this.#search !== null) this.#search.lookupCollection = collection
  }

  /** The request uses vectors of these points, or changes points that must exist. */
  use(collection: string, ids: readonly PointIdText[]): void {
    const used = getOrInsert(this.#used, collection, () => new Set())
    for (const id of ids) used.add(id)
  }

  /** The request writes these points, whether they exist or not. */
  upsert(ids: readonly PointIdText[]): void {
    for (const id of ids) this.#upserted.add(id)
  }

  /** Whether an earlier operation of the same request wrote the point, so that it is the tenant's when the next one runs. */
  hasUpserted(id: PointIdText): boolean {
    return this.#upserted.has(id)
  }

  /** What must hold in Qdrant before the request is sent. */
  checks(): PointCheck[] {
    if (this.condition === null) return []
    const used = [...this.#used].filter(([, ids]) => ids.size > 0)
    return [
      ...used.map(([collection, ids]) => ({
        collection,
        filter: `{"must":[${this.condition},${hasId(ids)}]}`,
        count: ids.size,
        refusal: unknownPoints(ids),
      })),
      ...this.#foreignCheck(this.#upserted),
    ]
  }

  #foreignCheck(ids: ReadonlySet<PointIdText>): PointCheck[] {
    if (ids.size === 0) return []
    const filter = `{"must":[${hasId(ids)}],"must_not":[${this.condition}]}`
    return [{ collection: this.collection, filter, count: 0, refusal: taken(ids) }]
  }
}

/** A condition for points by their ids, as JSON. */
export function hasId(ids: Iterable<PointIdText>): string {
  return `{"has_id":[${[...ids].join(',')}]}`
}

/** What Qdrant answers when a point is unknown. Points of others are as unknown. */
function unknownPoints(ids: ReadonlySet<PointIdText>): StowageError {
  return new StowageError('not_found', `Not found: No point with id ${named(ids)} found`)
}

function taken(ids: ReadonlySet<PointIdText>): StowageError {
  const which = ids.size === 1 ? `The point id ${named(ids)} is taken.` : `One of the point ids ${named(ids)} is taken.`
  return forbidden(which)
}

function named(ids: ReadonlySet<PointIdText>): string {
  const first = [...ids].slice(0, NAMED_IDS).map(id => id.replaceAll('"', ''))
  return ids.size > NAMED_IDS ? `${first.join(', ')}, …` : first.join(', ')
}
