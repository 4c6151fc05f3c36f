import type { QdrantAnswer } from '../../qdrant/client.ts'
import { collectionPath } from '../../qdrant/paths.ts'
import { elements } from '../../qdrant/raw-json.ts'
import type { PointCheck } from '../../tenants/guard/guarded.ts'
import { memberOf, readResult } from './answers/envelope.ts'
import { readForTenant, type TenantCall } from './tenant-call.ts'

/**
 * Searches for the points of each check, one after the other. A request goes on only when all of them find what they need.
 * @returns null, or Qdrant's refusal of one of the searches, which is then the answer to the request
 * @throws StowageError the refusal of the first check that fails, or the failure to search
 */
export async function makeChecks(checks: readonly PointCheck[], call: TenantCall): Promise<QdrantAnswer | null> {
  for (const { collection, filter, count, refusal } of checks) {
    const body = `{"filter":${filter},"limit":${count + 1},"with_payload":false,"with_vector":false}`
    const target = collectionPath(collection, 'points/scroll')
    const answer = await readForTenant({ method: 'POST', target, body }, call)
    if (answer.status !== 200) return answer
    if (readResult(answer.text, result => elements(memberOf(result, 'points'))).length !== count) throw refusal
  }
  return null
}
