import type { JsonObject } from '../../../core/types.ts'
import { printJson } from '../../../qdrant/json.ts'
import { collectionPath } from '../../../qdrant/paths.ts'
import { kindOf, members, printMembers } from '../../../qdrant/raw-json.ts'
import { readForTenant, type TenantCall } from '../tenant-call.ts'
import { memberOf, readResult, replaceResult } from './envelope.ts'

/** Members that say nothing of the points of others. Later versions of Qdrant may add some that do, so all others are left out. */
const KEPT = ['status', 'optimizer_status', 'segments_count', 'config', 'payload_schema']

/** Members that count points or vectors. Each shows the points of the tenant. */
const COUNTS = ['points_count', 'vectors_count', 'indexed_vectors_count']

/** The answer to `GET /collections/{name}` with the counts of the points that meet `condition`. */
export async function ownCollectionInfo(
  answer: string,
  collection: string,
  condition: JsonObject,
  call: TenantCall,
): Promise<string> {
  const info = readResult(answer, members)
  const schema = readResult(answer, () => members(info.get('payload_schema') ?? '{}'))
  const counted = (field: string | null) => countOwn(collection, condition, field, call)
  const [points, ...withField] = await Promise.all([counted(null), ...[...schema.keys()].map(counted)])

  const indexes = readResult(answer, () =>
    [...schema].map(
      ([field, index], at) => [field, printMembers(members(index).set('points', withField[at] ?? '0'))] as const,
    ),
  )
  const own = new Map<string, string>()
  for (const [name, value] of info) {
    if (COUNTS.includes(name)) own.set(name, points ?? '0')
    else if (KEPT.includes(name)) own.set(name, value)
  }
  if (own.has('segments_count')) own.set('segments_count', '1')
  // The text of a failed optimization may name what is not the tenant's.
  if (kindOf(own.get('optimizer_status') ?? '""') !== 'string')
    own.set('optimizer_status', '{"error":"not shown to tenants"}')
  if (own.has('payload_schema')) own.set('payload_schema', printMembers(indexes))
  return replaceResult(answer, printMembers(own))
}

/** Counts the points that meet the condition, all or those with a value in a field. */
async function countOwn(
  collection: string,
  condition: JsonObject,
  field: string | null,
  call: TenantCall,
): Promise<string> {
  const filter = { must: [condition], ...(field !== null && { must_not: [{ is_empty: { key: field } }] }) }
  const target = collectionPath(collection, 'points/count')
  const { text } = await readForTenant({ method: 'POST', target, body: printJson({ filter, exact: true }) }, call)
  return readResult(text, result => memberOf(result, 'count'))
}
