import { describe, expect, it } from 'vitest'
import type { ExperimentOutcome } from '../../../src/pipeline/plan/outcome.ts'
import { createVariantEvidence } from '../../../src/rollout/statistics/online/evidence.ts'
import { createRollbackJudge } from '../../../src/rollout/statistics/online/judge.ts'
import { createSecondsSketch } from '../../../src/rollout/statistics/online/seconds-sketch.ts'
import { NO_HARM, SESSIONS } from '../support/simulated-requests.ts'
import { coverage, judged } from '../support/simulations.ts'

const half = { ...SESSIONS, share: 0.5 }

function outcome(variant: string, unitId: string, overrides: Partial<ExperimentOutcome> = {}): ExperimentOutcome {
  return {
    assignment: { experiment: 'e', variant, unit: 'session', share: 0.5 },
    unitId,
    endpoint: 'context',
    failed: false,
    seconds: 0.2,
    recallProxy: 0.8,
    tokens: 100,
    ...overrides,
  }
}

describe('the judge of rollbacks', () => {
  it('trips nothing in 20,000 requests without a difference, with a look after every request', () => {
    expect(judged(SESSIONS, NO_HARM, { experiments: 1 }).at).toEqual([])
  })

  it.each([
    ['latency', { ...NO_HARM, slower: 1.25 }],
    ['recall_proxy', { ...NO_HARM, lessRecall: 0.1 }],
    ['error_rate', { ...NO_HARM, moreFailures: 0.02 }],
  ])('trips by %s when the treatment does that harm', (trigger, harm) => {
    const { at, triggers } = judged(half, harm, { experiments: 2 })
    expect([at.length, triggers]).toEqual([2, { [trigger]: 2 }])
  })

  it('does not trip by harm below the trigger, however sure it is', () => {
    const judge = createRollbackJudge()
    for (let unit = 0; unit < 3_000; unit++) {
      judge.add(outcome('control', `c${unit}`, { seconds: 0.2 + (unit % 10) / 100 }))
      judge.add(outcome('treatment', `t${unit}`, { seconds: 1.1 * (0.2 + (unit % 10) / 100), recallProxy: 0.77 }))
    }
    expect(judge.verdict()).toBeNull()
  })

  it('takes thousands of failures of a few sessions as a few observations', () => {
    const judge = createRollbackJudge()
    for (let request = 0; request < 5_000; request++) {
      judge.add(outcome('control', `c${request % 200}`))
      judge.add(outcome('treatment', `t${request % 200}`, { failed: request % 200 < 4 }))
    }
    expect(judge.verdict()).toBeNull()
  })

  it('waits for enough units, then names the variant, and stays with what it said', () => {
    const judge = createRollbackJudge()
    expect(judge.verdict()).toBeNull()
    for (let unit = 0; unit < 24; unit++) {
      judge.add(outcome('control', `c${unit}`))
      judge.add(outcome('good', `g${unit}`))
      judge.add(outcome('bad', `b${unit}`, { failed: true, recallProxy: null }))
    }
    expect(judge.verdict()).toBeNull()
    for (const variant of ['control', 'good', 'bad']) judge.add(outcome(variant, 'last', { failed: variant === 'bad' }))
    const harm = judge.verdict()
    expect(harm).toMatchObject({ variant: 'bad', trigger: 'error_rate' })
    expect(harm?.detail).toBe('100.0 % of 25 requests failed, against 0.0 % of 25 requests of the control')
    for (let unit = 0; unit < 500; unit++) judge.add(outcome('bad', `later${unit}`))
    expect(judge.verdict()).toBe(harm)
  })

  it('counts one tenant with nearly all requests as about one unit', () => {
    const judge = createRollbackJudge()
    for (let request = 0; request < 20_000; request++) {
      const tenant = request % 100 === 0 ? (request / 100) % 80 : 'large'
      judge.add(outcome('control', `c${tenant}`))
      judge.add(outcome('treatment', `t${tenant}`, { failed: true, recallProxy: null }))
    }
    expect(judge.verdict()).toBeNull()
  })

  it('survives values that are no numbers, and more variants than it keeps', () => {
    const judge = createRollbackJudge()
    for (let unit = 0; unit < 200; unit++) {
      judge.add(outcome('control', `c${unit}`, { seconds: Number.NaN, recallProxy: Number.NaN }))
      judge.add(outcome('treatment', `t${unit}`, { seconds: -1, recallProxy: Number.POSITIVE_INFINITY }))
      judge.add(outcome(`variant ${unit}`, `v${unit}`, { seconds: 1e300, recallProxy: 1e300 }))
    }
    expect(judge.verdict()).toBeNull()
  })

  it('has intervals that cover about 95 % of small simulated experiments', () => {
    const found = coverage(half, { experiments: 50, requests: 1_000 })
    // Four standard errors of a share of 50; `npm run rollout:simulate -- 1000 intervals` has the exact figures.
    for (const { covered } of Object.values(found)) expect(covered).toBeGreaterThan(0.82)
    for (const { significant } of Object.values(found)) expect(significant).toBeLessThan(0.18)
  })
})

describe('the evidence of a variant', () => {
  it('joins the requests of a unit, forgets the quietest unit, and never holds more than allowed', () => {
    const joined = createVariantEvidence(2)
    for (const unit of ['a', 'b', 'a', 'c', 'b']) joined.add(outcome('v', unit), null)
    // 'b' was quiet for longest when 'c' came, so it counts as a new unit afterwards.
    expect(joined.failed).toMatchObject({ n: 5, units: 4, nn: 4 + 1 + 1 + 1 })
    const requests = createVariantEvidence(0)
    const unit = { assignment: { ...outcome('v', 'x').assignment, unit: 'request' as const } }
    for (let index = 0; index < 3; index++) requests.add(outcome('v', 'same', unit), null)
    expect(requests.failed).toMatchObject({ n: 3, units: 3 })
  })

  it('estimates quantiles within 1 %, for durations of a microsecond to days', () => {
    const sketch = createSecondsSketch()
    expect(sketch.quantile(0.95)).toBeNaN()
    for (let index = 1; index <= 1_000; index++) sketch.add(index / 100)
    expect(Math.abs(sketch.quantile(0.95) / 9.5 - 1)).toBeLessThan(0.011)
    expect(Math.abs(sketch.quantile(0.5) / 5 - 1)).toBeLessThan(0.011)
    for (let index = 0; index < 30_000; index++) sketch.add(index % 2 === 0 ? 0 : 1e9)
    expect(sketch.quantile(0.1)).toBeLessThan(2e-6)
    expect(sketch.quantile(0.99)).toBeGreaterThan(9e5)
  })
})
