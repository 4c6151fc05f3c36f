import { StowageError } from '../../core/errors.ts'
import type { Json } from '../../core/types.ts'
import { parseJson } from '../../qdrant/json.ts'
import { fieldNestedBeyond } from '../../qdrant/json-nesting.ts'

/**
 * Reads JSON bytes; integers beyond 2^53 become bigint, so that u64 ids keep their digits. Linear in the body's length.
 * @param maxDepth levels of objects and arrays that a field's value may have
 * @throws StowageError bad_request for broken UTF-8 or JSON, saying where, and for a field nested too deep, naming it.
 */
export function parseJsonBody(body: Buffer, maxDepth: number): Json {
  const deepField = fieldNestedBeyond(body, maxDepth)
  if (deepField !== null) {
    const message = `nested deeper than ${maxDepth} levels`
    throw new StowageError('bad_request', `Invalid request: ${deepField}: ${message}`, {
      details: [{ field: deepField, message, value: null }],
    })
  }
  const text = decodeUtf8(body)
  try {
    return parseJson(text) as Json
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new StowageError('bad_request', `The body is not valid JSON: ${detail}`, { cause })
  }
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new StowageError('bad_request', 'The body is not valid UTF-8', { cause })
  }
}
