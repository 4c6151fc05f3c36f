import { parse, stringify } from 'lossless-json'
import { StowageError } from '../core/errors.ts'
import type { Json } from '../core/types.ts'

/** The parser for big integers is recursive; nothing that stowage reads is nested a tenth as deep. */
const MAX_DEPTH = 512

/**
 * Reads JSON bytes; integers beyond 2^53 become bigint, so that u64 ids keep their digits.
 * @throws StowageError bad_request for broken UTF-8 or JSON, saying where.
 */
export function parseJsonBody(body: Buffer): Json {
  const text = decodeUtf8(body)
  const value = parseNative(text)
  if (depthOf(value, MAX_DEPTH) > MAX_DEPTH) {
    throw new StowageError('bad_request', `The body is nested deeper than ${MAX_DEPTH} levels`)
  }
  // Most bodies hold no long digits at all; they are spared the slow parser.
  return /\d{16}/.test(text) ? parseWithBigIntegers(text) : value
}

/** Prints a value as JSON, bigints as plain integers. */
export function printJson(value: unknown): string {
  return stringify(value) ?? 'null'
}

/** Levels of objects and arrays, 0 for a scalar; counting stops beyond `limit`. */
export function depthOf(value: Json, limit: number): number {
  let level: Json[] = [value]
  for (let depth = 0; ; depth++) {
    const containers = level.filter(item => typeof item === 'object' && item !== null)
    if (containers.length === 0 || depth > limit) return depth
    level = containers.flatMap(item => Object.values(item as object))
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
      return Number.isSafeInteger(value) || !/^-?\d+$/.test(spelled) ? value : BigInt(spelled)
    },
    // As JSON.parse does, so that one long number does not change what the rest means.
    onDuplicateKey: ({ newValue }) => newValue,
  }) as Json
}
