import { createHash } from 'node:crypto'
import { compareText } from '../core/collections.ts'

/** SHA-256 of bytes, or of a text in UTF-8, as 64 hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** First 128 bits of the SHA-256 of a text, as 32 hexadecimal digits. */
export function contentHash(text: string): string {
  return sha256(text).slice(0, 32)
}

/** First 64 bits of the SHA-256 of a JSON value, as 16 hexadecimal digits. The order of keys has no effect. */
export function fingerprint(value: unknown): string {
  return sha256(JSON.stringify(value, sortKeys)).slice(0, 16)
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b)))
}
