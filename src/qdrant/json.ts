import { parse, stringify } from 'lossless-json'

/** Which numbers `JSON.parse` would change, and how they are read instead. */
export interface NumberReader {
  /** Matches a text that may hold such a number. A match inside a string does no harm, it only costs time. */
  fragile: RegExp
  /** The value of a number as it is spelled in the text. */
  read(spelled: string): unknown
}

/** The longest u64 or i64 with its sign. Longer integers cannot be ids, and reading them as bigint takes quadratic time. */
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
 * Reads JSON as `JSON.parse` does, but integers beyond 2^53 become bigint, so that u64 ids keep their digits; those of more
 * than 20 characters become numbers. The exact parser is slow, so it runs only where such a number may stand.
 * @throws SyntaxError on malformed JSON, RangeError where the exact parser meets very deep nesting
 */
export function parseJson(text: string, numbers: NumberReader = EXACT_INTEGERS): unknown {
  const value: unknown = JSON.parse(text)
  return numbers.fragile.test(text) ? parseExactly(text, numbers.read) : value
}

/** Reads JSON with every number given to `read`. Its SyntaxError always names the position. */
export function parseExactly(text: string, read: NumberReader['read']): unknown {
  // The last of doubled keys wins, as in JSON.parse, so that one long number does not change what the rest means.
  return parse(text, null, { parseNumber: read, onDuplicateKey: ({ newValue }) => newValue })
}

/** Prints a value as JSON, bigints as plain integers. */
export function printJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // The value holds a bigint. That is rare, and worth the slower printer.
    return stringify(value) ?? 'null'
  }
}
