import type { Server } from 'node:http'
import { isObject } from '../../../src/qdrant/json.ts'
import { createRecordingServer, type Recorded, relay } from '../../support/recording-server.ts'

/** Qdrant's words when its limit is reached. */
export const REFUSAL =
  '{"status":{"error":"Rate limiting exceeded: Read rate limit exceeded, retry later"},"time":0.0001}'

/**
 * The embedded engine behind a read rate limit like Qdrant's: each search is one read, and so is each condition of its filter. A request that is refused uses up
 * nothing. `left` is the number of reads that are left; the test fills it up.
 */
export function limitReads(engineUrl: string, limit: { left: number; retryAfter: string }) {
  const reads: { request: Recorded; refused: boolean }[] = []
  const { server } = createRecordingServer(async request => {
    if (request.method === 'GET') return relay(engineUrl, request)
    const cost = costOf(request)
    const refused = cost > limit.left
    reads.push({ request, refused })
    if (refused) return { status: 429, body: REFUSAL, headers: { 'retry-after': limit.retryAfter } }
    limit.left -= cost
    return relay(engineUrl, request)
  })
  return { server, reads } satisfies { server: Server; reads: unknown }
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
