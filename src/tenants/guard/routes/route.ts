import type { Steps } from '../../../core/steps.ts'
import type { Tenant } from '../../tenant.ts'
import type { AnswerShape, GuardedRequest } from '../guarded.ts'

/** One row of the table of Qdrant's routes. */
export interface Route {
  /** `*` stands for every method that no other row of this path names. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | '*'
  /** As in Qdrant's OpenAPI description, for example `/collections/{collection_name}/points`. */
  readonly path: string
  /** The name in Qdrant's OpenAPI description; `undocumented` for routes that it lacks. */
  readonly operation: string
  readonly access: 'read' | 'write'
  /** Names of query parameters that are let through. */
  readonly parameters: readonly string[]
  readonly cover: Cover
}

/** A row of which the method says whether it only reads. */
export function route(
  method: Route['method'],
  path: string,
  operation: string,
  cover: Cover,
  parameters: readonly string[] = [],
): Route {
  return { method, path, operation, access: method === 'GET' ? 'read' : 'write', parameters, cover }
}

export const COLLECTION = '/collections/{collection_name}'

/** The path of a route below a collection. */
export function below(path: string): string {
  return `${COLLECTION}/${path}`
}

export const WRITE_PARAMETERS: readonly string[] = ['wait', 'ordering', 'timeout']

/** How a route is kept to the points of the tenant. */
export type Cover = OpenCover | GuardedCover | AllowableCover | NeverCover

/** Every tenant may use it, as it is: it shows and changes nothing of any collection. */
interface OpenCover {
  readonly kind: 'open'
}

/** Every tenant may use it on collections that it reaches. The request is rewritten. */
interface GuardedCover {
  readonly kind: 'guarded'
  /** One sentence for the documentation. */
  readonly how: string
  readonly guard: Guard
  readonly hasBody: boolean
  /** Whether the body can name other collections. Then it is guarded for tenants with whole collections too. */
  readonly namesCollections: boolean
}

/** Only tenants may use it whose `allow` list names the operation. */
export interface AllowableCover {
  readonly kind: 'allowable'
  readonly how: string
  /** `whole`: only tenants with whole collections, because it shows or changes the points of all. */
  readonly scope: 'any' | 'whole'
  /** Absent where the request goes on as it is, with its body unread. */
  readonly guard?: Guard
  readonly answer: Exclude<AnswerShape['kind'], 'points_by_id' | 'point_by_id'>
}

/** No tenant may use it. */
interface NeverCover {
  readonly kind: 'never'
}
export const NEVER: NeverCover = { kind: 'never' }

/** A request whose route is found and open to the tenant. */
export interface RoutedRequest {
  readonly tenant: Tenant
  readonly method: string
  /** Encoded in one way, with the query string. */
  readonly target: string
  /** With its `?`, or ''. */
  readonly queryString: string
  /** Decoded parts of the path by their names in the table. */
  readonly parts: Readonly<Record<string, string>>
  /** Null for routes without a collection. */
  readonly collection: string | null
}

/**
 * Rewrites a request so that it reads and writes points of the tenant only. Pauses in long bodies.
 * @param body '' when the route has none @throws StowageError `bad_request`, `forbidden`
 */
export type Guard = (request: RoutedRequest, body: string) => Steps<GuardedRequest>

/** The request with its body unread. */
export function asItIs({ tenant, method, target }: RoutedRequest, cover: Cover): GuardedRequest {
  return { method, target, body: null, checks: [], answer: { kind: answerOf(cover, tenant) } }
}

/** Counts of a collection need no replacing when all its points are the tenant's. */
function answerOf(cover: Cover, tenant: Tenant): AllowableCover['answer'] {
  if (cover.kind !== 'allowable') return 'unchanged'
  return cover.answer === 'collection_info' && tenant.condition === null ? 'unchanged' : cover.answer
}
