import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyTable, keyHash, newKey } from '../../src/tenants/keys.ts'

describe('the table of keys', () => {
  it('finds the owner of each key, and nobody for any other text', () => {
    const keys = fc.uniqueArray(fc.string({ maxLength: 8 }), { maxLength: 8 })
    fc.assert(
      fc.property(keys, fc.string({ maxLength: 8 }), (known, other) => {
        const ownerOf = createKeyTable(known.map((key, index) => [keyHash(key), index] as const))
        expect(known.map(key => ownerOf(key))).toEqual(known.map((_, index) => index))
        expect(ownerOf(other)).toBe(known.includes(other) ? known.indexOf(other) : null)
      }),
    )
  })

  it('tells keys apart whose digests begin alike', () => {
    // Digests of the same bucket: the first two bytes are the same.
    const first = keyHash('right')
    const alike = Array.from(
      { length: 50 },
      (_, n) => first.slice(0, 4) + createHash('sha256').update(`${n}`).digest('hex').slice(4),
    )
    const ownerOf = createKeyTable([...alike.map(sha256 => [sha256, 'wrong'] as const), [first, 'right'] as const])
    expect(ownerOf('right')).toBe('right')
    const without = createKeyTable(alike.map(sha256 => [sha256, 'wrong'] as const))
    expect(without('right')).toBeNull()
  })

  it('takes digests in upper case', () => {
    expect(createKeyTable([[keyHash('k').toUpperCase(), 1]])('k')).toBe(1)
  })

  it('holds hashes that other programs make too (printf %s key | sha256sum)', () => {
    expect(keyHash('key')).toBe('2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683')
  })
})

it('a new key has 256 random bits that fit into a header', () => {
  const keys = Array.from({ length: 100 }, newKey)
  for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
  expect(new Set(keys).size).toBe(100)
})
