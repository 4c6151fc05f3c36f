import type { ClusterRead } from '../../core/ports.ts'
import type { JsonObject } from '../../core/types.ts'

interface PointsRead {
  /** Without a query string. */
  path: string
  body?: unknown
}

/** A read of points as a cluster should answer it: parameters behind the path, and the shard key in each search of the body. */
export function atCluster<Read extends PointsRead>(read: Read, cluster: ClusterRead | null | undefined): Read {
  if (!cluster) return read
  const { consistency, timeout, shardKey } = cluster
  const parameters = new URLSearchParams()
  if (consistency !== undefined) parameters.set('consistency', String(consistency))
  if (timeout !== undefined) parameters.set('timeout', String(timeout))
  const path = parameters.size === 0 ? read.path : `${read.path}?${parameters}`
  if (shardKey === undefined || read.body === undefined) return { ...read, path }
  const { searches, ...body } = read.body as JsonObject
  const withKey = (search: unknown) => ({ ...(search as JsonObject), shard_key: shardKey })
  return { ...read, path, body: Array.isArray(searches) ? { ...body, searches: searches.map(withKey) } : withKey(body) }
}
