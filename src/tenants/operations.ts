/**
 * The names that `allow` can hold: Qdrant's operations on collections, aliases, indexes and the service. Operations on points are open to
 * every tenant within its condition. Operations on shards, snapshots, the cluster and telemetry, which show or change points of
 * all tenants, are open to nobody.
 */
export const ALLOWABLE_OPERATIONS: readonly string[] = [
  'get_collections',
  'get_collection',
  'collection_exists',
  'create_collection',
  'update_collection',
  'delete_collection',
  'create_field_index',
  'delete_field_index',
  'get_collections_aliases',
  'get_collection_aliases',
  'update_aliases',
]
