import type { IncomingMessage } from 'node:http'
import { badRequest, type StowageError } from '../../core/errors.ts'

/**
 * Decodes a JSON body without parsing it.
 * @throws StowageError `bad_request` when it is compressed, is not UTF-8, or is not declared as JSON
 */
export function decodeJsonText({ headers }: IncomingMessage, body: Buffer): string {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw fault(`content-encoding ${encoding}`)
  const coding = headers['transfer-encoding'] ?? 'chunked'
  if (coding.toLowerCase() !== 'chunked') throw fault(`transfer-encoding ${coding}`)
  const type = headers['content-type'] ?? ''
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type)) throw fault(`content-type ${type}`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch (cause) {
    throw fault('not UTF-8', cause)
  }
}

function fault(detail: string, cause?: unknown): StowageError {
  return badRequest(`The body must be uncompressed JSON in UTF-8: ${detail.slice(0, 100)}`, { cause })
}
