import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codesOf, VERDICTS } from '../../../src/core/vocabulary.ts'
import { SPLITS } from '../../../src/evaluation/golden-set/split.ts'
import type { JudgedQuestion } from '../../../src/evaluation/verdicts/ask.ts'
import { GROUP_NAMES, type QuestionGroup } from '../../../src/evaluation/verdicts/questions.ts'
import { verdictsText } from '../../../src/evaluation/verdicts/report.ts'
import { suggest } from '../../../src/evaluation/verdicts/suggest.ts'
import { verdictsOf } from '../../../src/evaluation/verdicts/verdicts.ts'
import { verdictOf } from '../../../src/pipeline/confidence/answerable.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'

const { measured } = NAMED_PLANS
const ARM = { name: 'measured', plan: measured }

function judged(group: QuestionGroup, at: number, probability: number, isPartial = false): JudgedQuestion {
  return {
    ...{ group, id: `${group}-${at}`, query: '?', split: SPLITS[at % 2] ?? 'train', probability, isPartial },
    verdict: verdictOf(probability, measured.verdict, isPartial),
  }
}

const many = (group: QuestionGroup, probabilities: readonly number[]) =>
  probabilities.map((probability, at) => judged(group, at, probability))
/** `length` probabilities around a middle. */
const around = (middle: number, length: number) =>
  Array.from({ length }, (_, at) => middle + (at - length / 2) / (10 * length))

describe('the suggested thresholds', () => {
  it('are right for nearly all questions of a set that is easy to tell, and each half shows it', () => {
    const questions = [...many('answered', around(0.6, 60)), ...many('without', around(0.3, 60))]
    const { uncertain, inDocuments, thresholds } = suggest(questions, measured.verdict)
    expect(uncertain?.wrong.share).toBeLessThanOrEqual(0.05)
    expect(inDocuments?.wrong.share).toBeLessThanOrEqual(0.05)
    expect([uncertain?.isRefuted, inDocuments?.isRefuted]).toEqual([false, false])
    // They cross: every golden question is above all others.
    expect([uncertain?.threshold, inDocuments?.threshold]).toEqual([0.55, 0.35])
    expect(thresholds).toEqual({ uncertain: 0.35, inDocuments: 0.55 })
  })

  it('keep their promises in any case, in order, and judge each half by the other one', () => {
    const share = fc.integer({ min: 0, max: 10_000 }).map(value => value / 10_000)
    const group = fc.constantFrom(...GROUP_NAMES)
    const questions = fc
      .array(fc.tuple(group, share, fc.boolean()), { maxLength: 300 })
      .map(rows => rows.map(([of, probability, isPartial], at) => judged(of, at, probability, isPartial)))
    fc.assert(
      fc.property(questions, given => {
        const { uncertain, inDocuments, thresholds } = suggest(given, measured.verdict)
        const of = (wanted: string | undefined) => given.filter(one => one.group === wanted)
        if (uncertain && thresholds) {
          const lost = of('answered').filter(({ probability }) => probability < thresholds.uncertain)
          expect(lost.length).toBeLessThanOrEqual(0.05 * of('answered').length)
        }
        if (inDocuments && thresholds) {
          const through = of(inDocuments.group).filter(({ probability }) => probability >= thresholds.inDocuments)
          expect(through.length).toBeLessThanOrEqual(0.05 * of(inDocuments.group).length)
          expect(['without', 'unanswerable']).toContain(inDocuments.group)
        }
        if (thresholds) expect(thresholds.uncertain).toBeLessThanOrEqual(thresholds.inDocuments)
        expect(thresholds === null).toBe(uncertain === null && inDocuments === null)
        for (const choice of [uncertain, inDocuments]) {
          if (choice === null) continue
          const own = of(choice.group)
          expect(choice.halves.map(({ questions }) => questions)).toEqual(
            ['test', 'train'].map(split => own.filter(one => one.split === split).length),
          )
          expect(choice.wrong.share).toBeCloseTo(choice.halves.reduce((sum, { wrong }) => sum + wrong, 0) / own.length)
        }
      }),
    )
  })

  it('take questions that were written without an answer before golden ones without their documents, when they are enough', () => {
    const without = many('without', around(0.6, 60))
    const withWritten = (length: number) =>
      suggest([...without, ...many('unanswerable', around(0.3, length))], measured.verdict).inDocuments
    expect(withWritten(38)).toMatchObject({ group: 'unanswerable', threshold: 0.35 })
    expect(withWritten(37)).toMatchObject({ group: 'without', threshold: 0.65 })
  })

  it('say nothing of a handful of questions, nor from questions about something else', () => {
    const questions = [...many('answered', around(0.6, 37)), ...many('other', around(0.05, 200))]
    const report = verdictsOf({ name: 'few' }, ARM, questions)
    expect(report.suggestion).toEqual({ uncertain: null, inDocuments: null, thresholds: null })
    const text = verdictsText(report)
    expect(text.match(/too few questions to say: each half needs 19/gu)).toHaveLength(2)
    expect(text).not.toContain('VERDICT_UNCERTAIN')
  })

  it('are refuted by halves that differ', () => {
    const questions = many(
      'answered',
      Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 0.9 : 0.1)),
    )
    const report = verdictsOf({ name: 'halves' }, ARM, questions)
    expect(report.suggestion.uncertain).toMatchObject({ threshold: 0.1, wrong: { share: 0.5 }, isRefuted: true })
    expect(verdictsText(report)).toContain('the halves differ, so add questions before you trust it')
  })
})

describe('the report of verdicts', () => {
  it('counts every question once, by the thresholds of before and by the suggested ones', () => {
    const questions = [
      ...many('answered', around(0.6, 60)),
      ...many('without', around(0.3, 60)),
      ...Array.from({ length: 4 }, (_, at) => judged('other', at, 0.05, at === 0)),
    ]
    const { groups } = verdictsOf({ name: 'counted' }, ARM, questions)
    expect(groups.map(({ group, questions }) => [group, questions])).toEqual([
      ['answered', 60],
      ['without', 60],
      ['other', 4],
    ])
    for (const { questions: of, verdicts, suggested } of groups)
      for (const counts of [verdicts, suggested])
        expect(codesOf(VERDICTS).reduce((sum, code) => sum + (counts?.[code] ?? 0), 0)).toBe(of)
    expect(groups.map(one => one.auroc)).toEqual([null, 1, 1])
    // A question whose documents were looked at in part is never denied.
    expect(groups[2]?.suggested).toEqual({ in_documents: 0, uncertain: 1, not_in_documents: 3 })
  })

  it('says which questions were left out and why, what is degraded, and what to paste', () => {
    const questions = [
      ...many('answered', around(0.6, 60)),
      ...many('unanswerable', around(0.3, 60)),
      judged('answered', 60, 0.6, true),
    ]
    const text = verdictsText(verdictsOf({ name: 'told' }, ARM, questions))
    expect(text).toContain('told under measured, in_documents from 0.75, uncertain from 0.22')
    expect(text).toContain('left out, something else: the set has questions of isharoth itself')
    expect(text).toContain('left out, golden questions without their documents: only the documents of a folder')
    expect(text).toContain('1 question was answered from a part of the documents')
    expect(text).toContain('overrides of an arm: verdict.inDocuments=0.55,verdict.uncertain=0.35')
    expect(text).toContain('VERDICT_IN_DOCUMENTS=0.55 VERDICT_UNCERTAIN=0.35')
  })
})
