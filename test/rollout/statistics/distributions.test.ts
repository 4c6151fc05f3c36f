import { expect, it } from 'vitest'
import {
  chiSquaredAbove,
  normalBelow,
  normalQuantile,
  studentBelow,
  studentQuantile,
  studentTwoSided,
} from '../../../src/rollout/statistics/distributions.ts'
import { holm } from '../../../src/rollout/statistics/holm.ts'
import { sampleRatio } from '../../../src/rollout/statistics/sample-ratio.ts'

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

it('adjusts p values as in a worked example of Holm', () => {
  // .01 · 4, .02 · 3, .03 · 2 and .04 · 1, each at least as large as the one before.
  expect(holm([0.04, 0.01, 0.03, 0.02])).toEqual([0.06, 0.04, 0.06, 0.06])
  expect(holm([0.9, 0.8])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})

it('finds a sample-ratio mismatch as the chi-squared formula does by hand', () => {
  // 821,588 and 815,482 users of a 50/50 split (Kohavi, Tang & Xu 2020, chapter 21): p = 1.8e-6.
  const { p } = sampleRatio([
    { variant: 'control', units: 821_588, share: 0.5 },
    { variant: 'treatment', units: 815_482, share: 0.5 },
  ])
  expect(p).toBeGreaterThan(1.7e-6)
  expect(p).toBeLessThan(1.9e-6)
})

it('takes a variant of which nothing was seen as a mismatch, and too few units as no evidence', () => {
  expect(sampleRatio([{ variant: 'control', units: 1_000, share: 0.9 }]).p).toBeLessThan(1e-9)
  expect(sampleRatio([{ variant: 'control', units: 40, share: 0.9 }]).p).toBeNull()
  expect(sampleRatio([]).p).toBeNull()
  expect(
    sampleRatio([
      { variant: 'control', units: 903, share: 0.9 },
      { variant: 'treatment', units: 97, share: 0.1 },
    ]).p,
  ).toBeCloseTo(0.752, 3)
})
