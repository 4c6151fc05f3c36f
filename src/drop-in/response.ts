import type { ServerResponse } from 'node:http'
import { sendRewritten } from '../http/passthrough/send-rewritten.ts'
import type { SearchRoute } from '../qdrant/paths.ts'
import type { ImprovedPoints } from './answer.ts'
import type { SearchAnswer } from './fetching/upstream-search.ts'

/** The improved answers to one client request, in the order of its searches. */
export interface ImprovedAnswer {
  searches: ImprovedPoints[]
  upstream: SearchAnswer
}

/** An improved answer with the values of `x-stowage-applied` and `x-stowage-degraded`. */
interface SentAnswer extends ImprovedAnswer {
  applied: string[]
  degraded: string[]
}

/**
 * Sends the answer in Qdrant's envelope, with Qdrant's end-to-end headers and those of stowage.
 * @throws an error when it cannot be sent; then the response is as it was
 */
export function sendImproved(
  response: ServerResponse,
  route: SearchRoute,
  { searches, upstream }: ImprovedAnswer,
  seconds: number,
): SentAnswer {
  const applied = [...new Set(searches.flatMap(search => search.applied))]
  const degraded = [...new Set(searches.flatMap(search => search.degraded))]
  sendRewritten(response, 200, upstream.headers, printEnvelope(route, searches, upstream.usage, seconds), {
    'x-stowage-applied': applied.join(',') || 'none',
    'x-stowage-trace-id': searches.map(({ traceId }) => traceId).join(','),
    ...(degraded.length > 0 && { 'x-stowage-degraded': degraded.join(',') }),
  })
  return { searches, upstream, applied, degraded }
}

/** Qdrant's envelope and order of keys. The legacy searches answer with bare lists. */
function printEnvelope(
  { api, batch }: SearchRoute,
  searches: ImprovedPoints[],
  usage: string | null,
  seconds: number,
): string {
  const lists = searches.map(({ points }) =>
    api === 'query' ? `{"points":[${points.join(',')}]}` : `[${points.join(',')}]`,
  )
  const result = batch ? `[${lists.join(',')}]` : lists.join()
  return `{"result":${result},"status":"ok","time":${seconds.toFixed(6)}${usage === null ? '' : `,"usage":${usage}`}}`
}
