import { describe, expect, it } from 'vitest'
import { createVariantEvidence } from '../../../src/rollout/statistics/online/evidence.ts'
import { createRollbackJudge } from '../../../src/rollout/statistics/online/judge.ts'
import { createSecondsSketch } from '../../../src/rollout/statistics/online/seconds-sketch.ts'
import type { TimedOutcome } from '../../../src/rollout/window.ts'
import { NO_HARM, SESSIONS } from '../support/simulated-requests.ts'
import { coverage, judged } from '../support/simulations.ts'

const half = { ...SESSIONS, share: 0.5 }

function outcome(variant: string, unitId: string, overrides: Partial<TimedOutcome> = {}): TimedOutcome {
  return {
    assignment: { experiment: 'e', variant, unit: 'session', share: 0.5 },
    startedAt: 0,
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

  it('takes the content of answers from the cache, and neither failures nor seconds', () => {
    const evidence = createVariantEvidence(9)
    evidence.add(outcome('control', 'a'), 0.1)
    evidence.add(outcome('control', 'b', { failed: null, seconds: null, recallProxy: 0.5 }), 0.1)
    expect([evidence.failed.n, evidence.slow.n, evidence.seconds.count]).toEqual([1, 1, 1])
    expect([evidence.recallProxy.n, evidence.recallProxy.s]).toEqual([2, 1.3])
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

  it('does not take a small control, of which no session has failed by chance, as proof', () => {
    const judge = createRollbackJudge()
    // A session in 50 fails as a whole: among 120 sessions there is none with a probability of 9 %.
    for (let request = 0; request < 600; request++)
      judge.add(outcome('control', `c${request % 120}`, { failed: request === 0 }))
    for (let request = 0; request < 15_000; request++)
      judge.add(outcome('treatment', `t${request % 3_000}`, { failed: request % 3_000 < 60 }))
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

  it('does not compare requests of before a change of the weights with those of after it', () => {
    const after = { recall: 0.7, failures: 0.03, seconds: 0.45 }
    const world = { ...SESSIONS, recall: 0.85, later: { from: 3_000, world: { ...after, share: 0.5 } } }
    expect(judged(world, NO_HARM, { experiments: 3, requests: 6_000 }).at).toEqual([])
    const { at, triggers } = judged(world, { ...NO_HARM, lessRecall: 0.1 }, { experiments: 1, requests: 6_000 })
    expect([at.length, triggers]).toEqual([1, { recall_proxy: 1 }])
  })

  it('keeps its evidence when requests of the former weights end late', () => {
    const judge = createRollbackJudge()
    const share = (ofTreatment: number, variant: string) => (variant === 'control' ? 1 - ofTreatment : ofTreatment)
    const add = (variant: string, unit: number, ofTreatment: number, startedAt: number) =>
      judge.add(
        outcome(variant, `${variant}${unit}`, {
          assignment: { experiment: 'e', variant, unit: 'session', share: share(ofTreatment, variant) },
          startedAt,
          failed: variant === 'bad' && ofTreatment === 0.5,
          recallProxy: null,
        }),
      )
    for (let unit = 0; unit < 60; unit++) for (const variant of ['control', 'bad']) add(variant, unit, 0.1, unit)
    for (let unit = 100; unit < 125; unit++) {
      expect(judge.verdict()).toBeNull()
      for (const variant of ['control', 'bad']) {
        add(variant, unit, 0.5, unit)
        add(variant, unit, 0.1, 99)
      }
    }
    expect(judge.verdict()?.detail).toBe('100.0 % of 25 requests failed, against 0.0 % of 25 requests of the control')
  })

  it('finds harm after two processes have learned new weights at different times', () => {
    const judge = createRollbackJudge()
    for (let unit = 0; unit < 1_000; unit++) {
      // Every second request comes from a process that learns of the change at request 300.
      const half = unit >= (unit % 2 === 0 ? 100 : 300)
      for (const variant of ['control', 'bad'])
        judge.add(
          outcome(variant, `${variant}${unit}`, {
            assignment: {
              experiment: 'e',
              variant,
              unit: 'session',
              share: half ? 0.5 : variant === 'bad' ? 0.1 : 0.9,
            },
            startedAt: unit,
            failed: variant === 'bad' && unit >= 300,
          }),
        )
    }
    expect(judge.verdict()).toMatchObject({ variant: 'bad', trigger: 'error_rate' })
  })

  it('needs more evidence after each change of the weights, so that the false alarms of all of them stay below the limit', () => {
    const unitsUntilHarm = (changes: number) => {
      const judge = createRollbackJudge()
      let unit = 0
      const add = (variant: string, change: number, failed: boolean) => {
        const share = 0.1 + change / 100
        const assignment = { experiment: 'e', variant, unit: 'session', share } as const
        judge.add(outcome(variant, `${variant}${unit}`, { assignment, startedAt: unit, failed }))
      }
      for (let change = 0; change < changes; change++)
        for (let end = unit + 40; unit < end; unit++) {
          for (const variant of ['control', 'bad']) add(variant, change, false)
          judge.verdict()
        }
      const from = unit
      for (; judge.verdict() === null && unit < from + 5_000; unit++) {
        add('control', changes, unit % 50 === 0)
        add('bad', changes, unit % 15 === 0)
      }
      return unit - from
    }
    const [none, one, ten] = [unitsUntilHarm(0), unitsUntilHarm(1), unitsUntilHarm(10)]
    expect([none < one, one < ten, ten < 3 * none]).toEqual([true, true, true])
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
