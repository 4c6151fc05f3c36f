import { guardAliases, guardCreateCollection } from '../operations/collections.ts'
import type { Cover, Route } from './route.ts'

const NONE: readonly string[] = []
const NEVER = { kind: 'never' } as const

/** Routes of collections, aliases, indexes, shards and snapshots. */
export const COLLECTION_ROUTES: readonly Route[] = [
  route('read', 'GET', '/collections', 'get_collections', NONE, {
    ...anyTenant('Names that the tenant does not reach are left out.'),
    answer: 'collection_list',
  }),
  route('read', 'GET', '/collections/{collection_name}', 'get_collection', NONE, {
    ...anyTenant("Counts are those of the tenant's own points."),
    answer: 'collection_info',
  }),
  route('read', 'GET', '/collections/{collection_name}/exists', 'collection_exists', NONE, anyTenant()),
  route('write', 'PUT', '/collections/{collection_name}', 'create_collection', ['timeout'], {
    ...anyTenant('A body that names another collection is refused.'),
    guard: guardCreateCollection,
  }),
  route('write', 'PATCH', '/collections/{collection_name}', 'update_collection', ['timeout'], whole()),
  route('write', 'DELETE', '/collections/{collection_name}', 'delete_collection', ['timeout'], whole()),
  route(
    'read',
    'GET',
    '/collections/{collection_name}/optimizations',
    'get_optimizations',
    ['with', 'completed_limit'],
    whole(),
  ),

  route('read', 'GET', '/aliases', 'get_collections_aliases', NONE, {
    ...anyTenant('Names that the tenant does not reach are left out.'),
    answer: 'alias_list',
  }),
  route('read', 'GET', '/collections/{collection_name}/aliases', 'get_collection_aliases', NONE, {
    ...anyTenant('Names that the tenant does not reach are left out.'),
    answer: 'alias_list',
  }),
  route('write', 'POST', '/collections/aliases', 'update_aliases', ['timeout'], {
    ...whole('Every collection and alias in the body must be reached.'),
    guard: guardAliases,
  }),

  route(
    'write',
    'PUT',
    '/collections/{collection_name}/index',
    'create_field_index',
    ['wait', 'ordering', 'timeout'],
    whole(),
  ),
  route(
    'write',
    'DELETE',
    '/collections/{collection_name}/index/{field_name}',
    'delete_field_index',
    ['wait', 'ordering', 'timeout'],
    whole(),
  ),
  route(
    'write',
    'PUT',
    '/collections/{collection_name}/vectors/{vector_name}',
    'create_vector_name',
    ['wait', 'ordering', 'timeout'],
    whole(),
  ),
  route(
    'write',
    'DELETE',
    '/collections/{collection_name}/vectors/{vector_name}',
    'delete_vector_name',
    ['wait', 'ordering', 'timeout'],
    whole(),
  ),

  route('read', 'GET', '/collections/{collection_name}/cluster', 'collection_cluster_info', NONE, whole()),
  route('write', 'POST', '/collections/{collection_name}/cluster', 'update_collection_cluster', NONE, NEVER),
  route('read', 'GET', '/collections/{collection_name}/shards', 'list_shard_keys', NONE, whole()),
  route('write', 'PUT', '/collections/{collection_name}/shards', 'create_shard_key', ['timeout'], whole()),
  route('write', 'POST', '/collections/{collection_name}/shards/delete', 'delete_shard_key', ['timeout'], whole()),

  route('read', 'GET', '/collections/{collection_name}/snapshots', 'list_snapshots', NONE, whole()),
  route('write', 'POST', '/collections/{collection_name}/snapshots', 'create_snapshot', ['wait'], whole()),
  route('read', 'GET', '/collections/{collection_name}/snapshots/{snapshot_name}', 'get_snapshot', NONE, whole()),
  route(
    'write',
    'DELETE',
    '/collections/{collection_name}/snapshots/{snapshot_name}',
    'delete_snapshot',
    ['wait'],
    whole(),
  ),
  // A snapshot that the client names or brings can hold anything, also files of other collections.
  route('write', 'PUT', '/collections/{collection_name}/snapshots/recover', 'recover_from_snapshot', NONE, NEVER),
  route(
    'write',
    'POST',
    '/collections/{collection_name}/snapshots/upload',
    'recover_from_uploaded_snapshot',
    NONE,
    NEVER,
  ),
  route(
    'read',
    'GET',
    '/collections/{collection_name}/shards/{shard_id}/snapshot',
    'stream_shard_snapshot',
    NONE,
    NEVER,
  ),
  route(
    'read',
    'GET',
    '/collections/{collection_name}/shards/{shard_id}/snapshots',
    'list_shard_snapshots',
    NONE,
    NEVER,
  ),
  route(
    'write',
    'POST',
    '/collections/{collection_name}/shards/{shard_id}/snapshots',
    'create_shard_snapshot',
    NONE,
    NEVER,
  ),
  route(
    'write',
    'PUT',
    '/collections/{collection_name}/shards/{shard_id}/snapshots/recover',
    'recover_shard_from_snapshot',
    NONE,
    NEVER,
  ),
  route(
    'write',
    'POST',
    '/collections/{collection_name}/shards/{shard_id}/snapshots/upload',
    'recover_shard_from_uploaded_snapshot',
    NONE,
    NEVER,
  ),
  route(
    'read',
    'GET',
    '/collections/{collection_name}/shards/{shard_id}/snapshots/{snapshot_name}',
    'get_shard_snapshot',
    NONE,
    NEVER,
  ),
  route(
    'write',
    'DELETE',
    '/collections/{collection_name}/shards/{shard_id}/snapshots/{snapshot_name}',
    'delete_shard_snapshot',
    NONE,
    NEVER,
  ),
]

function route(
  access: Route['access'],
  method: Route['method'],
  path: string,
  operation: string,
  parameters: readonly string[],
  cover: Cover,
): Route {
  return { method, path, operation, access, parameters, cover }
}

function anyTenant(how = '') {
  return { kind: 'allowable', how, scope: 'any', answer: 'unchanged' } as const
}

/** For routes that show or change the points of all tenants of a collection. */
function whole(how = '') {
  return { kind: 'allowable', how, scope: 'whole', answer: 'unchanged' } as const
}
