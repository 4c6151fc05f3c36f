import type { StoreCall } from '../../core/ports.ts'
import type { JsonObject } from '../../core/types.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { narrowedFilter } from '../../qdrant/condition.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { readScoredPoints, type ScoredPoint } from '../../qdrant/points.ts'

interface Among {
  collection: string
  among: JsonObject
  limit: number
  /** The filter of the request; null for none. */
  filter: JsonObject | null
}

/** Reads the points that match `among`, the filter of the request and the condition of the caller. */
export async function readAmong(
  http: Pick<QdrantHttp, 'read'>,
  { collection, among, limit, filter }: Among,
  call: StoreCall,
): Promise<ScoredPoint[]> {
  const result = await http.read({
    ...call,
    method: 'POST',
    path: collectionPath(collection, 'points/query'),
    body: {
      filter: narrowedFilter(call.condition, { must: filter === null ? [among] : [filter, among] }),
      limit,
      with_payload: true,
    },
  })
  return readScoredPoints(result)
}
