import { expect, it } from 'vitest'
import { smallestEffect } from '../../src/statistics/smallest-effect.ts'
import { GAINS, GRADED } from './support/samples.ts'
import { powerAtSmallestEffect } from './support/simulations.ts'
import { WORLDS } from './support/worlds.ts'

/** n values with mean 0 and a standard deviation of exactly 1. */
const unit = (n: number) => {
  const size = Math.sqrt((n - 1) / n)
  return Array.from({ length: n }, (_, query) => (query % 2 === 0 ? size : -size))
}

it('agrees with the exact power of the t test', () => {
  // statsmodels 0.15: TTestPower().solve_power(nobs=n, alpha=level, power=power), by the noncentral t distribution
  expect(smallestEffect([unit(20)])).toBeCloseTo(0.6604, 3)
  expect(smallestEffect([unit(186)])).toBeCloseTo(0.2065, 4)
  expect(smallestEffect([unit(186)], { level: 0.005 })).toBeCloseTo(0.2704, 3)
  expect(smallestEffect([unit(50)], { power: 0.9 })).toBeCloseTo(0.4677, 3)
})

it('agrees with the formula by SciPy, for one set and for two', () => {
  // (t.ppf(.975, f) + t.ppf(.8, f)) * error with f = 19, and with f = 15.7574 by Welch and Satterthwaite
  expect(smallestEffect([GAINS])).toBeCloseTo(0.3126412, 6)
  expect(smallestEffect([GAINS, GRADED])).toBeCloseTo(0.2588129, 6)
})

it('says nothing without a spread', () => {
  expect(smallestEffect([[0, 0, 0]])).toBeNull()
  expect(smallestEffect([[0.5, 0.5], [0.1]])).toBeNull()
  expect(smallestEffect([[1]])).toBeNull()
  expect(() => smallestEffect([[]])).toThrow(RangeError)
})

it.each([
  { world: WORLDS.symmetric, n: 100 },
  { world: WORLDS.graded, n: 186 },
])('is found by about 80 of 100 tests: $world.name', ({ world, n }) => {
  const { found } = powerAtSmallestEffect(world, [n], { trials: 400 })
  expect(found).toBeGreaterThan(0.74)
  expect(found).toBeLessThan(0.88)
})
