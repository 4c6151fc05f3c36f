import type { IncomingMessage } from 'node:http'
import { NotImproved } from './not-improved.ts'

/** Decodes a JSON body. @throws NotImproved when it is compressed, is not UTF-8, or is not declared as JSON */
export function readJsonText({ headers }: IncomingMessage, body: Buffer): string {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new NotImproved('body_not_json', `content-encoding ${encoding}`)
  const coding = headers['transfer-encoding'] ?? 'chunked'
  if (coding.toLowerCase() !== 'chunked') throw new NotImproved('body_not_json', `transfer-encoding ${coding}`)
  const type = headers['content-type'] ?? ''
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type))
    throw new NotImproved('body_not_json', `content-type ${type}`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch (cause) {
    throw new NotImproved('body_not_json', 'not UTF-8', { cause })
  }
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
