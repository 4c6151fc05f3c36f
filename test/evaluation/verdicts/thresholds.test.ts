import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isEnough,
  LEAST_QUESTIONS,
  thresholdAbove,
  thresholdBelow,
} from '../../../src/evaluation/verdicts/thresholds.ts'

/** With four decimals, as `answerable` has them. Many are thresholds themselves. */
const probability = fc.oneof(
  fc.integer({ min: 0, max: 10_000 }).map(value => value / 10_000),
  fc.integer({ min: 0, max: 100 }).map(value => value / 100),
)
const probabilities = fc.array(probability, { maxLength: 150 })
const hundredths = Array.from({ length: 101 }, (_, at) => at / 100)
/** Of n + 1 questions, each is the new one equally often: the mean share of wrong ones when each in turn is left out. */
const allowed = (n: number) => Math.floor(0.05 * (n + 1) + 1e-9) - 1

describe('a threshold that 5 % of questions choose', () => {
  it('is the largest of two decimals with so few below it, by trying all', () => {
    fc.assert(
      fc.property(probabilities, given => {
        const least = allowed(given.length)
        const fits = hundredths.filter(threshold => given.filter(one => one < threshold).length <= least)
        expect(thresholdBelow(given)).toBe(least < 0 ? null : fits.at(-1))
      }),
    )
  })

  it('is the smallest of two decimals that so few reach, by trying all', () => {
    fc.assert(
      fc.property(probabilities, given => {
        const least = allowed(given.length)
        const fits = hundredths.filter(threshold => given.filter(one => one >= threshold).length <= least)
        expect(thresholdAbove(given)).toBe(least < 0 ? null : (fits[0] ?? null))
      }),
    )
  })

  it('judges at most 5 % of new questions wrong: of all questions, each left out in turn', () => {
    fc.assert(
      fc.property(fc.array(probability, { minLength: LEAST_QUESTIONS + 1, maxLength: 120 }), given => {
        const without = (at: number) => given.filter((_, other) => other !== at)
        const isBelow = (one: number, at: number) => one < (thresholdBelow(without(at)) ?? 0)
        const reaches = (one: number, at: number) => one >= (thresholdAbove(without(at)) ?? 2)
        expect(given.filter(isBelow).length).toBeLessThanOrEqual(0.05 * given.length)
        expect(given.filter(reaches).length).toBeLessThanOrEqual(0.05 * given.length)
      }),
    )
  })

  it('is a probability itself, or the next step above it, whatever doubles make of it', () => {
    for (const [at, value] of hundredths.slice(0, -1).entries()) {
      const given = new Array<number>(LEAST_QUESTIONS).fill(value)
      expect([thresholdBelow(given), thresholdAbove(given)]).toEqual([value, hundredths[at + 1]])
    }
  })

  it('needs nineteen questions, and certainty leaves none that is small enough', () => {
    expect(LEAST_QUESTIONS).toBe(19)
    const of = (length: number, value: number) => new Array<number>(length).fill(value)
    expect([isEnough(18), isEnough(19)]).toEqual([false, true])
    expect([thresholdBelow(of(18, 0.5)), thresholdBelow(of(19, 0.5))]).toEqual([null, 0.5])
    expect([thresholdAbove(of(18, 0.5)), thresholdAbove(of(19, 0.5))]).toEqual([null, 0.51])
    expect(thresholdAbove(of(40, 1))).toBeNull()
    expect(thresholdAbove(of(40, 0.9999))).toBe(1)
  })
})
