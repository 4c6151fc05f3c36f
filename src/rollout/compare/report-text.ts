import Table from 'cli-table3'
import { CONTROL } from '../../pipeline/plan/assignment.ts'
import { counted, shownNumber } from '../../text/printable.ts'
import { lossText } from '../statistics/losses.ts'
import { MEASURE_TABLE, type MeasureName } from '../statistics/measures.ts'
import { MISMATCH_BELOW } from '../statistics/sample-ratio.ts'
import { type AdjustedLift, NAMES, pText, signed, unitOf } from '../statistics/verdict.ts'
import type { ExperimentReport, TreatmentReport } from './experiment-report.ts'
import type { PairedDifference, PairReport } from './shadow-pairs.ts'

/** Prints one experiment: a table for each treatment, the sample ratio, notes, and the verdict in one sentence. */
export function experimentText(report: ExperimentReport): string {
  const { experiment, control, treatments } = report
  const blocks = treatments.map(treatment => treatmentText(treatment, report))
  if (treatments.length === 0) blocks.push('no requests of a treatment\n')
  const head = `experiment ${experiment}: control ${counts(control)}`
  const notes = notesOf(report)
  return [
    `${head}\n`,
    ...blocks,
    ratioText(report),
    ...notes.map(note => `note: ${note}\n`),
    ...treatments.map(({ variant, verdict, reason }) => `verdict for ${variant}: ${verdict}: ${reason}\n`),
  ].join('')
}

/** Prints the differences within shadow pairs. */
export function pairsText(report: PairReport): string {
  const { experiment, variant, pairs, differences } = report
  const table = newTable(['per request', 'answer', 'shadow run', 'difference', '95 % interval', 'p'])
  for (const difference of differences) table.push(pairRow(difference))
  const notes = pairNotes(report).map(note => `note: ${note}\n`)
  return `shadow ${experiment}=${variant}: ${shownNumber(pairs)} pairs\n${table}\n${notes.join('')}`
}

function pairNotes({ pairs, unlikeDegraded, treated }: PairReport): string[] {
  const of = (count: number) => `${shownNumber(count)} of ${shownNumber(pairs)}`
  return [
    'a shadow run waits for requests of clients and may reuse what was fetched, so compare its seconds with care',
    ...(unlikeDegraded > 0
      ? [`in ${of(unlikeDegraded)} pairs the two runs differ in their degradations, and not in their plans alone`]
      : []),
    ...(treated > 0 ? [`${of(treated)} answers had the treatment of an experiment, and so had their shadow runs`] : []),
  ]
}

function treatmentText({ variant, lifts, ...treatment }: TreatmentReport, { failures }: ExperimentReport): string {
  const table = newTable(['', CONTROL, variant, 'lift', '95 % interval', 'p (Holm)', 'units needed'])
  if (failures === 'none') table.push([NAMES.failed_share, 'unknown', 'unknown', '', '', '', ''])
  for (const lift of lifts) table.push(liftRow(lift))
  return `${variant} ${counts(treatment)}\n${table}\n`
}

function liftRow({ measure, control, treatment, lift, low, high, adjustedP, needed }: AdjustedLift): string[] {
  const unit = unitOf(measure)
  return [
    NAMES[measure],
    valueText(measure, control),
    valueText(measure, treatment),
    `${signed(lift)} ${unit}`,
    `${signed(low)} to ${signed(high)} ${unit}`,
    pText(adjustedP),
    needed === null ? (MEASURE_TABLE[measure].trigger === null ? '' : 'unknown') : shownNumber(needed),
  ]
}

function pairRow({ measure, control, treatment, mean, low, high, p }: PairedDifference): string[] {
  const digits = { tokens: 1, recall_proxy: 3, seconds: 3, overlap: 3 }[measure]
  const text = (value: number) => value.toFixed(digits)
  const withSign = (value: number) => `${value < 0 ? '' : '+'}${text(value)}`
  if (control === null || treatment === null) return [measure, '', '', text(mean), `${text(low)} to ${text(high)}`, '']
  const interval = `${withSign(low)} to ${withSign(high)}`
  return [measure.replace('_', ' '), text(control), text(treatment), withSign(mean), interval, pText(p ?? 1)]
}

function ratioText({ sampleRatio }: ExperimentReport): string {
  if (sampleRatio === null) return 'units: the declared shares are unknown; tell them with --share to check the split\n'
  const units = sampleRatio.ratios.map(
    ({ variant, units, expected }) =>
      `${variant} ${shownNumber(units)} (${shownNumber(Math.round(expected))} expected)`,
  )
  const { p } = sampleRatio
  const result =
    p === null
      ? 'too few for a test of the split'
      : `p ${pText(p)}, ${p < MISMATCH_BELOW ? 'SAMPLE-RATIO MISMATCH' : 'no sample-ratio mismatch'}`
  return `units: ${units.join(', ')}; ${result}\n`
}

function notesOf(report: ExperimentReport): string[] {
  const { failures, beforeChange, whileControlOnly, fromCache, keptShare, duplicates, losses } = report
  const { unitsInSeveralVariants } = report
  return [
    FAILURE_NOTES[failures],
    losses.variants.some(({ lost }) => lost > 0)
      ? `the server could not write the traces of its busiest moments, and the figures leave them out: ${lossText(losses)}`
      : '',
    beforeChange > 0 ? `left out: ${counted(beforeChange, 'request')} from before the shares changed` : '',
    whileControlOnly > 0 ? `left out: ${counted(whileControlOnly, 'request')} while everyone got the control` : '',
    fromCache > 0
      ? `${counted(fromCache, 'answer', 'answers')} came from the cache, so seconds and failed share are those of the other requests`
      : '',
    unitsInSeveralVariants > 0
      ? `${counted(unitsInSeveralVariants, 'unit was', 'units were')} in more than one variant`
      : '',
    keptShare < 1 ? `too many requests for the memory: a random 1/${1 / keptShare} of the units is compared` : '',
    duplicates > 0
      ? `${counted(duplicates, 'request was read twice and counts', 'requests were read twice and count')} once`
      : '',
  ].filter(note => note !== '')
}

const FAILURE_NOTES: Readonly<Record<ExperimentReport['failures'], string>> = {
  all: '',
  'late searches':
    'the failed share counts searches that were late; other failures leave no trace, and the running server knows them (--url)',
  none: 'a failed request leaves no trace, so the failed share is unknown; the running server knows it (--url)',
}

const counts = ({ requests, units }: { requests: number; units: number }) =>
  `${counted(requests, 'request')} of ${counted(units, 'unit')}`

function valueText(measure: MeasureName, value: number): string {
  if (measure === 'failed_share') return `${(100 * value).toFixed(2)} %`
  if (measure === 'recall_proxy') return value.toFixed(3)
  return measure === 'tokens' ? shownNumber(Math.round(value)) : `${value.toPrecision(3)} s`
}

function newTable(head: string[]): Table.Table {
  return new Table({ head, style: { head: [], border: [] } })
}
