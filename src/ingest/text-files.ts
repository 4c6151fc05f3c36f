import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import type { z } from 'zod'
import { parseJson, printJson } from '../qdrant/json.ts'
import { decodeWindows1252 } from './windows-1252.ts'

const decoder = new TextDecoder('utf-8')

/** Decodes bytes without their byte order mark; bytes that are not UTF-8 become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): { text: string; isBroken: boolean } {
  return { text: decoder.decode(bytes), isBroken: !isUtf8(bytes) }
}

/** What the bytes of a file are: text, or the reason why they are not read as text. */
type DecodedFile =
  | { text: string; fault: string | null }
  | { text: null; kind: 'binary' | 'UTF-16 without a byte order mark' | 'UTF-32' }

/** Bytes that are looked at to tell text from binary data. */
const SAMPLE = 8_192

/** Byte order marks by encoding. That of UTF-32 begins with that of UTF-16, so it comes first. */
const MARKS: Readonly<Record<string, number[]>> = {
  'utf-32le': [0xff, 0xfe, 0, 0],
  'utf-32be': [0, 0, 0xfe, 0xff],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
  'utf-8': [0xef, 0xbb, 0xbf],
}

/**
 * Decodes UTF-16 that begins with its byte order mark, UTF-8, and else Windows-1252. Bytes with a NUL among the first 8,192 are not text.
 * `fault` is the end of a sentence that begins with the name of the file.
 */
export function decodeFile(bytes: Uint8Array): DecodedFile {
  const encoding = markedEncoding(bytes)
  if (encoding?.startsWith('utf-32')) return { text: null, kind: 'UTF-32' }
  if (encoding?.startsWith('utf-16')) {
    const text = new TextDecoder(encoding).decode(bytes)
    return { text, fault: text.includes('\uFFFD') ? 'is not valid UTF-16' : null }
  }
  const sample = bytes.subarray(0, SAMPLE)
  if (!sample.includes(0)) return decodeBytes(bytes)
  // In UTF-16 every second byte of Latin text is 0, and no other one.
  const zeros = [0, 0]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const isUtf16 = Math.min(even, odd) === 0 && even + odd > sample.length / 4
  return { text: null, kind: isUtf16 ? 'UTF-16 without a byte order mark' : 'binary' }
}

/** The encoding that the byte order mark says; undefined without one. */
function markedEncoding(bytes: Uint8Array): string | undefined {
  return Object.keys(MARKS).find(name => MARKS[name]?.every((byte, at) => bytes[at] === byte))
}

/** The bytes that Windows-1252 does not define. */
const UNDEFINED_BYTES = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** Windows-1252 is read only where no character beyond ASCII is valid UTF-8: one broken byte must not change all other characters. */
function decodeBytes(bytes: Uint8Array): { text: string; fault: string | null } {
  const { text, isBroken } = decodeUtf8(bytes)
  if (!isBroken) return { text, fault: null }
  const isUtf8Text = markedEncoding(bytes) === 'utf-8' || /[^\p{ASCII}\uFFFD]/u.test(text)
  if (isUtf8Text || bytes.some(byte => UNDEFINED_BYTES.has(byte))) return { text, fault: 'is not valid UTF-8' }
  return {
    text: decodeWindows1252(bytes),
    fault: 'is not valid UTF-8 and is read as Windows-1252',
  }
}

const NEWLINE = 0x0a

/** Splits a stream at its newlines; the newline itself is left out, and the last line may lack one. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let begun: Buffer[] = []
  for await (const part of stream) {
    let start = 0
    for (let end = part.indexOf(NEWLINE); end !== -1; end = part.indexOf(NEWLINE, start)) {
      begun.push(part.subarray(start, end))
      yield Buffer.concat(begun)
      begun = []
      start = end + 1
    }
    if (start < part.length) begun.push(part.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

/** One line of a JSON-lines file, its length without the newline, and the row, or its faults as `field: reason, got value`. */
type ParsedLine<Row> = { line: number; bytes: number; isBroken: boolean } & (
  | { row: Row; faults: null }
  | { row: null; faults: string[] }
)

/** Reads a JSON-lines file. Lines are counted from 1 and may end in CRLF; blank lines are skipped. Integers beyond 2^53 are bigint. */
export async function* readJsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): AsyncIterable<ParsedLine<z.infer<Schema>>> {
  let line = 0
  for await (const bytes of splitLines(createReadStream(path))) {
    line += 1
    const { text, isBroken } = decodeUtf8(bytes)
    if (text.trim() !== '') yield { line, bytes: bytes.length, isBroken, ...parseRow(text, schema) }
  }
}

function parseRow<Schema extends z.ZodType>(text: string, schema: Schema) {
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    return { row: null, faults: [`not JSON (${(error as Error).message}): ${shown(text.trim())}`] }
  }
  const { data, error } = schema.safeParse(value)
  return error
    ? { row: null, faults: error.issues.map(issue => describeIssue(issue, value)) }
    : { row: data, faults: null }
}

function describeIssue({ path, message }: z.core.$ZodIssue, value: unknown): string {
  const found = path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)
  return `${path.join('.') || 'row'}: ${message}${found === undefined ? fieldsOf(value) : `, got ${shown(found)}`}`
}

/** The end of a sentence about a field that a row lacks. */
function fieldsOf(row: unknown): string {
  const names = typeof row === 'object' && row !== null ? Object.keys(row) : []
  return names.length === 0 ? '' : `, the row has ${shown(names)}`
}

/** A value as a fault shows it: JSON, at most 80 characters. */
export function shown(value: unknown): string {
  const text = printJson(value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}
