import Table from 'cli-table3'
import type { Comparison } from '../../statistics/comparison.ts'
import { type MeasureName, signOf } from '../metrics/measures.ts'
import { differenceText, signedText, titleOf } from '../report/numbers.ts'
import { planFileText } from './plan-file.ts'
import type { TuneReport } from './tune.ts'

/** Prints the search, the chosen plan, and what the held-out queries say of it. */
export function tuneText(report: TuneReport): string {
  const { start, measure, budgets, rungs, candidates, queries, best } = report
  const search = `${candidates} plans around ${start.name} on ${queries.train} train queries, for ${titleOf(measure)} at ${budgets.join(', ')} tokens`
  const steps = rungs.map(({ candidates: count, share }) => `${count} on ${Math.round(share * 100)} %`).join(', then ')
  const head = `${search}\nplans measured: ${steps} of the train queries`
  if (best === null) return `${head}\n\n${verdictText(report)}\n`
  const { difference, error } = best.train
  // The search turns differences so that more is better.
  const ofTrain = signedText(measure, difference * signOf(measure))
  return `${[
    head,
    `chosen plan:\n${planFileText(best.plan).trimEnd()}`,
    `train half: ${ofTrain}, standard error ${signedText(measure, error).slice(1)}; the search has seen it, so this figure is too good`,
    `held-out half, ${queries.test} queries: tuned minus ${start.name}\n${tableOf(measure, best.heldOut)}`,
    `* = the 95 % interval and the randomization test agree. Only ${titleOf(measure)} was tuned; p values of the other measures are not adjusted for their number.`,
    verdictText(report),
  ].join('\n\n')}\n`
}

/** Whether the held-out queries show that the chosen plan is better than the start plan. */
export function isProven({ best, measure }: TuneReport): boolean {
  return best?.heldOut.measures.get(measure)?.verdict === 'helps'
}

function verdictText({ start, measure, best }: TuneReport): string {
  const keep = `keep ${start.name}`
  if (best === null)
    return `No plan is better than ${start.name} on the train half by more than one standard error: ${keep}.`
  const comparison = best.heldOut.measures.get(measure)
  if (comparison === undefined) return `The held-out half has no value of ${titleOf(measure)}: ${keep}.`
  const figure = `${differenceText(measure, comparison)}, p ${comparison.p.toFixed(4)}`
  if (comparison.verdict === 'helps') return `The plan improves the held-out half: ${titleOf(measure)} ${figure}.`
  if (comparison.verdict === 'hurts')
    return `The plan makes the held-out half worse: ${titleOf(measure)} ${figure}; ${keep}.`
  return `The plan shows no improvement on the held-out half: ${titleOf(measure)} ${figure}; ${keep}.`
}

function tableOf(measure: MeasureName, { measures, sets }: NonNullable<TuneReport['best']>['heldOut']): string {
  const table = new Table({ head: ['measure', 'difference', 'p', 'queries'], style: { head: [], border: [] } })
  const row = (name: string, of: MeasureName, comparison: Comparison) =>
    table.push([name, differenceText(of, comparison), comparison.p.toFixed(4), comparison.difference.n])
  for (const [name, comparison] of measures) row(`${name === measure ? '> ' : ''}${titleOf(name)}`, name, comparison)
  for (const [set, comparison] of sets) row(`${titleOf(measure)} of ${set}`, measure, comparison)
  return table.toString()
}
