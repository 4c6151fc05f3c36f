import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/statistics/seeded-random.ts'

describe('seeded random numbers', () => {
  it('are uniform in [0,1), repeatable, and different for each seed', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed)
      return Array.from({ length: 20_000 }, random)
    }
    const values = draw(1)
    expect(values).toEqual(draw(1))
    expect(values.slice(0, 5)).not.toEqual(draw(2).slice(0, 5))
    const bins = Array.from({ length: 20 }, () => 0)
    for (const value of values) bins[Math.floor(value * 20)] = (bins[Math.floor(value * 20)] ?? 0) + 1
    const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0)
    expect(chiSquare).toBeLessThan(44) // 19 degrees of freedom, p = .001
  })
})
