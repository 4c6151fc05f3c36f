import { expect, it } from 'vitest'
import type { MeasureName } from '../../../src/rollout/statistics/measures.ts'
import { type AdjustedLift, type VerdictFacts, verdictOf } from '../../../src/rollout/statistics/verdict.ts'

const lift = (measure: MeasureName, [low, value, high]: [number, number, number], adjustedP = 1): AdjustedLift => ({
  measure,
  control: 1,
  treatment: 1,
  lift: value,
  low,
  high,
  p: adjustedP,
  adjustedP,
  error: 0.01,
  needed: 900,
})
const verdict = (lifts: AdjustedLift[], facts: Partial<VerdictFacts> = {}) =>
  verdictOf({ sampleRatioP: 0.5, losses: { variants: [], p: null }, lifts, units: 400, effectiveUnits: 400, ...facts })

const fine = [
  lift('failed_share', [-0.002, 0.001, 0.004]),
  lift('p95_seconds', [-0.05, 0, 0.06]),
  lift('recall_proxy', [-0.02, 0, 0.02]),
]

it('says safe to continue only when the interval of every trigger that was measured ends before its limit', () => {
  expect(verdict(fine).verdict).toBe('safe to continue')
  expect(verdict(fine).reason).toContain('failed share, p95 seconds, recall proxy')
  expect(verdict(fine.slice(1)).reason).not.toContain('failed share')
  expect(verdict([...fine.slice(0, 2), lift('recall_proxy', [-0.05, 0, 0.05])]).verdict).toBe('not enough data')
  expect(verdict([...fine, lift('p50_seconds', [0.4, 0.5, 0.6], 1e-9)])).toMatchObject({
    verdict: 'safe to continue',
    reason: expect.stringContaining('worse, but by less than a trigger: p50 seconds +50.0 %'),
  })
})

it('rolls back when the harm is at the limit or beyond, and shown', () => {
  const slow = lift('p95_seconds', [0.1, 0.31, 0.5], 0.0004)
  expect(verdict([slow])).toEqual({
    verdict: 'roll back',
    reason: 'p95 seconds +31.0 %, beyond the trigger of +20 %, p < .001',
  })
  expect(verdict([lift('recall_proxy', [-0.09, -0.06, -0.03], 0.01)]).reason).toBe(
    'recall proxy -6.0 points, beyond the trigger of -5 points, p .010',
  )
  // Beyond the limit but not shown, or shown but not beyond.
  expect(verdict([{ ...slow, adjustedP: 0.06 }]).verdict).toBe('not enough data')
  expect(verdict([lift('p95_seconds', [0.1, 0.15, 0.25], 1e-9)]).verdict).toBe('not enough data')
  // A gain of any size is no harm.
  expect(verdict([lift('recall_proxy', [0.05, 0.2, 0.3], 1e-9)]).verdict).toBe('better')
})

it('says better when something is better and nothing is worse', () => {
  const faster = lift('p50_seconds', [-0.2, -0.1, -0.05], 0.01)
  expect(verdict([...fine, faster])).toMatchObject({ verdict: 'better', reason: expect.stringContaining('-10.0 %') })
  const cheaper = lift('tokens', [-0.4, -0.3, -0.2], 1e-9)
  expect(verdict([...fine, cheaper]).verdict).toBe('safe to continue')
})

it('counts the units that are still needed, or says that the planned sample is reached', () => {
  const open = lift('p95_seconds', [-0.1, 0.05, 0.3])
  expect(verdict([open]).reason).toContain('about 500 more units of the treatment are needed')
  expect(verdict([open], { units: 1_000 }).reason).toContain('the planned sample is reached')
  expect(verdict([{ ...open, needed: null }]).reason).toContain('several times as many units')
  expect(verdict([], { effectiveUnits: 0 }).verdict).toBe('not enough data')
  expect(verdict(fine, { effectiveUnits: 3.7 }).reason).toContain('the smaller one counts as 3')
})

it('trusts nothing when the split of the units is wrong', () => {
  expect(verdict(fine, { sampleRatioP: 0.0009 }).verdict).toBe('do not trust')
  expect(verdict(fine, { sampleRatioP: 0.001 }).verdict).toBe('safe to continue')
  expect(verdict(fine, { sampleRatioP: null }).verdict).toBe('safe to continue')
})
