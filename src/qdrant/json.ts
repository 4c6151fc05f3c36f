import { parse, stringify } from 'lossless-json'

/** Matches every text that holds a number which `JSON.parse` would change. A match inside a string only costs time. */
const LONG_NUMBER = /(?:^|[[,:\s])-?\d{16,}\s*(?:[,\]}]|$)/
/** Characters of the longest u64 or i64. Longer integers cannot be ids, and converting them to bigint takes quadratic time. */
const LONGEST_INTEGER = 20

/**
 * Parses JSON like `JSON.parse`, but integers beyond 2^53 become bigint, so that u64 ids keep every digit. Integers of more than
 * 20 characters become numbers. The exact parser is slow, so it runs only when the text can hold such a number.
 * @throws SyntaxError on malformed JSON, RangeError when the exact parser meets very deep nesting
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!LONG_NUMBER.test(text)) return value
  // Of duplicate keys the last one wins, as in JSON.parse.
  return parse(text, null, { parseNumber: readNumber, onDuplicateKey: ({ newValue }) => newValue })
}

function readNumber(spelled: string): number | bigint {
  const value = Number(spelled)
  const isExact = /^-?\d+$/.test(spelled) && spelled.length <= LONGEST_INTEGER && !Number.isSafeInteger(value)
  return isExact ? BigInt(spelled) : value
}

/** Prints a value as JSON, bigints as plain integers. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // The value holds a bigint. This is rare, so the slower printer is acceptable.
    return stringify(value) ?? 'null'
  }
}

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object that a text holds as JSON; null for other JSON, and for what is none. */
export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = parseJson(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
