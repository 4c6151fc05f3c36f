import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sigmoid } from '../../../src/statistics/sigmoid.ts'
import { auroc, recallLost, thresholdOf } from './figures.ts'
import { fitLogistic, logitOf } from './logistic.ts'

const scores = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 })

describe('the figures of the confidence script', () => {
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

  it('finds the least threshold that leaves the share of the negatives at or below it', () => {
    fc.assert(
      fc.property(scores, fc.double({ min: 0.1, max: 1, noNaN: true }), (negatives, share) => {
        const threshold = thresholdOf(negatives, share)
        const below = (limit: number) => negatives.filter(one => one <= limit).length
        expect(below(threshold)).toBeGreaterThanOrEqual(share * negatives.length - 1e-9)
        expect(below(threshold - 1)).toBeLessThan(share * negatives.length)
      }),
    )
    expect(
      recallLost(
        [
          { score: 1, recall: 0.5 },
          { score: 3, recall: 1 },
        ],
        2,
      ),
    ).toBe(25)
  })

  it('fits weights that order examples as they were made, and none below 0', () => {
    const made = Array.from({ length: 200 }, (_, at) => {
      const [helps, harms] = [(at % 20) / 20, (at % 7) / 7]
      return { features: [helps, harms], wanted: sigmoid(-3 + 6 * helps - 2 * harms) > 0.5 ? 1 : 0, weight: 1 }
    })
    const model = fitLogistic(made)
    const [helps = 0, harms] = model.weights
    expect(helps).toBeGreaterThan(1)
    expect(harms).toBe(0)
    expect(logitOf(model, [0, 0])).toBeLessThan(0)
    expect(logitOf(model, [1, 0])).toBeGreaterThan(0)
  })
})
