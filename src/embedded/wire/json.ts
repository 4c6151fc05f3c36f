import { LRUCache } from 'lru-cache'
import { printFloat32, printFloat64 } from '../../qdrant/float32.ts'
import { EngineError, formatError } from '../errors.ts'
import type { Pace } from '../pace.ts'
import { parseExactJson } from './exact-json.ts'

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
/** Objects, members, lists and whole floats in one body. */
export const MAXIMUM_JSON_PARTS = 1_000_000

/** Integers beyond 2^53 become bigint, whole floats become `Float`. */
function readNumber(spelled: string): unknown {
  const value = Number(spelled)
  if (!Number.isFinite(value)) throw formatError('number out of range')
  if (!/^-?\d+$/.test(spelled)) return Number.isInteger(value) ? wholeFloat(value) : value
  if (Number.isSafeInteger(value)) return value
  // Longer integers are no ids, and converting them to bigint takes quadratic time.
  if (spelled.length > 20) return wholeFloat(value)
  const whole = BigInt(spelled)
  return whole < 2n ** 64n && whole >= -(2n ** 63n) ? whole : wholeFloat(value)
}

/**
 * Parses JSON as `JSON.parse` does, but integers beyond 2^53 become bigint and whole floats become `Float`.
 * @throws EngineError 400 on malformed JSON, numbers out of range, nesting deeper than `depth`, or more than `parts` parts
 */
export function parseJson(text: string, depth = MAXIMUM_JSON_DEPTH, parts = MAXIMUM_JSON_PARTS): unknown {
  try {
    return parseExactJson(text, readNumber, { depth, parts })
  } catch (error) {
    throw error instanceof EngineError ? error : formatError((error as Error).message)
  }
}

/** Prints an answer: integers with all digits, floats as Qdrant prints them, members that are undefined left out. */
export function printJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : printFloat64(value)
  if (value === null || value === undefined) return 'null'
  if (typeof value !== 'object') return String(value)
  if (value instanceof Float) return value.text
  if (value instanceof Float32Array) return printVector(value)
  if (value instanceof Uint32Array) return `[${value.join(',')}]`
  if (Array.isArray(value)) return `[${value.map(printJson).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${printJson(member)}`).join(',')}}`
}

/** Texts of vectors that were printed: a replay spent 5 of 60 seconds on the same ones. Stored vectors are replaced, never changed. */
const PRINTED = new LRUCache<Float32Array, string>({
  maxSize: 32 * 2 ** 20,
  sizeCalculation: text => text.length,
})

function printVector(vector: Float32Array): string {
  const known = PRINTED.get(vector)
  if (known !== undefined) return known
  const text = `[${Array.from(vector, printFloat32).join(',')}]`
  PRINTED.set(vector, text)
  return text
}

/** Levels of an answer whose members are printed one by one: the envelope, the result, its points. */
const SLICED_LEVELS = 4

/** Prints an answer like `printJson`, resting between its members. Returns the text in parts, because it may be longer than a string can be. */
export async function printInSlices(value: unknown, pace: Pace): Promise<string[]> {
  const parts: string[] = []
  let part = ''
  const put = (text: string) => {
    part += text
    if (part.length < PART_LENGTH) return
    parts.push(part)
    part = ''
  }
  const print = async (inner: unknown, level: number): Promise<void> => {
    if (pace.isDue()) await pace.rest()
    if (level < SLICED_LEVELS && Array.isArray(inner)) {
      for (const [place, item] of inner.entries()) {
        put(place === 0 ? '[' : ',')
        await print(item, level + 1)
      }
      put(inner.length === 0 ? '[]' : ']')
    } else if (level < SLICED_LEVELS && isPlainObject(inner)) {
      let mark = '{'
      for (const [key, member] of Object.entries(inner)) {
        if (member === undefined) continue
        put(`${mark}${JSON.stringify(key)}:`)
        await print(member, level + 1)
        mark = ','
      }
      put(mark === '{' ? '{}' : '}')
    } else put(printJson(inner))
  }
  await print(value, 0)
  return [...parts, part]
}

const PART_LENGTH = 2 ** 20

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Float) && !ArrayBuffer.isView(value)
}
