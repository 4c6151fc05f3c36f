/** What `allow` can name besides the operations on points, which every tenant has. */
const ANY_TENANT = [
  'get_collections',
  'get_collection',
  'collection_exists',
  'create_collection',
  'get_collections_aliases',
  'get_collection_aliases',
]
const WHOLE_COLLECTIONS = [
  'update_collection',
  'delete_collection',
  'get_optimizations',
  'update_aliases',
  'create_field_index',
  'delete_field_index',
  'create_vector_name',
  'delete_vector_name',
  'collection_cluster_info',
  'list_shard_keys',
  'create_shard_key',
  'delete_shard_key',
  'list_snapshots',
  'create_snapshot',
  'get_snapshot',
  'delete_snapshot',
]

/** Operations that the `allow` list of a tenant can name, and whether only tenants with whole collections can have them. */
export const ALLOWABLE_OPERATIONS: ReadonlyMap<string, { readonly needsWholeCollections: boolean }> = new Map(
  [...ANY_TENANT, ...WHOLE_COLLECTIONS].map(name => [
    name,
    { needsWholeCollections: WHOLE_COLLECTIONS.includes(name) },
  ]),
)
