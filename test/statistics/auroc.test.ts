import fc from 'fast-check'
import { expect, it } from 'vitest'
import { auroc } from '../../src/statistics/auroc.ts'

const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 })

it('has an area of 1 for scores that separate, 0 for the reverse, and one half for equal ones', () => {
  expect(auroc([3, 4], [1, 2])).toBe(1)
  expect(auroc([1, 2], [3, 4])).toBe(0)
  expect(auroc([1, 1], [1])).toBe(0.5)
  fc.assert(
    fc.property(scores, scores, (left, right) => {
      expect(auroc(left, right) + auroc(right, left)).toBeCloseTo(1)
    }),
  )
})
