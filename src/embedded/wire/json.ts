import { printFloat32, printFloat64 } from '../../qdrant/float32.ts'
import { type NumberReader, parseExactly, parseJson as parseShared } from '../../qdrant/json.ts'
import { EngineError, formatError } from '../errors.ts'

/** A JSON number spelled as a float whose value is whole (`5.0`): Qdrant tells it from the integer `5`. */
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

/** Nesting that Qdrant's JSON reader accepts, in levels. */
export const MAXIMUM_JSON_DEPTH = 128

const ENGINE_NUMBERS: NumberReader = {
  // Long integers, and floats that may be whole.
  fragile: /[[:,\s]-?(?:\d{16,}|\d+\.0+|\d+(?:\.\d+)?[eE]\+?\d+)\s*[,\]}]/,
  read: spelled => {
    const value = Number(spelled)
    if (!Number.isFinite(value)) throw formatError('number out of range')
    if (!/^-?\d+$/.test(spelled)) return Number.isInteger(value) ? new WholeFloat(value) : value
    if (Number.isSafeInteger(value)) return value
    const whole = BigInt(spelled)
    return whole < 2n ** 64n && whole >= -(2n ** 63n) ? whole : new WholeFloat(value)
  },
}

/**
 * Parses a request body. Integers beyond 2^53 become bigints and whole floats `WholeFloat`; all else is as JSON.parse gives it.
 * @throws EngineError 400 on malformed JSON, numbers out of range, or nesting deeper than `maximumDepth`.
 */
export function parseJson(text: string, maximumDepth = MAXIMUM_JSON_DEPTH): unknown {
  try {
    const value = parseShared(text, ENGINE_NUMBERS)
    checkLimits(value, maximumDepth)
    return value
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw formatError(error instanceof RangeError ? 'recursion limit exceeded' : describeFault(text))
  }
}

function checkLimits(value: unknown, depthLeft: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw formatError('number out of range')
  if (typeof value !== 'object' || value === null) return
  if (depthLeft <= 0) throw formatError('recursion limit exceeded')
  if (Array.isArray(value)) for (const item of value) checkLimits(item, depthLeft - 1)
  else for (const key in value) checkLimits((value as Record<string, unknown>)[key], depthLeft - 1)
}

/** What is wrong and where, for a text that is not JSON. JSON.parse names the place only at times. */
function describeFault(text: string): string {
  let position = text.length
  try {
    parseExactly(text, Number)
  } catch (error) {
    if (error instanceof RangeError) return 'recursion limit exceeded'
    position = Number(/position (\d+)/.exec(String(error))?.[1] ?? text.length)
  }
  const atEnd = position >= text.length
  const before = text.slice(0, position).split('\n')
  const column = (before.at(-1) ?? '').length + (atEnd ? 0 : 1)
  return `${atEnd ? 'EOF while parsing a value' : 'expected value'} at line ${before.length} column ${column}`
}

/** Prints an answer: ids and integers with every digit, floats as Qdrant spells them, `undefined` members left out. */
export function printJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      return Number.isInteger(value) ? String(value) : printFloat64(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      return value === null || value === undefined ? 'null' : printObject(value)
  }
}

function printObject(value: object): string {
  if (value instanceof Float32) return printFloat32(value.value)
  if (value instanceof WholeFloat) return printFloat64(value.value)
  if (value instanceof Float32Array) return `[${Array.from(value, printFloat32).join(',')}]`
  if (value instanceof Uint32Array) return `[${value.join(',')}]`
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  const members: string[] = []
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${printJson(member)}`)
  }
  return `{${members.join(',')}}`
}
