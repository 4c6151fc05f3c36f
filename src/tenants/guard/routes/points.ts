import { READ_PARAMETERS } from '../../../qdrant/paths.ts'
import { guardCount, guardFacet, guardPoint, guardRetrieve, guardScroll } from '../operations/reads.ts'
import {
  guardDiscover,
  guardDiscoverBatch,
  guardMatrix,
  guardQuery,
  guardQueryBatch,
  guardQueryGroups,
  guardRecommend,
  guardRecommendBatch,
  guardRecommendGroups,
  guardSearch,
  guardSearchBatch,
  guardSearchGroups,
} from '../operations/searches.ts'
import {
  guardBatch,
  guardClearPayload,
  guardDeletePayload,
  guardDeletePoints,
  guardDeleteVectors,
  guardOverwritePayload,
  guardSetPayload,
  guardUpdateVectors,
  guardUpsert,
} from '../operations/writes.ts'
import { below, type Cover, type Guard, type Route, route, WRITE_PARAMETERS } from './route.ts'

const FILTERED = 'The condition of the tenant is added to the filter.'
const QUERIED =
  'The condition is added to the filters of the root, of each prefetch and of `params.idf.corpus`. Ids whose vectors are used must be own points. The collection of `lookup_from` must be reached.'
const LOOKED_UP = `${FILTERED} Ids whose vectors are used must be own points. The collection of \`lookup_from\` must be reached.`
const GROUPED = '`with_lookup` needs whole collections.'
const SCROLLED = 'Becomes a scroll with `has_id` and the condition.'
const BY_FILTER = 'Ids become a filter with `has_id`; the condition is added.'

/** Routes that read or write points. Each needs a collection that the tenant reaches. */
export const POINT_ROUTES: readonly Route[] = [
  reads('points/query', 'query_points', lookingUp(guardQuery, QUERIED)),
  reads('points/query/batch', 'query_batch_points', lookingUp(guardQueryBatch, `Each search: ${QUERIED}`)),
  reads('points/query/groups', 'query_points_groups', lookingUp(guardQueryGroups, `${QUERIED} ${GROUPED}`)),

  reads('points/search', 'search_points', guarded(guardSearch, FILTERED)),
  reads('points/search/batch', 'search_batch_points', guarded(guardSearchBatch, `Each search: ${FILTERED}`)),
  reads('points/search/groups', 'search_point_groups', lookingUp(guardSearchGroups, `${FILTERED} ${GROUPED}`)),
  reads('points/recommend', 'recommend_points', lookingUp(guardRecommend, LOOKED_UP)),
  reads(
    'points/recommend/batch',
    'recommend_batch_points',
    lookingUp(guardRecommendBatch, `Each search: ${LOOKED_UP}`),
  ),
  reads(
    'points/recommend/groups',
    'recommend_point_groups',
    lookingUp(guardRecommendGroups, `${LOOKED_UP} ${GROUPED}`),
  ),
  reads('points/discover', 'discover_points', lookingUp(guardDiscover, LOOKED_UP)),
  reads('points/discover/batch', 'discover_batch_points', lookingUp(guardDiscoverBatch, `Each search: ${LOOKED_UP}`)),
  reads('points/search/matrix/pairs', 'search_matrix_pairs', guarded(guardMatrix, FILTERED)),
  reads('points/search/matrix/offsets', 'search_matrix_offsets', guarded(guardMatrix, FILTERED)),

  reads('points/scroll', 'scroll_points', guarded(guardScroll, FILTERED)),
  reads('points/count', 'count_points', guarded(guardCount, `${FILTERED} The count is always exact.`)),
  reads('facet', 'facet', guarded(guardFacet, FILTERED)),
  reads('points', 'get_points', guarded(guardRetrieve, SCROLLED)),
  route(
    'GET',
    below('points/{id}'),
    'get_point',
    { ...guarded(guardPoint, SCROLLED), hasBody: false },
    READ_PARAMETERS,
  ),

  writes(
    'PUT',
    'points',
    'upsert_points',
    guarded(
      guardUpsert,
      'The tenant field is written into each payload. Points of others are refused, and protected by `update_filter`.',
    ),
  ),
  writes('POST', 'points/delete', 'delete_points', guarded(guardDeletePoints, BY_FILTER)),
  writes(
    'POST',
    'points/payload',
    'set_payload',
    guarded(guardSetPayload, `${BY_FILTER} The tenant field cannot be given another value.`),
  ),
  writes(
    'PUT',
    'points/payload',
    'overwrite_payload',
    guarded(guardOverwritePayload, `${BY_FILTER} The tenant field is written into the payload.`),
  ),
  writes(
    'POST',
    'points/payload/delete',
    'delete_payload',
    guarded(guardDeletePayload, `${BY_FILTER} The tenant field cannot be deleted.`),
  ),
  writes(
    'POST',
    'points/payload/clear',
    'clear_payload',
    guarded(guardClearPayload, `${BY_FILTER} Becomes an overwriting that leaves the tenant field.`),
  ),
  writes(
    'PUT',
    'points/vectors',
    'update_vectors',
    guarded(guardUpdateVectors, 'All ids must be own points, which `update_filter` ensures once more.'),
  ),
  writes('POST', 'points/vectors/delete', 'delete_vectors', guarded(guardDeleteVectors, BY_FILTER)),
  writes('POST', 'points/batch', 'batch_update', guarded(guardBatch, 'Each operation as its own route.')),
]

function reads(path: string, operation: string, cover: Cover): Route {
  return { ...route('POST', below(path), operation, cover, READ_PARAMETERS), access: 'read' }
}

function writes(method: Route['method'], path: string, operation: string, cover: Cover): Route {
  return route(method, below(path), operation, cover, WRITE_PARAMETERS)
}

function guarded(guard: Guard, how: string) {
  return { kind: 'guarded', guard, how, hasBody: true, namesCollections: false } as const
}

/** For bodies that can name other collections. */
function lookingUp(guard: Guard, how: string) {
  return { ...guarded(guard, how), namesCollections: true }
}
