import { randomUUID } from 'node:crypto'

/**
 * Reads the spelling of a number that `JSON.parse` would change or cannot tell from another: a whole float (`5.0`), a number
 * with an exponent, an integer of 16 digits or more.
 */
type NumberReader = (spelled: string) => unknown

interface JsonLimits {
  /** Levels of nesting. */
  depth: number
  /** Objects, their members, lists, and numbers that are read exactly: what takes more time than its length suggests. */
  parts: number
}

/** Stands before the spelling of a number inside a string, in a text that does not hold this character in any form. */
const SHORT_MARK = '\u0080'
const SHORT_MARK_IN_TEXT = /\u0080|\\u0080/
/** The same for other texts. It is made at start, so no client can send it. */
const LONG_MARK = `number ${randomUUID()} `
/** Different spellings that are read only once. */
const MOST_KNOWN = 1000
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Digits from which on an integer may not be exact in a double. */
const LONG = 16

/**
 * Parses JSON as `JSON.parse` does, with some numbers read by `read`. The text is scanned once, the numbers in question are
 * put into strings, and `JSON.parse` does the rest, so the time is linear in the text and no recursion follows its nesting.
 * @throws SyntaxError on malformed JSON, RangeError over a limit
 */
export function parseExactJson(text: string, read: NumberReader, limits: JsonLimits): unknown {
  const mark = SHORT_MARK_IN_TEXT.test(text) ? LONG_MARK : SHORT_MARK
  const marked = markNumbers(text, mark, limits)
  if (marked === text) return JSON.parse(text)
  let value: unknown
  try {
    value = JSON.parse(marked)
  } catch {
    // The positions in the message should be those of the text itself.
    return JSON.parse(text)
  }
  return readMarked(value, mark, readOnce(read, mark))
}

/** Equal numbers are one value: vectors repeat `0.0` and `1.0` by the thousand. */
function readOnce(read: NumberReader, mark: string): NumberReader {
  const known = new Map<string, unknown>()
  return marked => {
    const before = known.get(marked)
    if (before !== undefined) return before
    const value = read(marked.slice(mark.length))
    if (known.size < MOST_KNOWN) known.set(marked, value)
    return value
  }
}

/** Puts the numbers in question into strings. Text that is not JSON may come back in any form that is not JSON either. */
function markNumbers(text: string, mark: string, limits: JsonLimits): string {
  const pieces: string[] = []
  let copied = 0
  let depth = 0
  let parts = 0
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = stringEnd(text, i)
    else if (code === MINUS || isDigit(code)) {
      const end = numberEnd(text, i)
      const spelled = isInQuestion(text, i, end) ? text.slice(i, end) : ''
      if (spelled !== '' && NUMBER.test(spelled) && !isBeforeColon(text, end)) {
        pieces.push(`${text.slice(copied, i)}"${mark}${spelled}"`)
        copied = end
        parts++
      }
      i = end
    } else {
      if (code === OPEN_LIST || code === OPEN_OBJECT) {
        if (++depth > limits.depth) throw new RangeError('recursion limit exceeded')
        parts++
      } else if (code === COLON) parts++
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--
      i++
    }
    if (parts > limits.parts) throw new RangeError(`more than ${limits.parts} parts`)
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied)
}

const QUOTE = 34
const PLUS = 43
const MINUS = 45
const DOT = 46
const ZERO = 48
const NINE = 57
const COLON = 58
const UPPER_E = 69
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const LOWER_E = 101
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

const isDigit = (code: number) => code >= ZERO && code <= NINE
const isBlank = (code: number) => code === 32 || code === 10 || code === 13 || code === 9

function stringEnd(text: string, start: number): number {
  let i = start + 1
  while (i < text.length) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i + 1
    i += code === BACKSLASH ? 2 : 1
  }
  return text.length
}

function numberEnd(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && isOfNumber(text.charCodeAt(i))) i++
  return i
}

const isOfNumber = (code: number) =>
  isDigit(code) || code === DOT || code === LOWER_E || code === UPPER_E || code === PLUS || code === MINUS

/** Whether a number has an exponent, a fraction of zeros, or many digits. */
function isInQuestion(text: string, start: number, end: number): boolean {
  let i = start + 1
  while (i < end && isDigit(text.charCodeAt(i))) i++
  if (i === end) return end - start >= LONG
  if (i - start >= LONG * LONG || text.charCodeAt(i) !== DOT) return true
  i++
  while (i < end && text.charCodeAt(i) === ZERO) i++
  if (i === end) return true
  while (i < end && isDigit(text.charCodeAt(i))) i++
  return i < end
}

/** A number before a colon stands where a key should be, which makes the text malformed. */
function isBeforeColon(text: string, end: number): boolean {
  let i = end
  while (i < text.length && isBlank(text.charCodeAt(i))) i++
  return text.charCodeAt(i) === COLON
}

function readMarked(value: unknown, mark: string, read: NumberReader): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? read(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const member: unknown = value[i]
      if (typeof member === 'string' || typeof member === 'object') value[i] = readMarked(member, mark, read)
    }
    return value
  }
  const members = value as { [key: string]: unknown }
  for (const key of Object.keys(members)) {
    const member = members[key]
    const result = readMarked(member, mark, read)
    if (result === member) continue
    // Assignment to `__proto__` would set the prototype.
    if (key !== '__proto__') members[key] = result
    else Object.defineProperty(members, key, { value: result, enumerable: true, configurable: true, writable: true })
  }
  return value
}
