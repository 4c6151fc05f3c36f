import type { Route } from './route.ts'

const OPEN = { kind: 'open' } as const
const NEVER = { kind: 'never' } as const

/** Routes of the whole server: its health is open, all else tells of every collection. */
export const SERVER_ROUTES: readonly Route[] = [
  reads('/', 'root', OPEN),
  reads('/healthz', 'healthz', OPEN),
  reads('/livez', 'livez', OPEN),
  reads('/readyz', 'readyz', OPEN),

  reads('/telemetry', 'telemetry', NEVER),
  reads('/metrics', 'metrics', NEVER),
  reads('/issues', 'get_issues', NEVER),
  writes('DELETE', '/issues', 'clear_issues'),
  reads('/quotas', 'get_quotas', NEVER),
  writes('PUT', '/quotas', 'update_quotas'),

  reads('/cluster', 'cluster_status', NEVER),
  reads('/cluster/telemetry', 'cluster_telemetry', NEVER),
  writes('POST', '/cluster/recover', 'recover_current_peer'),
  writes('DELETE', '/cluster/peer/{peer_id}', 'remove_peer'),

  reads('/snapshots', 'list_full_snapshots', NEVER),
  writes('POST', '/snapshots', 'create_full_snapshot'),
  reads('/snapshots/{snapshot_name}', 'get_full_snapshot', NEVER),
  writes('DELETE', '/snapshots/{snapshot_name}', 'delete_full_snapshot'),
]

/** Routes that Qdrant serves and does not document. Many read points without a filter. */
export const UNDOCUMENTED_ROUTES: readonly Route[] = [
  '/audit/logs',
  '/cluster/metadata/keys',
  '/cluster/metadata/keys/{key}',
  '/debugger',
  '/logger',
  '/profiler/slow_requests',
  '/stacktrace',
  '/collections/{collection_name}/debug',
  '/collections/{collection_name}/memory',
  '/collections/{collection_name}/truncate_unapplied_wal',
  '/collections/{collection_name}/shards/{shard}/cleanup',
  '/collections/{collection_name}/shards/{shard}/points',
  '/collections/{collection_name}/shards/{shard}/points/count',
  '/collections/{collection_name}/shards/{shard}/points/scroll',
  '/collections/{collection_name}/shards/{shard}/recovery_point',
  '/collections/{collection_name}/shards/{shard}/wal',
  '/collections/{collection_name}/shards/{shard}/snapshot',
  '/collections/{collection_name}/shards/{shard}/snapshot/partial/create',
  '/collections/{collection_name}/shards/{shard}/snapshot/partial/manifest',
  '/collections/{collection_name}/shards/{shard}/snapshot/partial/recover',
  '/collections/{collection_name}/shards/{shard}/snapshot/partial/recover_from',
  '/collections/{collection_name}/shards/{shard}/snapshots',
  '/collections/{collection_name}/shards/{shard}/snapshots/recover',
  '/collections/{collection_name}/shards/{shard}/snapshots/upload',
  '/collections/{collection_name}/shards/{shard}/snapshots/{snapshot}',
].map(path => ({ method: '*', path, operation: 'undocumented', access: 'write', parameters: [], cover: NEVER }))

function reads(path: string, operation: string, cover: Route['cover']): Route {
  return { method: 'GET', path, operation, access: 'read', parameters: [], cover }
}

function writes(method: Route['method'], path: string, operation: string): Route {
  return { method, path, operation, access: 'write', parameters: [], cover: NEVER }
}
