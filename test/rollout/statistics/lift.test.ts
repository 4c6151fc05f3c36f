import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeOf, differenceOf, neededUnits, quantileChangeOf } from '../../../src/rollout/statistics/lift.ts'
import { liftsOf, type VariantColumns } from '../../../src/rollout/statistics/measures.ts'
import { clusteredQuantile } from '../../../src/rollout/statistics/quantile.ts'
import { addValue, emptySums, meanOf } from '../../../src/rollout/statistics/unit-sums.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { normalNumbers } from '../support/simulated-requests.ts'

function sumsOf(units: readonly (readonly number[])[]) {
  const sums = emptySums()
  for (const values of units) {
    const unit = { n: 0, s: 0 }
    for (const value of values) addValue(sums, unit, value)
  }
  return sums
}

describe('means over requests', () => {
  it('have the variance that the delta method gives, computed unit by unit', () => {
    const values = fc.double({ min: 0, max: 1e9, noNaN: true, noDefaultInfinity: true })
    const units = fc.array(fc.array(values, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(units, units => {
        const all = units.flat()
        const mean = all.reduce((sum, value) => sum + value, 0) / all.length
        const residuals = units.map(unit => unit.reduce((sum, value) => sum + value - mean, 0))
        const spread = residuals.reduce((sum, residual) => sum + residual ** 2, 0)
        const naive = ((units.length / (units.length - 1)) * spread) / all.length ** 2
        const estimate = meanOf(sumsOf(units))
        const scale = Math.max(...all, 1e-12) ** 2
        expect(Math.abs((estimate.variance ?? Number.NaN) - naive)).toBeLessThanOrEqual(1e-9 * scale)
        expect(Math.abs(estimate.value - mean)).toBeLessThanOrEqual(1e-9 * Math.sqrt(scale))
      }),
    )
  })

  it('count one unit with nearly all requests as about one', () => {
    const units = [Array.from({ length: 1_000 }, () => 1), ...Array.from({ length: 50 }, () => [0])]
    expect(meanOf(sumsOf(units)).effectiveUnits).toBeCloseTo(1.1, 1)
    expect(meanOf(sumsOf([[1], [0], [1, 0]])).effectiveUnits).toBeCloseTo(16 / 6, 9)
  })

  it('keep the rule of three when no unit fails', () => {
    const none = meanOf(sumsOf(Array.from({ length: 100 }, () => [0, 0])), 1)
    const { low, high } = differenceOf(none, meanOf(sumsOf(Array.from({ length: 1e5 }, () => [0])), 1)) ?? {}
    expect(high).toBeCloseTo(0.03, 2)
    expect(low).toBeCloseTo(-0.03, 2)
  })

  it('are compared as Welch does in a textbook example', () => {
    const left = [27.5, 21, 19, 23.6, 17, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19, 21.7, 21.4]
    const right = [27.1, 22, 20.8, 23.4, 23.4, 23.5, 25.8, 22, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4]
    const single = (values: number[]) => meanOf(sumsOf(values.map(value => [value])))
    const lift = differenceOf(single(left), single(right))
    // t.test(left, right) of R: t = -2.8, p = .0091.
    expect(lift?.lift).toBeCloseTo(-2.8333, 3)
    expect(lift?.p).toBeGreaterThan(0.005)
    expect(lift?.p).toBeLessThan(0.012)
  })

  it('have about the p value of a permutation test over units, not over requests', () => {
    const random = seededRandom(5)
    const normal = normalNumbers(random)
    const unitOf = (shift: number) => {
      const level = shift + normal()
      return Array.from({ length: 6 }, () => level + 0.3 * normal())
    }
    const units = Array.from({ length: 60 }, (_, index) => unitOf(index < 30 ? 0.45 : 0))
    // All units have six requests, so the mean over requests is the mean over units.
    const means = units.map(values => values.reduce((sum, value) => sum + value, 0) / values.length)
    const meanDifference = (order: readonly number[]) =>
      order.reduce((sum, number, place) => sum + ((place < 30 ? 1 : -1) * (means[number] ?? 0)) / 30, 0)
    const order = units.map((_, index) => index)
    const seen = Math.abs(meanDifference(order))
    let more = 0
    for (let round = 0; round < 1_000; round++) {
      for (let place = order.length - 1; place > 0; place--) {
        const other = Math.floor(random() * (place + 1))
        const [one, two] = [order[place] ?? 0, order[other] ?? 0]
        order[place] = two
        order[other] = one
      }
      if (Math.abs(meanDifference(order)) >= seen) more += 1
    }
    const lift = differenceOf(meanOf(sumsOf(units.slice(0, 30))), meanOf(sumsOf(units.slice(30))))
    expect(Math.abs((lift?.p ?? 1) - more / 1_000)).toBeLessThan(0.03)
    const asRequests = (part: number[][]) => meanOf(sumsOf(part.flat().map(value => [value])))
    expect(differenceOf(asRequests(units.slice(0, 30)), asRequests(units.slice(30)))?.p).toBeLessThan(
      (lift?.p ?? 0) / 5,
    )
  })

  it('need the sample that the formula for two proportions gives', () => {
    // p = .1, effect .02, 80 %: 2 · .1 · .9 · (1.96 + .8416)² / .02² = 3,532 per variant.
    const error = Math.sqrt((2 * 0.1 * 0.9) / 500)
    expect(neededUnits(500, error, 0.02)).toBe(3_532)
  })
})

describe('quantiles', () => {
  const quantile = (values: number[], share = 0.95) =>
    clusteredQuantile(
      values,
      values.map((_, index) => index),
      share,
    )

  it('change by a factor when every duration does, with an interval of the same width', () => {
    const normal = normalNumbers(seededRandom(7))
    const values = Array.from({ length: 400 }, () => Math.exp(normal()))
    const control = quantile(values)
    const treatment = quantile(values.map(value => 1.5 * value))
    if (!control || !treatment) throw new Error('no quantile')
    const [same, slower] = [quantileChangeOf(control, control), quantileChangeOf(treatment, control)]
    expect(same).toMatchObject({ lift: 0, p: 1 })
    expect(slower?.lift).toBeCloseTo(0.5, 9)
    expect(Math.log1p(slower?.high ?? 0) - Math.log(1.5)).toBeCloseTo(Math.log1p(same?.high ?? 0), 9)
  })

  it('have no upper end when the requests do not reach it, and a finite one when they do', () => {
    const values = Array.from({ length: 30 }, (_, index) => 1 + index)
    expect(quantile(values)?.interval(1.96)[1]).toBe(Number.POSITIVE_INFINITY)
    expect(quantile(values, 0.5)?.interval(1.96)[1]).toBeLessThan(30)
    expect(quantile([])).toBeNull()
  })

  it('are as uncertain as the units when the requests of a unit are equal', () => {
    const normal = normalNumbers(seededRandom(8))
    const levels = Array.from({ length: 200 }, () => Math.exp(normal()))
    const repeated = levels.flatMap(level => Array.from({ length: 9 }, () => level))
    const unitNumbers = levels.flatMap((_, index) => Array.from({ length: 9 }, () => index))
    const [low, high] = clusteredQuantile(repeated, unitNumbers, 0.5)?.interval(1.96) ?? [0, 0]
    const [lowOfLevels, highOfLevels] = quantile(levels, 0.5)?.interval(1.96) ?? [0, 0]
    expect(Math.abs(low / lowOfLevels - 1)).toBeLessThan(0.03)
    expect(Math.abs(high / highOfLevels - 1)).toBeLessThan(0.03)
  })
})

describe('adversarial requests', () => {
  const columns = (rows: number, overrides: Partial<VariantColumns> = {}): VariantColumns => {
    const each = (value: (row: number) => number) => Array.from({ length: rows }, (_, row) => value(row))
    return {
      unit: each(row => row),
      failed: each(() => 0),
      seconds: each(row => 0.1 + row / 1_000),
      recallProxy: each(() => 0.8),
      tokens: each(() => 100),
      ...overrides,
    }
  }
  const numbers = (lifts: ReturnType<typeof liftsOf>) => lifts.flatMap(({ lift, p }) => [lift, p])

  it('of one unit, of none, without variance, all failed, endless or NaN give no NaN', () => {
    const nothing = columns(0)
    const one = columns(30, { unit: new Array(30).fill(0) })
    const same = columns(30, { seconds: new Array(30).fill(1) })
    const failed = columns(30, { failed: new Array(30).fill(1), recallProxy: new Array(30).fill(Number.NaN) })
    const endless = columns(30, { seconds: new Array(30).fill(1e9) })
    const unknown = columns(30, { seconds: new Array(30).fill(Number.NaN) })
    const all = [nothing, one, same, failed, endless, unknown, columns(30)]
    for (const left of all) for (const right of all) expect(numbers(liftsOf(left, right))).not.toContain(Number.NaN)
    expect(liftsOf(nothing, one)).toEqual([])
    expect(liftsOf(one, one)).toEqual([])
    expect(liftsOf(same, same).find(({ measure }) => measure === 'p95_seconds')).toMatchObject({ lift: 0, p: 1 })
    expect(liftsOf(failed, same).find(({ measure }) => measure === 'failed_share')?.p).toBeLessThan(1e-6)
    expect(liftsOf(unknown, same).map(({ measure }) => measure)).not.toContain('p95_seconds')
  })

  it('without tokens have no relative change', () => {
    expect(changeOf(meanOf(sumsOf([[0], [0]])), meanOf(sumsOf([[1], [2]])))).toBeNull()
  })
})
