import { badRequest, formatError, refuseFields, validationError } from '../errors.ts'
import { Float } from './json.ts'

/** Readers for request bodies: each returns the typed value or throws a 400 that names the field. */

export type JsonRecord = { [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Float)
}

/** An empty record in place of anything else. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function readRecord(value: unknown, field: string): JsonRecord {
  if (!isRecord(value)) throw formatError(`${field} must be an object`)
  return value
}

/** Reads the body of a request to the points of a collection. @throws EngineError 400, 501 when it names a shard */
export function readRequest(value: unknown, name: string): JsonRecord {
  const request = readRecord(value, name)
  refuseFields(request, ['shard_key'], name)
  return request
}

export function readList(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw formatError(`${field} must be a list`)
  return value
}

/** @throws EngineError 400 when the list is longer than `most` */
export function readBoundedList(value: unknown, field: string, most: number): unknown[] {
  const list = readList(value, field)
  refuseAbove(list.length, most, field)
  return list
}

/** Refuses more than the engine can do for one request, in the words of Qdrant's strict mode. @throws EngineError 400 */
export function refuseAbove(value: number, most: number, field: string): void {
  if (value <= most) return
  throw badRequest(
    `Limit exceeded ${value} > ${most} for "${field}". Help: Reduce the "${field}" parameter to or below ${most}.`,
  )
}

export function readString(value: unknown, field: string): string {
  if (typeof value !== 'string') throw formatError(`${field} must be a string`)
  return value
}

/** Returns undefined when the field is absent or null. */
export function readNumber(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined
  const number = toNumber(value)
  if (number === undefined) throw formatError(`${field} must be a number`)
  return number
}

/** Reads an unsigned integer (422 below `minimum`), or returns the fallback when the field is absent or null. */
export function readCount(value: unknown, field: string, fallback: number, minimum = 0): number {
  const count = typeof value === 'bigint' ? Number(value) : (value ?? fallback)
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0)
    throw formatError(`${field} must be an unsigned integer`)
  if (count < minimum) throw validationError(`${field}: value ${count} invalid, must be ${minimum} or larger`)
  return count
}

export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value)
  const number = value instanceof Float ? value.value : value
  return typeof number === 'number' ? number : undefined
}

/** Qdrant accepts a single element in place of a list. */
export function asList(value: unknown): unknown[] {
  const list = value ?? []
  return Array.isArray(list) ? list : [list]
}
