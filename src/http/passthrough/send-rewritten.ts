import { type ServerResponse, validateHeaderValue } from 'node:http'
import { headerPairs } from '../../qdrant/raw-headers.ts'
import { endToEndHeaders } from './hop-by-hop.ts'

/** Headers that describe the body of Qdrant's own answer. */
const REPLACED = ['content-length', 'content-encoding', 'date']

/**
 * Sends a body in place of Qdrant's own, with Qdrant's other end-to-end headers.
 * @param headers raw header pairs of Qdrant's answer
 * @param own headers that replace those of Qdrant
 * @throws TypeError when a header cannot be sent; then the response is as it was
 */
export function sendRewritten(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  text: string,
  own: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(text)
  const kept = [...headerPairs(endToEndHeaders(headers, REPLACED))]
  for (const [name, value] of [...kept, ...Object.entries(own)]) validateHeaderValue(name, value)
  for (const [name, value] of kept) response.appendHeader(name, value)
  response.setHeader('content-length', body.length)
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(own)) response.setHeader(name, value)
  response.writeHead(status).end(body)
}
