import { expect, it } from 'vitest'
import {
  chiSquaredAbove,
  normalBelow,
  normalQuantile,
  studentBelow,
  studentQuantile,
  studentTwoSided,
} from '../../src/statistics/distributions.ts'

it('agrees with printed tables of the normal, t and chi-squared distributions', () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959964, 5)
  expect(normalBelow(-1.644854)).toBeCloseTo(0.05, 6)
  expect(studentQuantile(0.975, 10)).toBeCloseTo(2.228139, 5)
  expect(studentQuantile(0.995, 1)).toBeCloseTo(63.656741, 3)
  expect(studentBelow(2.015048, 5)).toBeCloseTo(0.95, 6)
  expect(chiSquaredAbove(3.841459, 1)).toBeCloseTo(0.05, 6)
  expect(chiSquaredAbove(13.815511, 2)).toBeCloseTo(0.001, 6)
})

it('has no jump where t is taken as normal, and no NaN at the ends', () => {
  expect(studentQuantile(0.975, 9_999)).toBeCloseTo(studentQuantile(0.975, 10_001), 3)
  expect(studentBelow(-3, 9_999)).toBeCloseTo(studentBelow(-3, 1e12), 5)
  expect([studentTwoSided(Number.POSITIVE_INFINITY, 5), studentTwoSided(0, 5)]).toEqual([0, 1])
  expect([normalBelow(Number.NEGATIVE_INFINITY), chiSquaredAbove(Number.POSITIVE_INFINITY, 1)]).toEqual([0, 0])
})
