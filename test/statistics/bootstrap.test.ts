import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairedInterval, verdictOf } from '../../src/statistics/bootstrap.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'

const options = { resamples: 2000, seed: 7 }

describe('paired bootstrap interval', () => {
  it('covers the true mean in about 95 of 100 samples', () => {
    const random = seededRandom(99)
    let covered = 0
    const trials = 400
    for (let trial = 0; trial < trials; trial += 1) {
      const sample = Array.from({ length: 60 }, () => (random() < 0.2 ? 1 : random() < 0.1 ? -1 : 0))
      const { low, high } = pairedInterval([sample], { resamples: 500, seed: trial })
      if (low <= 0.12 && 0.12 <= high) covered += 1
    }
    expect(covered / trials).toBeGreaterThan(0.9)
    expect(covered / trials).toBeLessThan(0.99)
  })

  it('has the width that the normal approximation gives', () => {
    const random = seededRandom(3)
    const sample = Array.from({ length: 400 }, random)
    const mean = sample.reduce((sum, value) => sum + value, 0) / 400
    const deviation = Math.sqrt(sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 400)
    const { low, high } = pairedInterval([sample], options)
    expect((high - low) / ((2 * 1.96 * deviation) / 20)).toBeGreaterThan(0.93)
    expect((high - low) / ((2 * 1.96 * deviation) / 20)).toBeLessThan(1.07)
  })

  it('weighs every set the same, however many queries it has', () => {
    const { mean, low, high, n } = pairedInterval([Array.from({ length: 500 }, () => 0), [1, 1]], options)
    expect({ mean, low, high, n }).toEqual({ mean: 0.5, low: 0.5, high: 0.5, n: 502 })
  })

  it('is deterministic, holds its mean, and turns over when the differences do', () => {
    const sets = fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(sets, fc.nat(), (differences, seed) => {
        const some = { resamples: 200, seed }
        const interval = pairedInterval(differences, some)
        expect(pairedInterval(differences, some)).toEqual(interval)
        const flipped = pairedInterval(
          differences.map(set => set.map(value => -value)),
          some,
        )
        expect(flipped.low).toBeCloseTo(-interval.high, 9)
        expect(flipped.high).toBeCloseTo(-interval.low, 9)
        const all = differences.flat()
        expect(interval.low).toBeGreaterThanOrEqual(Math.min(...all) - 1e-9)
        expect(interval.high).toBeLessThanOrEqual(Math.max(...all) + 1e-9)
      }),
      { numRuns: 50 },
    )
  })

  it('refuses a set without queries', () => {
    expect(() => pairedInterval([], options)).toThrow(RangeError)
    expect(() => pairedInterval([[1], []], options)).toThrow(RangeError)
  })

  it('says better or worse only when the interval excludes 0', () => {
    const interval = { mean: 0, n: 9 }
    expect(verdictOf({ ...interval, low: 0.01, high: 0.1 })).toBe('significantly better')
    expect(verdictOf({ ...interval, low: -0.1, high: -0.01 })).toBe('significantly worse')
    expect(verdictOf({ ...interval, low: 0, high: 0.1 })).toBe('no difference')
    expect(verdictOf({ ...interval, low: -0.1, high: 0 })).toBe('no difference')
  })
})
