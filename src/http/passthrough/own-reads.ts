import { filterHeaders } from '../../qdrant/raw-headers.ts'
import { endToEndHeaders } from './hop-by-hop.ts'
import { OWN_VIA } from './via.ts'

/**
 * Fields that hold for the one request of a client (its server, its body, its conditions, and how its answer is coded), and those that stowage reads itself.
 * With the same idempotency key, a proxy would give the answer of one request to another one.
 */
const OF_ONE_REQUEST =
  /^(?:host|expect|content-.+|(?:repr-)?digest|accept-encoding|range|if-.+|idempotency-key|x-stowage-.+)$/

/**
 * The raw headers of a read that stowage makes itself for the request of a client. All other end-to-end headers of the client go along, because a
 * proxy in front of Qdrant can route or authenticate by any of them.
 * @param rawHeaders those of the request that may go to Qdrant, as for the passthrough
 * @param body JSON; null for none
 */
export function headersOfOwnRead(rawHeaders: readonly string[], body: string | null): string[] {
  const carried = filterHeaders(endToEndHeaders(rawHeaders), name => !OF_ONE_REQUEST.test(name))
  const describeBody = body === null ? [] : ['content-type', 'application/json']
  // The answer is read here, so it comes without a coding.
  return [...carried, ...OWN_VIA, ...describeBody, 'accept-encoding', 'identity']
}
