import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairedInterval } from '../../src/statistics/bootstrap.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { METHODS } from './support/other-intervals.ts'
import { GAINS, GRADED } from './support/samples.ts'
import { coverage } from './support/simulations.ts'
import { WORLDS } from './support/worlds.ts'

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

  it('agrees with percentiles of a million resamples by SciPy', () => {
    // scipy.stats.bootstrap((x,), numpy.mean, method='percentile', n_resamples=1_000_000, confidence_level=1 - 2 * share) with
    // share = norm.cdf(t.ppf((1 - confidence) / 2, 19) / sqrt(19 / 20)); for two sets numpy.quantile of a million means of both.
    const near = (sets: number[][], low: number, high: number, confidence = 0.95) => {
      const interval = pairedInterval(sets, { resamples: 40_000, seed: 5, confidence })
      expect(Math.abs(interval.low - low)).toBeLessThan(0.006)
      expect(Math.abs(interval.high - high)).toBeLessThan(0.006)
    }
    near([GAINS], -0.0583, 0.3875)
    near([GAINS], -0.0208, 0.3458, 0.9)
    near([GAINS, GRADED], 0.0208, 0.3875)
  })

  it('covers the true mean of ten queries, where percentiles alone are too narrow', () => {
    const scale = { trials: 1_000, resamples: 200 }
    const narrow = coverage(METHODS.percentile, WORLDS.half, [10], scale).covered
    const used = coverage(pairedInterval, WORLDS.half, [10], scale).covered
    expect(narrow).toBeLessThan(0.89)
    expect(used).toBeGreaterThan(0.9)
    expect(used - narrow).toBeGreaterThan(0.025)
  })

  it.each([
    { world: WORLDS.baseline, sizes: [50] },
    { world: WORLDS.symmetric, sizes: [100] },
    { world: WORLDS.half, sizes: [20, 20, 30] },
  ])('covers the true mean in 92 to 97 of 100 samples: $world.name, $sizes queries', ({ world, sizes }) => {
    const { covered } = coverage(pairedInterval, world, sizes, { trials: 600, resamples: 300 })
    expect(covered).toBeGreaterThan(0.92)
    expect(covered).toBeLessThan(0.97)
  })

  it('resamples two sets of one size independently', () => {
    // Equal sets would cancel in every resample if both had the same draws.
    const set = Array.from({ length: 40 }, (_, query) => (query % 4) / 4)
    const { low, high } = pairedInterval([set, set.map(value => -value)], options)
    const alone = pairedInterval([set], options)
    expect((high - low) / (alone.high - alone.low)).toBeGreaterThan(0.6)
    expect((high - low) / (alone.high - alone.low)).toBeLessThan(0.8) // √½ = .71
  })

  it('has no width for equal values, and an end of exactly 0 where values cancel', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 1, max: 30 }), (value, n) => {
        const { mean, low, high } = pairedInterval([Array.from({ length: n }, () => value)], {
          ...options,
          resamples: 50,
        })
        expect([low, high]).toEqual([mean, mean])
        expect(mean).toBeCloseTo(value, 12)
      }),
      { numRuns: 30 },
    )
    // .1 + .2 - .3 is not 0 in floating point. A resample with each of them once is the median.
    const { low, high } = pairedInterval([[0.1, 0.2, -0.3]], { resamples: 999, confidence: 0.02 })
    expect([low, high]).toEqual([0, 0])
  })

  it('counts the queries that differ', () => {
    expect(
      pairedInterval(
        [
          [0, 0, 1],
          [-1, 0, 0, 0.5],
        ],
        options,
      ),
    ).toMatchObject({ n: 7, nonZero: 3 })
  })

  it('refuses a set without queries, values that are not finite, and no resamples', () => {
    expect(() => pairedInterval([], options)).toThrow(RangeError)
    expect(() => pairedInterval([[1], []], options)).toThrow(RangeError)
    expect(() => pairedInterval([[1, Number.NaN]], options)).toThrow(RangeError)
    expect(() => pairedInterval([[1, 0]], { resamples: 0 })).toThrow(RangeError)
  })
})
