import { parse, stringify } from 'lossless-json'

/** Reads the numbers that `JSON.parse` would change. */
export interface NumberReader {
  /** Matches every text that holds such a number. A match inside a string only costs time. */
  fragile: RegExp
  /** Converts the spelling of a number to a value. */
  read(spelled: string): unknown
}

/** Characters of the longest u64 or i64. Longer integers cannot be ids, and converting them to bigint takes quadratic time. */
const LONGEST_INTEGER = 20

const EXACT_INTEGERS: NumberReader = {
  fragile: /(?:^|[[,:\s])-?\d{16,}\s*(?:[,\]}]|$)/,
  read: spelled => {
    const value = Number(spelled)
    const exact = /^-?\d+$/.test(spelled) && spelled.length <= LONGEST_INTEGER && !Number.isSafeInteger(value)
    return exact ? BigInt(spelled) : value
  },
}

/**
 * Parses JSON like `JSON.parse`, but integers beyond 2^53 become bigint, so that u64 ids keep every digit. Integers of more than
 * 20 characters become numbers. The exact parser is slow, so it runs only when the text can hold such a number.
 * @throws SyntaxError on malformed JSON, RangeError when the exact parser meets very deep nesting
 */
export function parseJson(text: string, numbers: NumberReader = EXACT_INTEGERS): unknown {
  const value: unknown = JSON.parse(text)
  return numbers.fragile.test(text) ? parseExactly(text, numbers.read) : value
}

/** Parses JSON and converts every number with `read`. Its SyntaxError always names the position. */
export function parseExactly(text: string, read: NumberReader['read']): unknown {
  // Of duplicate keys the last one wins, as in JSON.parse.
  return parse(text, null, { parseNumber: read, onDuplicateKey: ({ newValue }) => newValue })
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
