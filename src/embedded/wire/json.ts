import { printFloat32, printFloat64 } from '../../qdrant/float32.ts'
import { type NumberReader, parseJson as parseShared } from '../../qdrant/json.ts'
import { EngineError, formatError } from '../errors.ts'

/** A number that is printed with its own text. */
export class Float {
  readonly value: number
  readonly text: string

  constructor(value: number, text: string) {
    this.value = value
    this.text = text
  }
}

/** A float in a request whose value is whole (`5.0`). Qdrant distinguishes it from the integer `5`. */
export const wholeFloat = (value: number) => new Float(value, printFloat64(value))

/** A float32 in an answer. */
export const float32 = (value: number) => new Float(value, printFloat32(value))

/** Levels of nesting that Qdrant's JSON reader accepts. */
export const MAXIMUM_JSON_DEPTH = 128

const ENGINE_NUMBERS: NumberReader = {
  // Long integers, and floats that may be whole.
  fragile: /[[:,\s]-?(?:\d{16,}|\d+\.0+|\d+(?:\.\d+)?[eE]\+?\d+)\s*[,\]}]/,
  read: spelled => {
    const value = Number(spelled)
    if (!Number.isFinite(value)) throw formatError('number out of range')
    if (!/^-?\d+$/.test(spelled)) return Number.isInteger(value) ? wholeFloat(value) : value
    if (Number.isSafeInteger(value)) return value
    const whole = BigInt(spelled)
    return whole < 2n ** 64n && whole >= -(2n ** 63n) ? whole : wholeFloat(value)
  },
}

/**
 * Parses JSON as `JSON.parse` does, but integers beyond 2^53 become bigint and whole floats become `Float`.
 * @throws EngineError 400 on malformed JSON, numbers out of range, or nesting deeper than `maximumDepth`
 */
export function parseJson(text: string, maximumDepth = MAXIMUM_JSON_DEPTH): unknown {
  try {
    const value = parseShared(text, ENGINE_NUMBERS)
    checkLimits(value, maximumDepth)
    return value
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw formatError(error instanceof RangeError ? 'recursion limit exceeded' : (error as Error).message)
  }
}

function checkLimits(value: unknown, depthLeft: number): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw formatError('number out of range')
  if (typeof value !== 'object' || value === null || value instanceof Float) return
  if (depthLeft <= 0) throw formatError('recursion limit exceeded')
  for (const member of Object.values(value)) checkLimits(member, depthLeft - 1)
}

/** Prints an answer: integers with all digits, floats as Qdrant prints them, members that are undefined left out. */
export function printJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : printFloat64(value)
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'object') return String(value)
  if (value instanceof Float) return value.text
  if (value instanceof Float32Array) return `[${Array.from(value, printFloat32).join(',')}]`
  if (value instanceof Uint32Array) return `[${value.join(',')}]`
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${printJson(member)}`).join(',')}}`
}
