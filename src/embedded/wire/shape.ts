import { formatError, validationError } from '../errors.ts'
import { WholeFloat } from './json.ts'

/** Readers for request bodies: each gives the typed value or throws a 400 that names the field. */

export type JsonRecord = { [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WholeFloat)
}

export function readRecord(value: unknown, field: string): JsonRecord {
  if (!isRecord(value)) throw formatError(`invalid type: ${typeName(value)}, expected an object for ${field}`)
  return value
}

export function readList(value: unknown, field: string): unknown[] {
  if (!Array.isArray(value)) throw formatError(`invalid type: ${typeName(value)}, expected a sequence for ${field}`)
  return value
}

export function readString(value: unknown, field: string): string {
  if (typeof value !== 'string') throw formatError(`invalid type: ${typeName(value)}, expected a string for ${field}`)
  return value
}

/** A float, or undefined where the field is absent or null. */
export function readNumber(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined
  const number = toNumber(value)
  if (number === undefined) throw formatError(`invalid type: ${typeName(value)}, expected f32 for ${field}`)
  return number
}

/** An unsigned integer of at least `minimum` (422 below it), or the fallback where the field is absent or null. */
export function readCount(value: unknown, field: string, fallback: number, minimum = 0): number {
  if (value === undefined || value === null) return fallback
  if (typeof value === 'bigint' && value > 0n) return Number(value)
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw formatError(`invalid value: ${typeName(value)} \`${toNumber(value) ?? ''}\`, expected usize for ${field}`)
  }
  if (value < minimum) throw validationError(`${field}: value ${value} invalid, must be ${minimum} or larger`)
  return value
}

export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (value instanceof WholeFloat) return value.value
  return typeof value === 'bigint' ? Number(value) : undefined
}

/** One-or-many: Qdrant accepts a lone element where a list is due. */
export function asList(value: unknown): unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function typeName(value: unknown): string {
  if (value === undefined) return 'missing field'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'sequence'
  if (isRecord(value)) return 'map'
  return typeof value === 'string' ? 'string' : typeof value === 'boolean' ? 'boolean' : 'number'
}
