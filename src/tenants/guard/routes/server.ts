import { below, NEVER, type Route, route } from './route.ts'

const OPEN = { kind: 'open' } as const

/** Routes of the whole server: its health is open, all else tells of every collection. */
export const SERVER_ROUTES: readonly Route[] = [
  route('GET', '/', 'root', OPEN),
  route('GET', '/healthz', 'healthz', OPEN),
  route('GET', '/livez', 'livez', OPEN),
  route('GET', '/readyz', 'readyz', OPEN),

  route('GET', '/telemetry', 'telemetry', NEVER),
  route('GET', '/metrics', 'metrics', NEVER),
  route('GET', '/issues', 'get_issues', NEVER),
  route('DELETE', '/issues', 'clear_issues', NEVER),
  route('GET', '/quotas', 'get_quotas', NEVER),
  route('PUT', '/quotas', 'update_quotas', NEVER),

  route('GET', '/cluster', 'cluster_status', NEVER),
  route('GET', '/cluster/telemetry', 'cluster_telemetry', NEVER),
  route('POST', '/cluster/recover', 'recover_current_peer', NEVER),
  route('DELETE', '/cluster/peer/{peer_id}', 'remove_peer', NEVER),

  route('GET', '/snapshots', 'list_full_snapshots', NEVER),
  route('POST', '/snapshots', 'create_full_snapshot', NEVER),
  route('GET', '/snapshots/{snapshot_name}', 'get_full_snapshot', NEVER),
  route('DELETE', '/snapshots/{snapshot_name}', 'delete_full_snapshot', NEVER),
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
  below('debug'),
  below('memory'),
  below('truncate_unapplied_wal'),
  below('shards/{shard}/cleanup'),
  below('shards/{shard}/points'),
  below('shards/{shard}/points/count'),
  below('shards/{shard}/points/scroll'),
  below('shards/{shard}/recovery_point'),
  below('shards/{shard}/wal'),
  below('shards/{shard}/snapshot'),
  below('shards/{shard}/snapshot/partial/create'),
  below('shards/{shard}/snapshot/partial/manifest'),
  below('shards/{shard}/snapshot/partial/recover'),
  below('shards/{shard}/snapshot/partial/recover_from'),
  below('shards/{shard}/snapshots'),
  below('shards/{shard}/snapshots/recover'),
  below('shards/{shard}/snapshots/upload'),
  below('shards/{shard}/snapshots/{snapshot}'),
].map(path => route('*', path, 'undocumented', NEVER))
