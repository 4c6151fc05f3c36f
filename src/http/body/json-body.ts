import { badRequest, messageOf, StowageError } from '../../core/errors.ts'
import type { Json } from '../../core/types.ts'
import { isObject, parseJson } from '../../qdrant/json.ts'

/**
 * Parses JSON bytes; integers beyond 2^53 become bigint.
 * @param maxDepth most levels of objects and arrays in the value of a field
 * @throws StowageError `bad_request` on malformed UTF-8 or JSON, and on a field that is nested too deep
 */
export function parseJsonBody(body: Buffer, maxDepth: number): Json {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    // JSON.parse accepts any depth, the exact parser does not.
    refuseDeepField(JSON.parse(text), maxDepth)
    return parseJson(text) as Json
  } catch (cause) {
    if (cause instanceof StowageError) throw cause
    const detail = messageOf(cause)
    throw badRequest(`The body is not valid JSON in UTF-8: ${detail}`, { cause })
  }
}

/** @throws StowageError `bad_request` when the value of a field has more levels of objects and arrays */
export function refuseDeepField(json: unknown, maxDepth: number): void {
  const fields = isObject(json) ? Object.entries(json) : [['body', json] as const]
  const deep = fields.find(([, value]) => isDeeperThan(maxDepth, value))
  if (deep === undefined) return
  throw wrongField(deep[0].slice(0, 100), `nested deeper than ${maxDepth} levels`)
}

/** The error of a field whose value is too large to be shown. */
export function wrongField(field: string, message: string): StowageError {
  return badRequest(`Invalid request: ${field}: ${message}`, { details: [{ field, message, value: null }] })
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isDeeperThan(levels - 1, inner))
}
