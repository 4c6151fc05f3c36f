import { promisify } from 'node:util'
import zlib from 'node:zlib'

/** Undoes one content coding in the thread pool. Rejects on malformed bytes, and when the result is longer than `maxOutputLength`. */
type Undo = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** The codings that Qdrant reads. Node knows Zstandard from version 22.15. */
const UNDO: ReadonlyMap<string, Undo> = new Map([
  ['identity', async body => body],
  ['gzip', promisify(zlib.gunzip)],
  ['deflate', promisify(zlib.inflate)],
  ['br', promisify(zlib.brotliDecompress)],
  ...('zstdDecompress' in zlib ? ([['zstd', promisify(zlib.zstdDecompress as typeof zlib.gunzip)]] as const) : []),
] as [string, Undo][])

/** Whether `decodeBody` knows a content coding. */
export function isDecodable(coding: string): boolean {
  return UNDO.has(coding.trim().toLowerCase())
}

/**
 * Undoes the content coding of a body.
 * @returns the decoded bytes, or why they cannot be had
 */
export async function decodeBody(
  body: Buffer,
  coding: string,
  maxBytes: number,
): Promise<Buffer | 'body_too_large' | 'body_unreadable'> {
  const undo = UNDO.get(coding.trim().toLowerCase())
  if (undo === undefined) return 'body_unreadable'
  try {
    return await undo(body, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLong = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    return isTooLong ? 'body_too_large' : 'body_unreadable'
  }
}
