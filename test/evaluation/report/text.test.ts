import { describe, expect, it } from 'vitest'
import { replayMarkdown } from '../../../src/evaluation/report/markdown/replay.ts'
import { reportText } from '../../../src/evaluation/report/text.ts'
import { summarize } from '../../../src/evaluation/summary/summarize.ts'
import { runFigures } from '../support/golden.ts'
import { type QueryFigures, replayReport } from '../support/report.ts'

const bootstrap = { resamples: 400, seed: 1, confidence: 0.95 }
const mixed = Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? 1 : 0))
const twoArms = (changes: Parameters<typeof runFigures>[1] = {}): QueryFigures[] =>
  mixed.map((recall, at) => ({
    intent: at < 10 ? 'definition' : 'procedure',
    arms: { topk: [recall, recall], measured: [at % 2 === 0 ? 1 : recall, runFigures(1, changes)] },
  }))
const report = replayReport({ set0: twoArms(), set1: [{ arms: { topk: [0, 0], measured: [1, 1] } }] })
const summary = summarize(report, { against: 'topk', bootstrap })

describe('report for terminals', () => {
  it('shows the main measure by budget, the others on average, and verdicts', () => {
    const text = reportText(summary)
    const row = text.split('\n').find(line => line.includes('measured') && line.includes('│')) ?? ''
    const cells = row.split('│').map(cell => cell.trim())
    expect(cells.filter(Boolean)).toEqual(['measured', '50.0', '100.0', '75.0'])
    expect(text).toMatch(/measured against topk: helps, \+\d\d\.\d\* \[\+\d+\.\d,\+\d+\.\d\], p/)
    expect(text).toMatch(/│ all found, % +│ +25\.0 │ +75\.0 \+50\.0\* \[/)
    expect(text).toMatch(/│ redundancy +│ +1\.10 │ +1\.10 \+0\.00 \[\+0\.00,\+0\.00\] │/)
    expect(text).toContain('set0: 40 queries')
    expect(text).toContain('all sets, with equal weights')
    expect(text).toMatch(/measured against topk: helps, .*\(set0 helps, set1 unproven\)/)
    expect(text).not.toContain('faithfulness')
    expect(text).not.toContain('exceeded')
    expect(text).not.toMatch(/NaN|undefined|-0\.0\b/)
  })

  it('shows another measure by budget, and slices, when asked', () => {
    const text = reportText(summarize(report, { against: 'topk', measure: 'tokens', bootstrap }), { by: 'intent' })
    expect(text).toMatch(/│ tokens +│ +500 │/)
    expect(text).toContain('intent definition: 10 queries')
    expect(text).toContain('intent procedure: 30 queries')
    expect(reportText(summary)).not.toContain('intent procedure')
  })

  it('fits into 120 columns with four arms and five budgets', () => {
    const wide = replayReport({
      wide: mixed.map(recall => ({
        arms: {
          baseline: [recall, recall],
          topk: [1 - recall, recall],
          measured: [recall, 1],
          'measured:reunification.expansion=0,packing.sentenceCut=false': [1, 1],
        },
      })),
    })
    const five = { ...wide, budgets: [500, 1000] }
    for (const query of five.sets[0]?.queries ?? [])
      for (const byBudget of Object.values(query.arms))
        for (const budget of [250, 2000, 4000])
          byBudget[budget] = runFigures(1, { measures: { tokens: 4000 - budget } })
    const text = reportText(
      summarize({ ...five, budgets: [250, 500, 1000, 2000, 4000] }, { against: 'topk', bootstrap }),
    )
    expect(text.split('\n').filter(line => line.length > 120)).toEqual([])
  })

  it('keeps the name of an arm whole that is longer than a line', () => {
    const long = `measured:${Array.from({ length: 8 }, (_, at) => `packing.documentCap=${at}`).join(',')}`
    const one = replayReport({ set0: [{ arms: { [long]: [1, 1], measured: [1, 1] } }] })
    const text = reportText(summarize(one, { against: long, bootstrap }))
    expect(text).toContain(`with a sign: the difference to\n  ${long},\n  and its paired 95 % interval`)
  })

  it('says when means and differences are of other runs, because an empty context has no garbage', () => {
    const measured = (garbage: number | null) => runFigures(1, { measures: { garbage, faithfulness: null } })
    const queries = [0.9, 0.8, 0.7].map(garbage => ({
      arms: {
        topk: [measured(garbage === 0.9 ? null : garbage), measured(garbage)],
        cut: [measured(garbage === 0.7 ? null : garbage), measured(garbage)],
        served: [measured(garbage), measured(null)],
      } satisfies QueryFigures['arms'],
    }))
    const garbled = summarize(replayReport({ set0: queries }), { against: 'topk', bootstrap })
    expect(garbled.slices[0]?.unpaired).toEqual({ garbage: 5 })
    const text = reportText(garbled)
    expect(text.replace(/\s+/gu, ' ')).toContain('garbage: in 5 of 6 pairs of a question and a budget only some arms')
    expect(text.split('\n').filter(line => line.length > 120)).toEqual([])
    expect(replayMarkdown(replayReport({ set0: queries }), garbled, 'stowage replay')).toContain('garbage: in 5 of 6')
    // A measure that an arm never has is left out of it, and its figures contradict nothing.
    const none: QueryFigures[] = [
      { arms: { topk: [measured(0.5), measured(0.5)], served: [measured(null), measured(null)] } },
    ]
    const clean = summarize(replayReport({ set0: none }), { against: 'topk', bootstrap })
    expect(clean.slices[0]?.unpaired).toEqual({})
    expect(reportText(summary)).not.toContain('only some arms')
  })

  it('warns of sets and slices with too few questions to prove anything', () => {
    const few = (count: number, grade: string): QueryFigures[] =>
      Array.from({ length: count }, () => ({ grade, arms: { topk: [0, 0], measured: [1, 1] } }))
    const small = summarize(replayReport({ one: few(1, 'hard'), five: few(5, 'easy'), six: few(6, 'easy') }), {
      against: 'topk',
      bootstrap,
    })
    const text = reportText(small, { by: 'grade' })
    expect(text).toContain('one: 1 question is too few to prove any difference')
    expect(text).toContain('five: 5 questions are too few to prove any difference')
    expect(text).not.toContain('six: 6 questions')
    expect(text).toContain('grade hard: 1 question is too few')
    expect(text).toContain('grade easy: 11 queries')
    expect(summary.slices[0]?.n).toBe(41)
    expect(reportText(summary)).not.toContain('set0: 40 questions')
  })

  it('warns of degraded runs, overruns, and of text that is not where it is said to be', () => {
    const broken = replayReport({ set0: twoArms({ overrun: 9, lost: 3 }) })
    if (broken.sets[0]) broken.sets[0].degraded = { no_embedder: 4 }
    const warned = reportText(summarize(broken, { against: 'topk', bootstrap }))
    expect(warned).toContain('set0: measured exceeded its budget in 50.0 % of its runs')
    expect(warned).toContain('set0: measured reported 120 packed words')
    expect(warned).toContain('set0: 4 runs are degraded: no_embedder')
  })
})
