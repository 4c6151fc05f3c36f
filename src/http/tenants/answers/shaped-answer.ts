import type { ServerResponse } from 'node:http'
import { StowageError } from '../../../core/errors.ts'
import { elements, members } from '../../../qdrant/raw-json.ts'
import type { GuardedRequest } from '../../../tenants/guard/guarded.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import { sendRewritten } from '../../passthrough/send-rewritten.ts'
import { readForTenant, type TenantCall } from '../tenant-call.ts'
import { ownCollectionInfo } from './collection-info.ts'
import { memberOf, readResult, replaceResult } from './envelope.ts'

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

/** The answer to `GET /collections` without the collections that the tenant does not reach. */
function reachableCollections(answer: string, tenant: Tenant): string {
  return keepElements(answer, 'collections', collection => tenant.reaches(nameIn(collection, 'name')))
}

/** The answer to `GET /aliases` without the aliases of which the tenant does not reach both names. */
function reachableAliases(answer: string, tenant: Tenant): string {
  const reached = (alias: string) =>
    ['alias_name', 'collection_name'].every(member => tenant.reaches(nameIn(alias, member)))
  return keepElements(answer, 'aliases', reached)
}

function keepElements(answer: string, list: string, keep: (element: string) => boolean): string {
  const kept = readResult(answer, result => elements(memberOf(result, list)).filter(keep))
  return replaceResult(answer, `{${JSON.stringify(list)}:[${kept.join(',')}]}`)
}

function nameIn(raw: string, member: string): string {
  return String(JSON.parse(memberOf(raw, member)))
}

/** The answer to `POST /points` from that of a scroll: the points that were found, in the order of `ids`, each once. */
export function pointsById(scrolled: string, ids: readonly string[]): string {
  const found = foundPoints(scrolled)
  const points = [...new Set(ids.map(idKey))].flatMap(id => found.get(id) ?? [])
  return replaceResult(scrolled, `[${points.join(',')}]`)
}

/** The answer to `GET /points/{id}` from that of a scroll; null when there is no such point. */
export function pointById(scrolled: string, id: string): string | null {
  const point = foundPoints(scrolled).get(idKey(id))
  return point === undefined ? null : replaceResult(scrolled, point)
}

/** The raw points of a scroll by `idKey`. */
function foundPoints(scrolled: string): Map<string, string> {
  const points = readResult(scrolled, result => elements(memberOf(result, 'points')))
  return new Map(
    readResult(scrolled, () => points.map(point => [idKey(members(point).get('id') ?? ''), point] as const)),
  )
}

/** One spelling for each id: digits, or a UUID in lower case without its punctuation. Qdrant reads more spellings than it prints. */
function idKey(id: string): string {
  return /^\d+$/.test(id) ? id.replace(/^0+(?=\d)/, '') : id.toLowerCase().replace(/urn:uuid:|[^0-9a-z]/g, '')
}
