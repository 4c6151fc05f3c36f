import { isObject } from '../../../src/qdrant/json.ts'
import { createRecordingServer, type Recorded, type Reply, relay } from '../../support/recording-server.ts'
import { send } from '../../support/send.ts'

export interface ReadsLeft {
  left: number
  retryAfter: string
  strictMode?: object | 'forbidden' | undefined
  /** When the collection says it. Default: at once. */
  look?: Promise<unknown> | undefined
}

/** Qdrant's words when its limit is reached. */
export const REFUSAL =
  '{"status":{"error":"Rate limiting exceeded: Read rate limit exceeded, retry later"},"time":0.0001}'

/**
 * The embedded engine behind a read rate limit like Qdrant's: each search is one read, and so is each condition of its filter. A request that is refused uses up
 * nothing. `left` is the number of reads that are left; the test fills it up. `looks` are the paths that were asked for without being counted.
 * @param limit.strictMode what the collection says of its strict mode; `forbidden` when the key may not look
 */
export async function limitReads(engineUrl: string, collection: string, limit: ReadsLeft) {
  // Read beforehand: on a busy machine a look can take longer than stowage waits for it.
  const info = await send<{ result: { config?: object } }>(engineUrl, 'GET', `/collections/${collection}`)
  const looks: string[] = []
  const reads: { request: Recorded; refused: boolean }[] = []
  const { server } = createRecordingServer(async request => {
    if (request.method === 'GET') {
      looks.push(request.path)
      await limit.look
      return lookOf(info.json, limit)
    }
    const cost = costOf(request)
    const refused = cost > limit.left
    reads.push({ request, refused })
    if (refused) return { status: 429, body: REFUSAL, headers: { 'retry-after': limit.retryAfter } }
    limit.left -= cost
    return relay(engineUrl, request)
  })
  return { server, reads, looks }
}

function lookOf(info: { result: { config?: object } }, { strictMode }: ReadsLeft): Reply {
  if (strictMode === 'forbidden') return { status: 403, body: '{"status":{"error":"forbidden"},"time":0}' }
  const { result } = info
  const config = { ...result.config, ...(typeof strictMode === 'object' && { strict_mode_config: strictMode }) }
  return { body: JSON.stringify({ ...info, result: { ...result, config } }) }
}

function costOf({ body }: Recorded): number {
  const asked = JSON.parse(body)
  const searches: { filter?: unknown }[] = asked.searches ?? [asked]
  return searches.reduce((sum, { filter }) => sum + 1 + conditionsIn(filter), 0)
}

function conditionsIn(filter: unknown): number {
  if (Array.isArray(filter)) return filter.reduce((sum, part) => sum + conditionsIn(part), 0)
  if (!isObject(filter)) return 0
  return 'key' in filter ? 1 : Object.values(filter).reduce((sum: number, part) => sum + conditionsIn(part), 0)
}
