import type { ServerResponse } from 'node:http'
import { StowageError } from '../../../core/errors.ts'
import type { GuardedRequest } from '../../../tenants/guard/guarded.ts'
import { sendRewritten } from '../../passthrough/send-rewritten.ts'
import { readForTenant, type TenantCall } from '../tenant-call.ts'
import { ownCollectionInfo } from './collection-info.ts'
import { pointById, pointsById } from './points-by-id.ts'
import { reachableAliases, reachableCollections } from './reachable-names.ts'

/**
 * Makes a guarded read and answers in the shape of the client's own request. A refusal of Qdrant goes to the client as it is.
 * @param collection of the request; null for none
 * @throws StowageError
 */
export async function sendShaped(
  { method, target, body, answer: shape }: GuardedRequest,
  collection: string | null,
  call: TenantCall,
  response: ServerResponse,
): Promise<void> {
  if (method !== 'GET' && method !== 'POST') throw new Error(`an answer to ${method} cannot be rewritten`)
  const { status, headers, text } = await readForTenant({ method, target, body }, call)
  sendRewritten(response, status, headers, status === 200 ? await reshape() : text)

  async function reshape(): Promise<string> {
    switch (shape.kind) {
      case 'points_by_id':
        return pointsById(text, shape.ids)
      case 'point_by_id': {
        const [id = ''] = shape.ids
        const point = pointById(text, id)
        if (point !== null) return point
        throw new StowageError('not_found', `Not found: Point with id ${id.replaceAll('"', '')} does not exists!`)
      }
      case 'collection_list':
        return reachableCollections(text, call.tenant)
      case 'alias_list':
        return reachableAliases(text, call.tenant)
      case 'collection_info':
        if (collection === null || call.tenant.condition === null) return text
        return ownCollectionInfo(text, collection, call.tenant.condition, call)
      case 'unchanged':
        return text
    }
  }
}
