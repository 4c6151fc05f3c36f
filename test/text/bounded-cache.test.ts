import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BoundedCache } from '../../src/text/bounded-cache.ts'

const steps = fc.array(fc.record({ key: fc.integer({ min: 0, max: 12 }), write: fc.boolean() }), { maxLength: 200 })

it('gives what was set last or nothing, within its bound, and keeps what was used last', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), steps, (capacity, work) => {
      const cache = new BoundedCache<number, number>(capacity)
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
  const cache = new BoundedCache<string, number>(0)
  cache.set('a', 1)
  expect([cache.get('a'), cache.size]).toEqual([undefined, 0])
})

it('goes on at the same pace when it is full', () => {
  const cache = new BoundedCache<number, number>(50_000)
  for (let key = 0; key < 1_000_000; key++) cache.set(key, key)
  expect(cache.get(999_999)).toBe(999_999)
  expect(cache.get(1)).toBeUndefined()
})
