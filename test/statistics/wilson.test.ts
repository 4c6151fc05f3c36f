import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wilsonInterval } from '../../src/statistics/wilson.ts'

it('has the published values of Newcombe (1998) for 95 %', () => {
  const published: [number, number, number, number][] = [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ]
  for (const [hits, total, low, high] of published) {
    expect(wilsonInterval(hits, total).low).toBeCloseTo(low, 4)
    expect(wilsonInterval(hits, total).high).toBeCloseTo(high, 4)
  }
})

it('holds the share, lies in [0,1], and mirrors the share of the others', () => {
  const counts = fc
    .integer({ min: 1, max: 500 })
    .chain(total => fc.tuple(fc.integer({ min: 0, max: total }), fc.constant(total)))
  fc.assert(
    fc.property(counts, ([hits, total]) => {
      const { low, high } = wilsonInterval(hits, total)
      expect(low).toBeGreaterThanOrEqual(0)
      expect(low).toBeLessThanOrEqual(hits / total + 1e-12)
      expect(high).toBeGreaterThanOrEqual(hits / total - 1e-12)
      expect(high).toBeLessThanOrEqual(1)
      const mirrored = wilsonInterval(total - hits, total)
      expect(mirrored.low).toBeCloseTo(1 - high)
      expect(mirrored.high).toBeCloseTo(1 - low)
    }),
  )
})
