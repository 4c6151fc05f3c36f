import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mean, percentile, percentileOfSorted, quantileOfSorted } from '../../src/statistics/sample.ts'

it('takes the nearest rank: the least value that reaches the share', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 100 }),
      (values, percent) => {
        const found = percentile(values, percent / 100) ?? Number.NaN
        expect(values.filter(value => value <= found).length * 100).toBeGreaterThanOrEqual(percent * values.length)
        expect(values.filter(value => value < found).length * 100).toBeLessThan(percent * values.length)
      },
    ),
  )
  expect(percentile([], 0.5)).toBeNull()
})

it('interpolates between order statistics, and takes a share outside [0,1] as the nearer end', () => {
  // numpy.quantile([1, 2, 4, 8], [0, .25, .5, .875, 1])
  expect([0, 0.25, 0.5, 0.875, 1].map(share => quantileOfSorted([1, 2, 4, 8], share))).toEqual([1, 1.75, 3, 6.5, 8])
  expect([-1, 2].map(share => quantileOfSorted([1, 2, 4, 8], share))).toEqual([1, 8])
  expect(quantileOfSorted([], 0.5)).toBeNaN()
})

it('has a mean of nothing that is no number', () => {
  expect(mean([])).toBeNaN()
  expect(mean(Float64Array.of(1, 2, 6))).toBe(3)
  expect(percentileOfSorted([1, 2, 3], 0.5)).toBe(2)
})
