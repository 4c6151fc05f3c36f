import type { ServerResponse } from 'node:http'
import { endToEndHeaders } from '../http/passthrough/hop-by-hop.ts'
import type { SearchRoute } from '../qdrant/paths.ts'
import { headerPairs } from '../qdrant/raw-headers.ts'
import type { ImprovedPoints } from './answer.ts'
import type { SearchAnswer } from './upstream-search.ts'

/** The improved answers to one client request, in the order of its searches. */
export interface ImprovedAnswer {
  searches: ImprovedPoints[]
  upstream: SearchAnswer
}

/** Headers that describe the body of Qdrant's own answer. */
const REPLACED = ['content-type', 'content-length', 'content-encoding', 'date']

/**
 * Sends the answer in Qdrant's envelope, with Qdrant's end-to-end headers and those of stowage.
 * @returns the values of `x-stowage-applied` and `x-stowage-degraded`
 */
export function sendImproved(
  response: ServerResponse,
  route: SearchRoute,
  { searches, upstream }: ImprovedAnswer,
  seconds: number,
): { applied: string[]; degraded: string[] } {
  const body = Buffer.from(printEnvelope(route, searches, upstream.usage, seconds))
  const applied = distinct(searches.flatMap(search => search.applied))
  const degraded = distinct(searches.flatMap(search => search.degraded))
  for (const [name, value] of headerPairs(endToEndHeaders(upstream.headers, REPLACED)))
    response.appendHeader(name, value)
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', body.length)
  response.setHeader('x-stowage-applied', applied.join(',') || 'none')
  response.setHeader('x-stowage-trace-id', searches.map(({ traceId }) => traceId).join(','))
  if (degraded.length > 0) response.setHeader('x-stowage-degraded', degraded.join(','))
  response.writeHead(200).end(body)
  return { applied, degraded }
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

function distinct(names: string[]): string[] {
  return [...new Set(names)]
}
