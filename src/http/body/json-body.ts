import { parse, stringify } from 'lossless-json'
import { StowageError } from '../../core/errors.ts'
import type { Json } from '../../core/types.ts'
import { fieldNestedBeyond } from '../../qdrant/json-nesting.ts'

/** An integer that a double may not hold, standing where a value stands; in a string it does no harm. */
const LONG_INTEGER = /(?:^|[[,:\s])-?\d{16,}\s*(?:[,\]}]|$)/
/** The longest u64; what is longer no id can be, and costs quadratic time to read as bigint. */
const U64_DIGITS = 20

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
  const value = parseNative(text)
  return LONG_INTEGER.test(text) ? parseWithBigIntegers(text) : value
}

/** Prints a value as JSON, bigints as plain integers. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint: rare, and worth the slower printer.
    return stringify(value) ?? 'null'
  }
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new StowageError('bad_request', 'The body is not valid UTF-8', { cause })
  }
}

function parseNative(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    throw new StowageError('bad_request', `The body is not valid JSON: ${detail}`, { cause })
  }
}

function parseWithBigIntegers(text: string): Json {
  return parse(text, null, {
    parseNumber: spelled => {
      const value = Number(spelled)
      const long = /^-?\d+$/.test(spelled) && spelled.length <= U64_DIGITS && !Number.isSafeInteger(value)
      return long ? BigInt(spelled) : value
    },
    // As JSON.parse does, so that one long number does not change what the rest means.
    onDuplicateKey: ({ newValue }) => newValue,
  }) as Json
}
