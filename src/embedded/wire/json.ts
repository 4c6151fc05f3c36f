import { parse as parseLossless } from 'lossless-json'
import { EngineError, formatError } from '../errors.ts'
import { printFloat, printFloat32 } from './numbers.ts'

/** A JSON number spelt as a float whose value is whole (`5.0`): Qdrant tells it from the integer `5`. */
export class WholeFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A float32 in an answer, printed with its shortest digits. */
export class Float32 {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** Nesting that Qdrant's JSON reader accepts. */
const MAXIMUM_DEPTH = 128

/** Numbers that JSON.parse would bend: 16 digits and more, and whole floats. May also hit inside strings, which only costs time. */
const FRAGILE_NUMBER = /[[:,\s]-?(?:\d{16,}|\d+\.0+|\d+(?:\.\d+)?[eE]\+?\d+)\s*[,\]}]/

/**
 * Parses a request body. Integers beyond 2^53 become bigints and whole floats `WholeFloat`; all else is as JSON.parse gives it.
 * @throws EngineError 400 on malformed JSON, numbers out of range, or nesting deeper than `maximumDepth`.
 */
export function parseJson(text: string, maximumDepth = MAXIMUM_DEPTH): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
    if (FRAGILE_NUMBER.test(text)) value = parseExactly(text)
  } catch (error) {
    throw error instanceof EngineError ? error : formatError(describeFault(text))
  }
  checkLimits(value, maximumDepth)
  return value
}

function parseExactly(text: string): unknown {
  return parseLossless(text, undefined, { parseNumber, onDuplicateKey: ({ newValue }) => newValue })
}

function parseNumber(text: string): unknown {
  const value = Number(text)
  if (!Number.isFinite(value)) throw formatError('number out of range')
  if (!/^-?\d+$/.test(text)) return Number.isInteger(value) ? new WholeFloat(value) : value
  if (Number.isSafeInteger(value)) return value
  const whole = BigInt(text)
  return whole < 2n ** 64n && whole >= -(2n ** 63n) ? whole : new WholeFloat(value)
}

function checkLimits(value: unknown, depthLeft: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw formatError('number out of range')
  if (typeof value !== 'object' || value === null) return
  if (depthLeft <= 0) throw formatError('recursion limit exceeded')
  if (Array.isArray(value)) for (const item of value) checkLimits(item, depthLeft - 1)
  else for (const key in value) checkLimits((value as Record<string, unknown>)[key], depthLeft - 1)
}

/** What is wrong and where: JSON.parse tells the place only at times, the exact parser always. */
function describeFault(text: string): string {
  try {
    parseExactly(text)
  } catch (error) {
    if (error instanceof RangeError) return 'recursion limit exceeded'
    const position = Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length)
    const before = text.slice(0, position).split('\n')
    const column = (before.at(-1) ?? '').length + (position < text.length ? 1 : 0)
    const fault = position < text.length ? 'expected value' : 'EOF while parsing a value'
    return `${fault} at line ${before.length} column ${column}`
  }
  return 'expected value at line 1 column 0'
}

/** Prints an answer: ids and integers with every digit, floats as Qdrant spells them, `undefined` members left out. */
export function printJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isInteger(value) ? String(value) : printFloat(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return value === null || value === undefined ? 'null' : printObject(value)
  }
}

function printObject(value: object): string {
  if (value instanceof Float32) return printFloat32(value.value)
  if (value instanceof WholeFloat) return printFloat(value.value)
  if (value instanceof Float32Array) return `[${Array.from(value, printFloat32).join(',')}]`
  if (value instanceof Uint32Array) return `[${value.join(',')}]`
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${printJson(member)}`)
  }
  return `{${members.join(',')}}`
}
