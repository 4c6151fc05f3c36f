import { expect, it } from 'vitest'
import { sampleRatio } from '../../../src/rollout/statistics/sample-ratio.ts'

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
