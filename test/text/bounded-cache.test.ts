import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BoundedCache, remembered } from '../../src/text/bounded-cache.ts'
import { contentHash } from '../../src/text/fingerprint.ts'

const steps = fc.array(fc.record({ key: fc.integer({ min: 0, max: 12 }), write: fc.boolean() }), { maxLength: 200 })

it('gives what was set last or nothing, within its bound, and keeps what was used last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), steps, (capacity, work) => {
      const cache = new BoundedCache<number, number>({ entries: capacity })
      const written = new Map<number, number>()
      /** Keys that were found or set, the last one first. */
      let used: number[] = []
      for (const [turn, { key, write }] of work.entries()) {
        const isRecent = used.slice(0, Math.ceil(capacity / 2)).includes(key)
        const found = cache.get(key)
        if (found !== undefined) expect(found).toBe(written.get(key))
        if (isRecent) expect(found).toBeDefined()
        if (write) {
          cache.set(key, turn)
          written.set(key, turn)
        }
        if (write || found !== undefined) used = [key, ...used.filter(other => other !== key)]
        expect(cache.size).toBeLessThanOrEqual(2 * Math.ceil(capacity / 2))
      }
    }),
  )
})

it('of no capacity keeps nothing', () => {
  const cache = new BoundedCache<string, number>({ entries: 0 })
  cache.set('a', 1)
  expect([cache.get('a'), cache.size]).toEqual([undefined, 0])
})

it('goes on at the same pace when it is full', () => {
  const cache = new BoundedCache<number, number>({ entries: 50_000 })
  for (let key = 0; key < 1_000_000; key++) cache.set(key, key)
  expect(cache.get(999_999)).toBe(999_999)
  expect(cache.get(1)).toBeUndefined()
})

it('holds no more weight than it may, and nothing that is above half of it', () => {
  const writes = fc.array(fc.record({ key: fc.nat(9), value: fc.integer({ min: 1, max: 12 }) }), { maxLength: 100 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), writes, (weight, work) => {
      const mixed = new BoundedCache<number, number>({ entries: 1_000, weight, weigh: value => value })
      const equal = new BoundedCache<number, number>({ entries: 1_000, weight, weigh: () => 3 })
      for (const { key, value } of work) {
        mixed.set(key, value)
        expect(mixed.get(key)).toBe(value > weight / 2 ? undefined : value)
        equal.set(key, value)
        expect(equal.size * 3).toBeLessThanOrEqual(weight)
      }
    }),
  )
})

it('remembers by text, long texts too, and reads each once', () => {
  const read: string[] = []
  const lengthOf = remembered(
    text => {
      read.push(text)
      return text.length
    },
    { entries: 10 },
  )
  const texts = ['', 'a', 'b', 'x'.repeat(5_000), `${'x'.repeat(4_999)}y`]
  for (const text of [...texts, ...texts]) expect(lengthOf(text)).toBe(text.length)
  expect(read).toEqual(texts)
})

it('never takes one text for another one, also when it is the hash of that', () => {
  const lengthOf = remembered(text => text.length, { entries: 10 })
  const long = 'word '.repeat(100)
  const hash = contentHash(long)
  for (const text of [hash, `\n${hash}`, `0x${hash}`, String(BigInt(`0x${hash}`)), long, hash])
    expect(lengthOf(text)).toBe(text.length)
})
