import { expect, it } from 'vitest'
import { compareTogether, verdictOf } from '../../src/statistics/comparison.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { falseVerdicts } from './support/simulations.ts'
import { sample, WORLDS, withoutEffect } from './support/worlds.ts'

it.each([
  [0.01, 0.1, 0.04, 'helps'],
  [-0.1, -0.01, 0.04, 'hurts'],
  [0.01, 0.1, 0.05, 'unproven'],
  [0, 0.1, 0.001, 'unproven'],
  [-0.1, 0, 0.001, 'unproven'],
  [-0.1, 0.1, 0.001, 'unproven'],
  [0.01, 0.1, Number.NaN, 'unproven'],
])('takes [%s, %s] with p = %s as %s', (low, high, p, verdict) => {
  expect(verdictOf({ low, high }, p)).toBe(verdict)
})

it('finds a rule that helps and one that hurts among rules without effect', () => {
  const random = seededRandom(4)
  const idle = Array.from(
    { length: 8 },
    (_, rule) => [`idle ${rule}`, sample(withoutEffect(WORLDS.answers), [186], random)] as const,
  )
  const loses = sample(WORLDS.baseline, [186], random)
  const gains = loses.map(set => set.map(value => -value))
  const compared = compareTogether(new Map([['gains', gains], ...idle, ['loses', loses]]))
  expect([...compared].map(([arm, { verdict }]) => `${arm}: ${verdict}`)).toEqual([
    'gains: helps',
    ...idle.map(([arm]) => `${arm}: unproven`),
    'loses: hurts',
  ])
  const { difference, p, adjustedP, smallestEffect } = compared.get('gains') ?? {}
  expect(adjustedP).toBeCloseTo(10 * (p ?? 0), 12)
  expect(difference?.low).toBeGreaterThan(0)
  expect(smallestEffect).toBeLessThan(difference?.mean ?? 0)
})

it('needs six differences of one sign for a verdict, however narrow the interval is', () => {
  const losses = (count: number) => [Array.from({ length: 186 }, (_, query) => (query < count ? -1 : 0))]
  const verdictFor = (count: number) => compareTogether(new Map([['rule', losses(count)]])).get('rule')?.verdict
  expect([5, 6].map(verdictFor)).toEqual(['unproven', 'hurts'])
})

it('is wrong about any of ten rules without effect in at most about 5 of 100 ablations', () => {
  expect(falseVerdicts(WORLDS.symmetric, 10, 50, { trials: 150 })).toBeLessThan(0.1)
})

it('compares nothing with nothing', () => {
  expect(compareTogether(new Map())).toEqual(new Map())
})
