import type { IncomingMessage } from 'node:http'
import { NotImproved } from './failure.ts'

/** The body's text. @throws NotImproved when it is compressed, no UTF-8, or not said to be JSON: for Qdrant to judge. */
export function readJsonText({ headers }: IncomingMessage, body: Buffer): string {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new NotImproved('body_not_json', `content-encoding ${encoding}`)
  const type = headers['content-type'] ?? ''
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type))
    throw new NotImproved('body_not_json', `content-type ${type}`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch (cause) {
    throw new NotImproved('body_not_json', 'no UTF-8', { cause })
  }
}

/** Total time that the official Python client gives a request unless told otherwise. */
const CLIENT_PATIENCE_MS = 5_000

/**
 * Time for improving a request: half of what the client waits for (`?timeout=` in seconds), because a late improvement is followed
 * by the original request, and that needs the other half.
 */
export function improvingTimeMs(queryString: string, deadlineMs: number): number {
  const seconds = Number(new URLSearchParams(queryString).get('timeout') ?? Number.NaN)
  const patience = seconds > 0 ? seconds * 1000 : CLIENT_PATIENCE_MS
  return Math.min(deadlineMs, patience / 2)
}
