import type { IncomingMessage } from 'node:http'
import { decodeJsonText } from '../http/body/json-text.ts'
import { READ_PARAMETERS } from '../qdrant/paths.ts'
import { NotImproved } from './not-improved.ts'

/** Decodes a JSON body. @throws NotImproved when it is compressed, is not UTF-8, or is not declared as JSON */
export function readJsonText(request: IncomingMessage, body: Buffer): string {
  try {
    return decodeJsonText(request, body)
  } catch (cause) {
    throw new NotImproved('body_not_json', (cause as Error).message, { cause })
  }
}

/**
 * Refuses parameters of the path that stowage does not know, and those that are there twice: what they do to an answer would be lost.
 * @throws NotImproved
 */
export function refuseUnknownParameters(queryString: string): void {
  const names = [...new URLSearchParams(queryString).keys()]
  const unknown = names.find((name, at) => !READ_PARAMETERS.includes(name) || names.indexOf(name) !== at)
  if (unknown !== undefined) throw new NotImproved('query_not_understood', `parameter ${unknown.slice(0, 100)}`)
}

/** Default timeout of a request in the official Python client. */
const CLIENT_TIMEOUT_MS = 5_000

/**
 * Milliseconds for improving a request: at most half of the client's timeout (`?timeout=` in seconds). The other half is for the
 * original request, which is sent when improving takes too long.
 */
export function improvingTimeMs(queryString: string, deadlineMs: number): number {
  const seconds = Number(new URLSearchParams(queryString).get('timeout') ?? Number.NaN)
  const timeoutMs = seconds > 0 ? seconds * 1000 : CLIENT_TIMEOUT_MS
  return Math.min(deadlineMs, timeoutMs / 2)
}
