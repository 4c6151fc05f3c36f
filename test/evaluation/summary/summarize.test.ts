import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summarize } from '../../../src/evaluation/summary/summarize.ts'
import { AVERAGE } from '../../../src/evaluation/summary/summary.ts'
import { runFigures } from '../support/golden.ts'
import { type QueryFigures, replayReport } from '../support/report.ts'

const bootstrap = { resamples: 400, seed: 1, confidence: 0.95 }
const mixed = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? 1 : 0))
const better = mixed.map((recall, index) => (index % 2 === 0 ? 1 : recall))
const twoArms = (topk: number[], measured: number[]): QueryFigures[] =>
  topk.map((recall, at) => ({ arms: { topk: [recall, recall], measured: [measured[at] ?? 0, 1] } }))

describe('summary of a replay', () => {
  it('averages over budgets inside a query, over queries, then over sets', () => {
    const report = replayReport({ many: twoArms(mixed, better), one: twoArms([0], [1]) })
    const { slices } = summarize(report, { against: 'topk', bootstrap })
    const many = slices.find(({ value }) => value === 'many')?.arms[1]?.figures.recall
    expect(many?.['500']?.mean).toBeCloseTo(0.5)
    expect(many?.[AVERAGE]?.mean).toBeCloseTo(0.75)
    expect(many?.[AVERAGE]?.against?.difference.mean).toBeCloseTo(0.5)
    expect(many?.[AVERAGE]?.against?.verdict).toBe('helps')
    const all = slices[0]?.arms.map(({ figures }) => figures.recall?.[AVERAGE])
    expect(all?.[0]).toMatchObject({ against: null, n: 41 })
    expect(all?.[1]?.mean).toBeCloseTo((0.75 + 1) / 2)
    expect(all?.[1]?.against?.difference.mean).toBeCloseTo((0.5 + 1) / 2)
    expect(all?.[1]?.interval?.mean).toBe(all?.[1]?.mean)
  })

  it('sees no difference between an arm and its twin', () => {
    const same = mixed.map(() => 1)
    const { slices } = summarize(replayReport({ one: twoArms(same, same) }), { against: 'topk', bootstrap })
    const against = slices[0]?.arms[1]?.figures.recall?.[AVERAGE]?.against
    expect(against).toMatchObject({ difference: { mean: 0, low: 0, high: 0, n: 40 }, verdict: 'unproven' })
  })

  it('turns its verdicts over when the reference arm changes, and for measures of which less is better', () => {
    const report = replayReport({ one: twoArms(mixed, better) })
    for (const { measures } of report.sets[0]?.queries.flatMap(({ arms }) => Object.values(arms.measured ?? {})) ?? [])
      measures.garbage = 0.9
    const verdictsOf = (against: string, arm: string) => {
      const figures = summarize(report, { against, bootstrap }).slices[0]?.arms.find(one => one.arm === arm)?.figures
      return [figures?.recall?.[AVERAGE]?.against?.verdict, figures?.garbage?.[AVERAGE]?.against?.verdict]
    }
    expect(verdictsOf('topk', 'measured')).toEqual(['helps', 'hurts'])
    expect(verdictsOf('measured', 'topk')).toEqual(['hurts', 'helps'])
  })

  it('leaves out measures without values, and queries without a value of one measure', () => {
    const report = replayReport({
      one: [
        { arms: { topk: [1, 1], measured: [1, runFigures(1, { measures: { garbage: null } })] } },
        {
          arms: {
            topk: [1, 1],
            measured: [0, 0].map(() => runFigures(0, { measures: { garbage: null } })) as [never, never],
          },
        },
      ],
    })
    const summary = summarize(report, { against: 'topk', bootstrap })
    expect(summary.measures).not.toContain('faithfulness')
    const measured = summary.slices[0]?.arms[1]?.figures
    expect(measured).not.toHaveProperty('faithfulness')
    expect(measured?.garbage?.[AVERAGE]).toMatchObject({ mean: 0.5, n: 1 })
    expect(measured?.garbage?.['1000']).toBeUndefined()
    expect(measured?.garbage?.[AVERAGE]?.against?.difference).toMatchObject({ mean: 0, n: 1 })
  })

  it('gives intervals to the main measure everywhere, and to the others where they were asked for', () => {
    const report = replayReport({ one: [{ intent: 'definition', arms: { topk: [1, 0], measured: [0, 1] } }] })
    const has = (intervals: 'average' | 'all', slice: number, measure: 'recall' | 'tokens', at: string) =>
      summarize(report, { against: 'topk', bootstrap, intervals }).slices[slice]?.arms[1]?.figures[measure]?.[at]
        ?.interval !== null
    expect([has('average', 0, 'recall', '500'), has('average', 1, 'recall', '500')]).toEqual([true, true])
    expect([has('average', 0, 'tokens', AVERAGE), has('average', 0, 'tokens', '500')]).toEqual([true, false])
    expect([has('all', 0, 'tokens', '500'), has('all', 1, 'tokens', '500')]).toEqual([true, false])
  })

  it('cuts every query into one slice by set, at most one by intent and at most one by grade', () => {
    const queries = fc.array(
      fc.record({ intent: fc.constantFrom('definition', 'procedure', undefined), recall: fc.constantFrom(0, 0.5, 1) }),
      { minLength: 1, maxLength: 6 },
    )
    fc.assert(
      fc.property(fc.array(queries, { minLength: 1, maxLength: 3 }), given => {
        const sets = given.map((set, index) => [
          `set${index}`,
          set.map(({ intent, recall }) => ({ ...(intent && { intent }), arms: { a: [recall, recall] as const } })),
        ])
        const { slices } = summarize(replayReport(Object.fromEntries(sets)), { against: 'a', bootstrap })
        const total = (by: string) => slices.filter(slice => slice.by === by).reduce((sum, { n }) => sum + n, 0)
        const all = given.flat()
        expect(slices[0]).toMatchObject({ by: 'all', n: all.length })
        expect(total('set')).toBe(given.length > 1 ? all.length : 0)
        expect(total('intent')).toBe(all.filter(({ intent }) => intent).length)
        for (const slice of slices) {
          const naive = given
            .map(set => set.filter(({ intent }) => slice.by !== 'intent' || intent === slice.value))
            .filter((set, index) => set.length > 0 && (slice.by !== 'set' || slice.value === `set${index}`))
            .map(set => set.reduce((sum, { recall }) => sum + recall, 0) / set.length)
          const mean = naive.reduce((sum, value) => sum + value, 0) / naive.length
          expect(slice.arms[0]?.figures.recall?.[AVERAGE]?.mean).toBeCloseTo(mean)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('counts latency, degraded runs, overruns and lost words of each slice', () => {
    const run = (ms: number, changes = {}) => runFigures(1, { ms, stageMs: { pack: ms / 2 }, ...changes })
    const report = replayReport({
      one: [
        { arms: { a: [run(1), run(3, { degraded: ['no_embedder'] })] } },
        { arms: { a: [run(2, { overrun: 4 }), run(4, { lost: 5 })] } },
      ],
    })
    expect(summarize(report, { against: 'a', bootstrap }).slices[0]?.arms[0]).toMatchObject({
      latency: { total: { p50: 2, p95: 4, p99: 4 }, pack: { p50: 1, p95: 2, p99: 2 } },
      degradedShare: 0.25,
      overrunShare: 0.25,
      lost: 5,
    })
  })

  it('refuses an arm that was not run', () => {
    expect(() => summarize(replayReport({ one: twoArms([1], [1]) }), { against: 'nobody' })).toThrow(RangeError)
  })
})
