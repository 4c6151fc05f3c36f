import { describe, expect, it } from 'vitest'
import type { QueryResult, ReplayReport } from '../../../src/evaluation/replay/replay.ts'
import { reportJson, reportText } from '../../../src/evaluation/replay/report.ts'
import type { RunFigures } from '../../../src/evaluation/replay/run-metrics.ts'
import { summarize } from '../../../src/evaluation/replay/summary.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'

const figures = (recall: number, changes: Partial<RunFigures> = {}): RunFigures => ({
  recall,
  all: Math.floor(recall),
  covered: recall,
  garbage: 0.5,
  redundancy: 1.1,
  tokens: 400,
  overrun: 0,
  lost: 0,
  ms: 3,
  stageMs: { pack: 1 },
  chunkIds: [],
  ...changes,
})

function reportOf(recalls: { topk: number[]; measured: number[] }[], changes: Partial<RunFigures> = {}): ReplayReport {
  return {
    version: 1,
    budgets: [500, 1000],
    chunkTokens: 200,
    arms: ['topk', 'measured'].map(name => ({ name, planFingerprint: `print-${name}`, plan: NAMED_PLANS.measured })),
    sets: recalls.map(({ topk, measured }, index) => ({
      name: `set${index}`,
      hash: 'h',
      documents: 1,
      chunks: 2,
      embedder: null,
      degraded: (index === 0 ? { no_embedder: 4 } : {}) as Record<string, number>,
      queries: topk.map(
        (recall, at): QueryResult => ({
          id: `q${at}`,
          query: '?',
          intent: null,
          grade: null,
          golds: 1,
          arms: {
            topk: { 500: figures(recall), 1000: figures(recall) },
            measured: { 500: figures(measured[at] ?? 0), 1000: figures(1, changes) },
          },
        }),
      ),
    })),
  }
}

const mixed = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? 1 : 0))
const better = mixed.map((recall, index) => (index % 2 === 0 ? 1 : recall))

describe('summary of a replay', () => {
  it('averages over budgets inside a query, over queries, then over sets', () => {
    const report = reportOf([
      { topk: mixed, measured: better },
      { topk: [0], measured: [1] },
    ])
    const { sets, macro } = summarize(report, 'topk')
    const [, measured] = sets[0]?.arms ?? []
    expect(measured?.budgets['500']?.recall).toBeCloseTo(0.5)
    expect(measured?.average.recall).toBeCloseTo(0.75)
    expect(measured?.average.against?.difference.mean).toBeCloseTo(0.5)
    expect(measured?.average.against?.verdict).toBe('helps')
    expect(macro[0]).toMatchObject({ arm: 'topk', against: null })
    expect(macro[1]?.average).toBeCloseTo((0.75 + 1) / 2)
    expect(macro[1]?.against?.difference).toMatchObject({ n: 41 })
    expect(macro[1]?.against?.difference.mean).toBeCloseTo((0.5 + 1) / 2)
  })

  it('sees no difference between an arm and its twin', () => {
    const { macro } = summarize(reportOf([{ topk: mixed.map(() => 1), measured: mixed.map(() => 1) }]), 'topk')
    expect(macro[1]?.against).toEqual({
      difference: { mean: 0, low: 0, high: 0, n: 40, nonZero: 0 },
      p: 1,
      adjustedP: 1,
      smallestEffect: null,
      verdict: 'unproven',
    })
  })

  it('turns its verdicts over when the reference arm changes', () => {
    const report = reportOf([{ topk: mixed, measured: better }])
    const { macro } = summarize(report, 'measured')
    expect(macro.find(({ arm }) => arm === 'topk')?.against?.verdict).toBe('hurts')
  })

  it('refuses an arm that was not run', () => {
    expect(() => summarize(reportOf([{ topk: [1], measured: [1] }]), 'nobody')).toThrow(RangeError)
  })
})

describe('report of a replay', () => {
  const report = reportOf([
    { topk: mixed, measured: better },
    { topk: [0, 1], measured: [1, 1] },
  ])
  const text = reportText(report, summarize(report, 'topk'))

  it('shows recall with differences and intervals, garbage, redundancy, latency, verdict words', () => {
    const row = text.split('\n').find(line => line.includes('measured') && line.includes('│')) ?? ''
    expect(
      row
        .split('│')
        .map(cell => cell.trim())
        .filter(Boolean),
    ).toEqual(['measured', '50.0', '100.0', '75.0', '75.0', '0.500', '1.10', '-', '3.0', '3.0'])
    expect(text).toMatch(/\+50\.0 \[\+\d+\.\d,\+\d+\.\d\]\*/)
    expect(text).toContain('set0: 40 queries')
    expect(text).toContain('all sets, with equal weights')
    expect(text).toMatch(/measured against topk: helps, .*\(set0 helps, set1 unproven\)/)
    expect(text).toContain('set0: 4 runs are degraded: no_embedder')
    expect(text).not.toContain('exceeded')
    expect(text).not.toContain('NaN')
  })

  it('warns of overruns and of text that is not where it is said to be', () => {
    const broken = reportOf([{ topk: mixed, measured: better }], { overrun: 9, lost: 3 })
    const warned = reportText(broken, summarize(broken, 'topk'))
    expect(warned).toContain('set0: measured exceeded its budget in 50.0 % of its runs')
    expect(warned).toContain('set0: measured reported 120 packed tokens')
  })

  it('keeps everything in JSON: plans, seeds, n, and every query', () => {
    const json = JSON.parse(reportJson(report, summarize(report, 'topk')))
    expect(json.arms[1].planFingerprint).toBe('print-measured')
    expect(json.summary.bootstrap.seed).toBeTypeOf('number')
    expect(json.summary.macro[1].against.difference.n).toBe(42)
    expect(json.sets[0].queries[0].arms.measured['1000'].recall).toBe(1)
  })
})
