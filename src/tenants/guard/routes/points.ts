import { pending } from './pending.ts'
import type { Guard, Route } from './route.ts'

const READ_PARAMETERS = ['consistency', 'timeout']
const WRITE_PARAMETERS = ['wait', 'ordering', 'timeout']

const FILTERED = 'The condition of the tenant is added to the filter.'
const QUERIED =
  'The condition is added to the filters of the root, of each prefetch and of `params.idf.corpus`. Ids whose vectors are used must be own points. The collection of `lookup_from` must be reached.'
const LOOKED_UP = 'Ids whose vectors are used must be own points. The collection of `lookup_from` must be reached.'
const GROUPED = '`with_lookup` needs whole collections.'
const BY_FILTER = 'Ids become a filter with `has_id`; the condition is added.'

/** Routes that read or write points. Each needs a collection that the tenant reaches. */
export const POINT_ROUTES: readonly Route[] = [
  reads('POST', 'points/query', 'query_points', lookingUp(pending, QUERIED)),
  reads('POST', 'points/query/batch', 'query_batch_points', lookingUp(pending, `Each search: ${QUERIED}`)),
  reads('POST', 'points/query/groups', 'query_points_groups', lookingUp(pending, `${QUERIED} ${GROUPED}`)),

  reads('POST', 'points/search', 'search_points', guarded(pending, FILTERED)),
  reads('POST', 'points/search/batch', 'search_batch_points', guarded(pending, `Each search: ${FILTERED}`)),
  reads('POST', 'points/search/groups', 'search_point_groups', lookingUp(pending, `${FILTERED} ${GROUPED}`)),
  reads('POST', 'points/recommend', 'recommend_points', lookingUp(pending, `${FILTERED} ${LOOKED_UP}`)),
  reads(
    'POST',
    'points/recommend/batch',
    'recommend_batch_points',
    lookingUp(pending, `Each search: ${FILTERED} ${LOOKED_UP}`),
  ),
  reads(
    'POST',
    'points/recommend/groups',
    'recommend_point_groups',
    lookingUp(pending, `${FILTERED} ${LOOKED_UP} ${GROUPED}`),
  ),
  reads('POST', 'points/discover', 'discover_points', lookingUp(pending, `${FILTERED} ${LOOKED_UP}`)),
  reads(
    'POST',
    'points/discover/batch',
    'discover_batch_points',
    lookingUp(pending, `Each search: ${FILTERED} ${LOOKED_UP}`),
  ),
  reads('POST', 'points/search/matrix/pairs', 'search_matrix_pairs', guarded(pending, FILTERED)),
  reads('POST', 'points/search/matrix/offsets', 'search_matrix_offsets', guarded(pending, FILTERED)),

  reads('POST', 'points/scroll', 'scroll_points', guarded(pending, FILTERED)),
  reads('POST', 'points/count', 'count_points', guarded(pending, `${FILTERED} The count is always exact.`)),
  reads('POST', 'facet', 'facet', guarded(pending, FILTERED)),
  reads('POST', 'points', 'get_points', guarded(pending, 'Becomes a scroll with `has_id` and the condition.')),
  reads('GET', 'points/{id}', 'get_point', {
    ...guarded(pending, 'Becomes a scroll with `has_id` and the condition.'),
    hasBody: false,
  }),

  writes(
    'PUT',
    'points',
    'upsert_points',
    guarded(
      pending,
      'The tenant field is written into each payload. Points of others are refused, and protected by `update_filter`.',
    ),
  ),
  writes('POST', 'points/delete', 'delete_points', guarded(pending, BY_FILTER)),
  writes(
    'POST',
    'points/payload',
    'set_payload',
    guarded(pending, `${BY_FILTER} The tenant field cannot be given another value.`),
  ),
  writes(
    'PUT',
    'points/payload',
    'overwrite_payload',
    guarded(pending, `${BY_FILTER} The tenant field is written into the payload.`),
  ),
  writes(
    'POST',
    'points/payload/delete',
    'delete_payload',
    guarded(pending, `${BY_FILTER} The tenant field cannot be deleted.`),
  ),
  writes(
    'POST',
    'points/payload/clear',
    'clear_payload',
    guarded(pending, `${BY_FILTER} Becomes an overwriting that leaves the tenant field.`),
  ),
  writes(
    'PUT',
    'points/vectors',
    'update_vectors',
    guarded(pending, 'All ids must be own points, which `update_filter` ensures once more.'),
  ),
  writes('POST', 'points/vectors/delete', 'delete_vectors', guarded(pending, BY_FILTER)),
  writes('POST', 'points/batch', 'batch_update', guarded(pending, 'Each operation as its own route.')),
]

function reads(method: Route['method'], path: string, operation: string, cover: Route['cover']): Route {
  return { method, path: below(path), operation, access: 'read', parameters: READ_PARAMETERS, cover }
}

function writes(method: Route['method'], path: string, operation: string, cover: Route['cover']): Route {
  return { method, path: below(path), operation, access: 'write', parameters: WRITE_PARAMETERS, cover }
}

function guarded(guard: Guard, how: string) {
  return { kind: 'guarded', guard, how, hasBody: true, namesCollections: false } as const
}

/** For bodies that can name other collections. */
function lookingUp(guard: Guard, how: string) {
  return { ...guarded(guard, how), namesCollections: true }
}

function below(path: string): string {
  return `/collections/{collection_name}/${path}`
}
