import { expect, it } from 'vitest'
import { holm } from '../../src/statistics/holm.ts'

it('adjusts p values as in a worked example of Holm', () => {
  // .01 · 4, .02 · 3, .03 · 2 and .04 · 1, each at least as large as the one before.
  expect(holm([0.04, 0.01, 0.03, 0.02])).toEqual([0.06, 0.04, 0.06, 0.06])
  expect(holm([0.9, 0.8])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})
