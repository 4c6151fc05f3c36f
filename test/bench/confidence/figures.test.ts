import { describe, expect, it } from 'vitest'
import { sigmoid } from '../../../src/statistics/sigmoid.ts'
import { recallLost } from './figures.ts'
import { fitLogistic, logitOf } from './logistic.ts'

describe('the figures of the confidence script', () => {
  it('loses the recall of the questions at or below a threshold', () => {
    const questions = [
      { score: 1, recall: 0.5 },
      { score: 3, recall: 1 },
    ]
    expect([0, 1, 2, 3].map(threshold => recallLost(questions, threshold))).toEqual([0, 25, 25, 75])
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
