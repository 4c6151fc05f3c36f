import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { groupBy } from '../core/collections.ts'

/** A new key: 32 random bytes in base64url. */
export function newKey(): string {
  return randomBytes(32).toString('base64url')
}

/** The SHA-256 of a key in hexadecimal digits, as the file holds it. */
export function keyHash(key: string): string {
  return digestOf(key).toString('hex')
}

/**
 * Finds the owner of a key by the SHA-256 digests of the keys.
 *
 * A digest is looked for in a bucket of those with the same first two bytes, and compared with all of them in constant time. Time can
 * tell at most how many digests are in the bucket of a guessed key. That does not help to find a key: digests of guesses are as
 * good as random, and one says nothing about another. A plain lookup by the key itself would end at the first byte that differs.
 */
export function createKeyTable<Owner>(entries: Iterable<readonly [sha256: string, owner: Owner]>) {
  const known = Array.from(entries, ([sha256, owner]) => ({ digest: Buffer.from(sha256, 'hex'), owner }))
  const buckets = groupBy(known, ({ digest }) => bucketOf(digest))
  return function ownerOf(key: string): Owner | null {
    const asked = digestOf(key)
    let found: Owner | null = null
    for (const { digest, owner } of buckets.get(bucketOf(asked)) ?? [])
      if (timingSafeEqual(digest, asked)) found = owner
    return found
  }
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function bucketOf(digest: Buffer): number {
  return digest.readUInt16BE(0)
}
