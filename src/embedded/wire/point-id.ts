import type { PointId } from '../../core/types.ts'
import { formatError } from '../errors.ts'

const UUID = /^(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?$/i

/** Reads a point id: an unsigned 64-bit integer, or a UUID in any spelling (returned in lower case with hyphens). */
export function readPointId(value: unknown): PointId {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  if (typeof value === 'bigint' && value >= 0n) return value
  const parts = typeof value === 'string' ? UUID.exec(value) : null
  if (parts !== null) return parts.slice(1).join('-').toLowerCase()
  throw formatError(`value ${String(value)} is not a valid point ID: it must be an unsigned integer or a UUID`)
}

/** Reads an id from a URL. */
export function readPointIdText(text: string): PointId {
  if (!/^\d+$/.test(text)) return readPointId(text)
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}

/** Ascending order: all numbers, then all UUIDs. */
export function comparePointIds(left: PointId, right: PointId): number {
  const leftIsText = typeof left === 'string'
  if (leftIsText !== (typeof right === 'string')) return leftIsText ? 1 : -1
  return left < right ? -1 : left > right ? 1 : 0
}
