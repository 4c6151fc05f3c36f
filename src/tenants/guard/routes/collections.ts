import { guardAliases, guardCreateCollection } from '../operations/collections.ts'
import { type AllowableCover, below, COLLECTION, NEVER, type Route, route, WRITE_PARAMETERS } from './route.ts'

const TIMEOUT = ['timeout']

const LEFT_OUT = 'Names that the tenant does not reach are left out.'
const OWN_COUNTS = "Counts are those of the tenant's own points."
const NO_OTHER = 'A body that names another collection is refused.'
const ALL_REACHED = 'Every collection and alias in the body must be reached.'

/** Routes of collections, aliases, indexes, shards and snapshots. */
export const COLLECTION_ROUTES: readonly Route[] = [
  route('GET', '/collections', 'get_collections', anyTenant({ how: LEFT_OUT, answer: 'collection_list' })),
  route('GET', COLLECTION, 'get_collection', anyTenant({ how: OWN_COUNTS, answer: 'collection_info' })),
  route('GET', below('exists'), 'collection_exists', anyTenant()),
  route('PUT', COLLECTION, 'create_collection', anyTenant({ how: NO_OTHER, guard: guardCreateCollection }), TIMEOUT),
  route('PATCH', COLLECTION, 'update_collection', whole(), TIMEOUT),
  route('DELETE', COLLECTION, 'delete_collection', whole(), TIMEOUT),
  route('GET', below('optimizations'), 'get_optimizations', whole(), ['with', 'completed_limit']),

  route('GET', '/aliases', 'get_collections_aliases', anyTenant({ how: LEFT_OUT, answer: 'alias_list' })),
  route('GET', below('aliases'), 'get_collection_aliases', anyTenant({ how: LEFT_OUT, answer: 'alias_list' })),
  route('POST', '/collections/aliases', 'update_aliases', whole({ how: ALL_REACHED, guard: guardAliases }), TIMEOUT),

  route('PUT', below('index'), 'create_field_index', whole(), WRITE_PARAMETERS),
  route('DELETE', below('index/{field_name}'), 'delete_field_index', whole(), WRITE_PARAMETERS),
  route('PUT', below('vectors/{vector_name}'), 'create_vector_name', whole(), WRITE_PARAMETERS),
  route('DELETE', below('vectors/{vector_name}'), 'delete_vector_name', whole(), WRITE_PARAMETERS),

  route('GET', below('cluster'), 'collection_cluster_info', whole()),
  route('POST', below('cluster'), 'update_collection_cluster', NEVER),
  route('GET', below('shards'), 'list_shard_keys', whole()),
  route('PUT', below('shards'), 'create_shard_key', whole(), TIMEOUT),
  route('POST', below('shards/delete'), 'delete_shard_key', whole(), TIMEOUT),

  route('GET', below('snapshots'), 'list_snapshots', whole()),
  route('POST', below('snapshots'), 'create_snapshot', whole(), ['wait']),
  route('GET', below('snapshots/{snapshot_name}'), 'get_snapshot', whole()),
  route('DELETE', below('snapshots/{snapshot_name}'), 'delete_snapshot', whole(), ['wait']),
  // A snapshot that the client names or brings can hold anything, also files of other collections.
  route('PUT', below('snapshots/recover'), 'recover_from_snapshot', NEVER),
  route('POST', below('snapshots/upload'), 'recover_from_uploaded_snapshot', NEVER),
  route('GET', below('shards/{shard_id}/snapshot'), 'stream_shard_snapshot', NEVER),
  route('GET', below('shards/{shard_id}/snapshots'), 'list_shard_snapshots', NEVER),
  route('POST', below('shards/{shard_id}/snapshots'), 'create_shard_snapshot', NEVER),
  route('PUT', below('shards/{shard_id}/snapshots/recover'), 'recover_shard_from_snapshot', NEVER),
  route('POST', below('shards/{shard_id}/snapshots/upload'), 'recover_shard_from_uploaded_snapshot', NEVER),
  route('GET', below('shards/{shard_id}/snapshots/{snapshot_name}'), 'get_shard_snapshot', NEVER),
  route('DELETE', below('shards/{shard_id}/snapshots/{snapshot_name}'), 'delete_shard_snapshot', NEVER),
]

function anyTenant(more: Partial<AllowableCover> = {}): AllowableCover {
  return { kind: 'allowable', how: '', scope: 'any', answer: 'unchanged', ...more }
}

/** For routes that show or change the points of all tenants of a collection. */
function whole(more: Partial<AllowableCover> = {}): AllowableCover {
  return { ...anyTenant(more), scope: 'whole' }
}
