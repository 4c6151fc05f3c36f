import { createHash } from 'node:crypto'
import { compareText } from '../core/collections.ts'

/** SHA-256 of a text in UTF-8, as 64 hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Identity of a text by content: the first 128 bits of its SHA-256, as 32 hexadecimal digits. */
export function contentHash(text: string): string {
  return sha256(text).slice(0, 32)
}

/** Identity of a JSON value as 16 hexadecimal digits: equal for equal values, whatever the order of their keys. */
export function fingerprint(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 16)
}

/** JSON with sorted keys; big integers as digits, `undefined` members left out as JSON does. */
function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => compareText(a, b))
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
