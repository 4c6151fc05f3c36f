import { expect, it } from 'vitest'
import { holm } from '../../src/statistics/holm.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'

it('adjusts p values as in a worked example of Holm', () => {
  // .01 · 4, .02 · 3, .03 · 2 and .04 · 1, each at least as large as the one before.
  expect(holm([0.04, 0.01, 0.03, 0.02])).toEqual([0.06, 0.04, 0.06, 0.06])
  expect(holm([0.9, 0.8])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})

it('agrees with statsmodels', () => {
  // statsmodels 0.15: multipletests(values, method='holm')
  const adjusted = holm([0.0004, 0.011, 0.8, 0.021, 0.0124, 0.3, 0.04])
  const expected = [0.0028, 0.066, 0.8, 0.084, 0.066, 0.6, 0.12]
  for (const [index, value] of adjusted.entries()) expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 12)
})

it('keeps the probability of any false alarm at 5 %, for independent and for dependent values, beside true effects', () => {
  const random = seededRandom(8)
  const [trials, rules] = [3_000, 12]
  const alarms = (values: () => number[]) => {
    let found = 0
    for (let trial = 0; trial < trials; trial++) {
      // Two of the rules have an effect; the others have none.
      const adjusted = holm([1e-6, 1e-6, ...values()])
      found += Number(adjusted.slice(2).some(value => value <= 0.05)) / trials
    }
    return found
  }
  const independent = alarms(() => Array.from({ length: rules }, random))
  const alike = alarms(() => {
    const shared = random()
    return Array.from({ length: rules }, () => (shared + random() / 10) % 1)
  })
  expect(independent).toBeGreaterThan(0.038)
  expect(independent).toBeLessThan(0.06)
  expect(alike).toBeLessThan(0.055)
})
