/**
 * Splits JSON text into the raw texts of its parts, so that numbers keep their spelling (`5.0`, u64 ids). Accepts exactly what
 * JSON.parse accepts, at any depth, without recursion.
 */

/** The text is not JSON, or not of the expected kind. */
export class RawJsonError extends Error {}

const QUOTE = 0x22
const BACKSLASH = 0x5c
export const COMMA = 0x2c
const COLON = 0x3a
export const OPEN_BRACKET = 0x5b
export const OPEN_BRACE = 0x7b
/** In ASCII, the code of a closing bracket is that of its opening bracket plus 2. */
export const TO_CLOSER = 2
export const CLOSE_BRACE = OPEN_BRACE + TO_CLOSER

/** Members of a JSON object in text order: key to raw value. @throws RawJsonError on other texts and on duplicate keys */
export function members(raw: string): Map<string, string> {
  const found = new Map<string, string>()
  forEachPart(raw, OPEN_BRACE, (key, value) => {
    if (found.has(key)) throw new RawJsonError(`duplicate key ${JSON.stringify(key)}`)
    found.set(key, value)
  })
  return found
}

/** Raw elements of a JSON array. @throws RawJsonError on other texts, and at the first element beyond `most`: what follows is not read */
export function elements(raw: string, most = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = []
  forEachPart(raw, OPEN_BRACKET, (_key, value) => {
    if (found.push(value) > most) throw new RawJsonError(`more than ${most} elements`)
  })
  return found
}

/** The raw text of a member; null when it is absent or null, which Qdrant treats alike. */
export function present(object: ReadonlyMap<string, string>, key: string): string | null {
  const raw = object.get(key) ?? 'null'
  return raw === 'null' ? null : raw
}

/** Prints a JSON object of raw members. */
export function printMembers(raw: Iterable<readonly [key: string, value: string]>): string {
  return `{${Array.from(raw, ([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`
}

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** The kind of a raw value from `members` or `elements`, which has no leading space. */
export function kindOf(raw: string): JsonKind {
  switch (raw[0]) {
    case '{':
      return 'object'
    case '[':
      return 'array'
    case '"':
      return 'string'
    case 't':
    case 'f':
      return 'boolean'
    case 'n':
      return 'null'
    default:
      return 'number'
  }
}

/**
 * Offset after the JSON value at `start`; leading space is allowed.
 * @param deepest containers that may stand inside each other @throws RawJsonError if there is none, or it is deeper
 */
export function endOfValue(text: string, start: number, deepest = Number.POSITIVE_INFINITY): number {
  const closers: number[] = []
  let at = start
  for (;;) {
    at = skipSpace(text, at)
    const code = text.charCodeAt(at)
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      closers.push(code + TO_CLOSER)
      if (closers.length > deepest) throw new RawJsonError('too many containers inside each other')
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) !== code + TO_CLOSER) {
        if (code === OPEN_BRACE) at = endOfKey(text, at)
        continue
      }
    } else at = endOfScalar(text, at)
    at = endOfClosers(text, at, closers)
    if (closers.length === 0) return at
    if (closers.at(-1) === CLOSE_BRACE) at = endOfKey(text, skipSpace(text, at))
  }
}

/** After a value: closes the containers that end here and skips the next comma. */
function endOfClosers(text: string, start: number, closers: number[]): number {
  let at = start
  while (closers.length > 0) {
    at = skipSpace(text, at)
    const code = text.charCodeAt(at)
    at++
    if (code === COMMA) return at
    if (code !== closers.pop()) throw unexpected(text, at - 1)
  }
  return at
}

function forEachPart(raw: string, opening: number, visit: (key: string, value: string) => void): void {
  const closer = opening + TO_CLOSER
  let at = skipSpace(raw, 0)
  if (raw.charCodeAt(at) !== opening) throw unexpected(raw, at)
  at = skipSpace(raw, at + 1)
  let open = raw.charCodeAt(at) !== closer
  if (!open) at++
  while (open) {
    const keyStart = skipSpace(raw, at)
    at = opening === OPEN_BRACE ? endOfKey(raw, keyStart) : keyStart
    const key = raw.slice(keyStart, at)
    const start = skipSpace(raw, at)
    at = endOfValue(raw, start)
    visit(key === '' ? key : readKey(key), raw.slice(start, at))
    at = skipSpace(raw, at)
    open = raw.charCodeAt(at) === COMMA
    if (!open && raw.charCodeAt(at) !== closer) throw unexpected(raw, at)
    at++
  }
  const end = skipSpace(raw, at)
  if (end !== raw.length) throw unexpected(raw, end)
}

/** Offset after the key at `at` and its colon. @throws RawJsonError if there is none */
export function endOfKey(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) throw unexpected(text, at)
  const colon = skipSpace(text, endOfString(text, at))
  if (text.charCodeAt(colon) !== COLON) throw unexpected(text, colon)
  return colon + 1
}

/** The decoded key of a text that begins with it. */
export function readKey(keyAndColon: string): string {
  const key = keyAndColon.slice(0, endOfString(keyAndColon, 0))
  return key.includes('\\') ? JSON.parse(key) : key.slice(1, -1)
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

function endOfScalar(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return endOfString(text, at)
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, at)) return at + word.length
  return skip(NUMBER, text, at)
}

/** All characters except quote, backslash and control characters below space. */
const PLAIN_CHARACTERS = /[ !#-[\]-\uffff]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

function endOfString(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    at = skip(PLAIN_CHARACTERS, text, at)
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code !== BACKSLASH) throw unexpected(text, at)
    at = skip(ESCAPE, text, at)
  }
}

/** Offset after the match of a sticky pattern at `at`. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  if (!pattern.test(text)) throw unexpected(text, at)
  return pattern.lastIndex
}

/** Offset of the next character that is not space. */
export function skipSpace(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

export function unexpected(text: string, at: number): RawJsonError {
  return new RawJsonError(at >= text.length ? 'unexpected end of JSON' : `unexpected character at offset ${at}`)
}
