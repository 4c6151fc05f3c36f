import { counted } from '../../text/printable.ts'
import type { ReplaySummary, SliceSummary } from '../summary/summary.ts'

/** With fewer questions, no paired randomization test has a two-sided p below .05: of all signs of five differences, two are as far from 0. */
const LEAST_QUESTIONS = 6

/** What a reader must know when there are too few questions for any proof; empty when there are enough. */
export function fewQuestions(questions: number): string[] {
  if (questions >= LEAST_QUESTIONS) return []
  const count = counted(questions, 'question is', 'questions are')
  return [`${count} too few to prove any difference, and intervals and smallest effects mean nothing`]
}

/** What a reader must know before believing the figures: too few questions, cut contexts, text that is not where it is said to be, and degraded runs. */
export function warningsOf(summary: ReplaySummary): string[] {
  return [
    ...setSlices(summary).flatMap(({ value, n, arms }) => [
      ...fewQuestions(n).map(warning => `${value}: ${warning}`),
      ...arms.flatMap(({ arm, overrunShare, lost }) => {
        const share = (overrunShare * 100).toFixed(1)
        return [
          ...(overrunShare > 0
            ? [`${value}: ${arm} exceeded its budget in ${share} % of its runs and was cut at the end`]
            : []),
          ...(lost > 0 ? [`${value}: ${arm} reported ${lost} packed words that are not in its contexts`] : []),
        ]
      }),
    ]),
    ...summary.sets.flatMap(({ name, degraded }) =>
      Object.entries(degraded).map(([code, runs]) => `${name}: ${runs} runs are degraded: ${code}`),
    ),
  ]
}

/** The slices by set; for a single set, all queries under its name. */
export function setSlices({ sets, slices }: ReplaySummary): SliceSummary[] {
  const bySet = slices.filter(({ by }) => by === 'set')
  return bySet.length > 0 ? bySet : slices.slice(0, 1).map(all => ({ ...all, value: sets[0]?.name ?? '' }))
}
