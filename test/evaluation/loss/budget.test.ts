import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lossBudget } from '../../../src/evaluation/loss/budget.ts'
import type { RunLoss } from '../../../src/evaluation/loss/loss.ts'
import { LOSS_STEP_NAMES, type LossStep } from '../../../src/evaluation/loss/steps.ts'
import { worstQuestions } from '../../../src/evaluation/loss/worst.ts'
import { lossText, roundedTo } from '../../../src/evaluation/report/loss/text.ts'
import { mean } from '../../../src/statistics/sample.ts'
import { runFigures } from '../support/golden.ts'
import { type QueryFigures, replayReport } from '../support/report.ts'

const holder = { id: 'p7', docId: 'd', reason: 'over_budget', rank: 14 } as const
const lossOf = (steps: readonly LossStep[], best = 1): RunLoss => {
  const golds = steps.map(step => ({ step, share: step === 'found' ? 1 : 0.25, holder }))
  return { text: { golds, oracle: { lists: best, pool: best, packing: best } }, place: null }
}
const recallOf = (steps: readonly LossStep[]) => steps.filter(step => step === 'found').length / steps.length
const figuresOf = (steps: readonly LossStep[], best = 1) => runFigures(recallOf(steps), { loss: lossOf(steps, best) })

/** A report of queries that have these steps at both budgets. */
function reportOf(sets: Record<string, { arms: Record<string, LossStep[]> }[]>, best = 1) {
  const figures = Object.entries(sets).map(([name, queries]): [string, QueryFigures[]] => [
    name,
    queries.map(({ arms }) => ({
      arms: Object.fromEntries(
        Object.entries(arms).map(([arm, steps]) => [arm, [figuresOf(steps, best), figuresOf(steps, best)] as const]),
      ),
    })),
  ])
  const report = replayReport(Object.fromEntries(figures))
  for (const [at, queries] of Object.values(sets).entries())
    for (const [place, query] of (report.sets[at]?.queries ?? []).entries())
      query.golds = Object.values(queries[place]?.arms ?? {})[0]?.length ?? 0
  return report
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

describe('a loss budget', () => {
  it('has points that sum up to 100 and are answer recall at found, for each set and all together', () => {
    const steps = fc.array(fc.constantFrom(...LOSS_STEP_NAMES), { minLength: 1, maxLength: 4 })
    const queries = fc.array(fc.record({ arms: fc.record({ topk: steps, measured: steps }) }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.array(queries, { minLength: 1, maxLength: 3 }), all => {
        const report = reportOf(Object.fromEntries(all.map((some, at) => [`s${at}`, some])))
        const rows = lossBudget(report, 'topk')
        const withAll = all.length > 1 ? 1 : 0
        expect(rows).toHaveLength((all.length + withAll) * 2 * 3)
        for (const { set, arm, budget, points, golds, queries: count } of rows) {
          expect(sum(Object.values(points))).toBeCloseTo(100, 9)
          const recalls = all
            .filter((_, at) => set === null || set === `s${at}`)
            .map(some => some.map(({ arms }) => recallOf(arms[arm as 'topk'])))
          expect(points.found).toBeCloseTo(100 * mean(recalls.map(mean)), 9)
          expect(count).toBe(recalls.flat().length)
          const total = sum(
            all
              .flatMap((some, at) => (set === null || set === `s${at}` ? some : []))
              .map(({ arms }) => arms[arm as 'topk'].length),
          )
          expect(sum(Object.values(golds))).toBe(budget === 'average' ? 2 * total : total)
          const rounded = roundedTo(points, 'found')
          expect(sum(Object.values(rounded).map(value => Math.round(value * 10)))).toBe(1000)
          expect(rounded.found).toBe(Number(points.found.toFixed(1)))
          for (const step of LOSS_STEP_NAMES) {
            expect(Math.abs(rounded[step] - points[step])).toBeLessThan(0.1001)
            if (golds[step] === 0) expect(rounded[step]).toBe(0)
          }
        }
      }),
      { numRuns: 15 },
    )
  })

  it('tells which share of the distance to the best fill an arm closes', () => {
    const found: LossStep[] = ['found', 'ranked_low', 'ranked_low', 'not_retrieved']
    const better: LossStep[] = ['found', 'found', 'ranked_low', 'not_retrieved']
    const report = reportOf({ s: [{ arms: { topk: found, measured: better } }] }, 0.75)
    const closed = (arm: string) =>
      lossBudget(report, 'topk')
        .filter(row => row.arm === arm)
        .map(row => row.closed)
    expect(closed('topk')).toEqual([0, 0, 0])
    expect(closed('measured')).toEqual([0.5, 0.5, 0.5])
    const none = reportOf({ s: [{ arms: { topk: found, measured: better } }] }, 0.25)
    expect(lossBudget(none, 'topk').map(row => row.closed)).toEqual([null, null, null, null, null, null])
  })

  it('leaves out runs without losses, as those of a server are', () => {
    const report = replayReport({
      s: [{ arms: { topk: [1, 1], measured: [figuresOf(['found']), figuresOf(['found'])] } }],
    })
    expect(new Set(lossBudget(report, 'topk').map(({ arm, closed }) => `${arm} ${closed}`))).toEqual(
      new Set(['measured null']),
    )
  })

  it('prints the tables, and the worst questions with their gold passages, steps and candidates', () => {
    const queries: { arms: Record<string, LossStep[]> }[] = [
      { arms: { topk: ['found', 'found', 'found'], measured: ['found', 'in_part', 'found'] } },
      { arms: { topk: ['found', 'found', 'found'], measured: ['ranked_low', 'found', 'duplicate'] } },
    ]
    const report = reportOf({ harbours: queries })
    const golds = { goldPassages: ['first', 'second\n\u001b[2J gold', 'third'].map(text => ({ text })) }
    const sets = [{ queries: ['q0', 'q1'].map(id => ({ id, ...golds })) }] as unknown as Parameters<
      typeof worstQuestions
    >[1]
    const text = lossText(lossBudget(report, 'topk'), worstQuestions(report, sets), 'topk')
    expect(text).toContain('losses of measured on harbours, by text: 2 queries, 6 gold passages')
    expect(text).toMatch(/cut as a copy +│ +16\.7 \(1\) │ +16\.7 \(1\) │ +16\.7 │/u)
    expect(text).toMatch(/found +│ +50\.0 \(3\)/u)
    expect(text).not.toContain('cut by a filter')
    const [, worst = ''] = text.split('measured: 2 questions lost gold passages')
    expect(worst.indexOf('66.7  harbours/q1: question 1?')).toBeGreaterThan(0)
    expect(worst.indexOf('33.3  harbours/q0')).toBeGreaterThan(worst.indexOf('66.7'))
    expect(worst).toContain('gold 1 "first": at 500, 1000 ranked too low (p7, rank 14, over_budget)')
    expect(worst).toContain('gold 2 "second \uFFFD[2J gold": at 500, 1000 packed in part 25 %')
    expect(text).not.toContain('topk: ')
  })
})
