import type { StowageError } from '../../core/errors.ts'
import type { Steps } from '../../core/steps.ts'
import type { Tenant } from '../tenant.ts'

/** What a request to Qdrant's API is by its method and target alone. */
export interface MatchedRoute {
  /** The name in Qdrant's OpenAPI description, for example `query_points`. */
  readonly operation: string
  /** Decoded; null for routes without a collection. */
  readonly collection: string | null
  /** Whether the body must be read before the request can be guarded. */
  readonly readsBody: boolean
  /** In short steps, for long bodies. @param body decoded text; null when `readsBody` is false @throws StowageError `bad_request`, `forbidden` */
  guard(body: string | null): Steps<GuardedRequest>
}

/**
 * Finds how a request of a tenant is covered.
 * @param target the raw request target
 * @throws StowageError `not_found` for a route that is not in the table, `forbidden` for one that is closed to the tenant,
 * `bad_request` for a target that can be read in two ways
 */
export type MatchRoute = (method: string, target: string, tenant: Tenant) => MatchedRoute

/** A request that reads and writes points of the tenant only. */
export interface GuardedRequest {
  readonly method: string
  /** The whole target, encoded in one way, with the query string. */
  readonly target: string
  /** JSON; null when the client's own body goes on, unread. */
  readonly body: string | null
  /** Checked before the request is sent. The first that fails is the answer. */
  readonly checks: readonly PointCheck[]
  /** How Qdrant's answer becomes the answer to the client. */
  readonly answer: AnswerShape
}

/** A search for points that meet `filter`, which decides whether a request goes on. */
export interface PointCheck {
  readonly collection: string
  /** JSON. */
  readonly filter: string
  /** How many points must be found. */
  readonly count: number
  readonly refusal: StowageError
}

/**
 * - `unchanged`: as Qdrant answers;
 * - `points_by_id`: the points of a scroll, in the order of `ids`, as `POST /points` answers; an id is JSON as Qdrant prints it,
 *   `7` or `"f47ac10b-58cc-4372-a567-0e02b2c3d479"`, and occurs once;
 * - `point_by_id`: the point of a scroll as `GET /points/{id}` answers;
 * - `collection_list`, `alias_list`: without the names that the tenant does not reach;
 * - `collection_info`: with the counts of the tenant's own points.
 */
export type AnswerShape =
  | { readonly kind: 'unchanged' | 'collection_list' | 'alias_list' | 'collection_info' }
  | { readonly kind: 'points_by_id' | 'point_by_id'; readonly ids: readonly string[] }
