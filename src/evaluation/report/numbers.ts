import type { Comparison } from '../../statistics/comparison.ts'
import { MEASURES, type MeasureName } from '../metrics/measures.ts'
import type { SliceSummary } from '../summary/summary.ts'

/** The name of a measure with its unit, as the head of a column. */
export function titleOf(measure: MeasureName): string {
  const { title, unit } = MEASURES[measure]
  return unit === 'share' ? `${title}, %` : title
}

/** A value in the unit of the measure, without the unit: shares in percent. */
export function valueText(measure: MeasureName, value: number): string {
  const { unit } = MEASURES[measure]
  if (unit === 'share') return (value * 100).toFixed(1)
  return unit === 'ratio' ? value.toFixed(2) : value.toFixed(0)
}

/** A difference with its sign, for example `+1.2`; shares in points. */
export function signedText(measure: MeasureName, difference: number): string {
  const text = valueText(measure, difference)
  return text.startsWith('-') ? text : `+${text}`
}

/** A difference with a star when it helps or hurts, and its interval: `+1.2* [+0.3,+2.0]`. */
export function differenceText(measure: MeasureName, { difference, verdict }: Comparison, separator = ' '): string {
  const { mean, low, high } = difference
  const [middle, from, to] = [mean, low, high].map(value => signedText(measure, value))
  return `${middle}${verdict === 'unproven' ? '' : '*'}${separator}[${from},${to}]`
}

/** Says of measures that some arms have no value where others have one. Their means and differences are of other runs then. */
export function unpairedLines({ n, unpaired }: SliceSummary, budgets: readonly number[]): string[] {
  return Object.entries(unpaired).map(([measure, count]) => {
    const where = `${count} of ${n * budgets.length} pairs of a question and a budget`
    return `${MEASURES[measure as MeasureName].title}: in ${where} only some arms have a value. A mean leaves such a run out and a difference leaves the pair out, so the two can disagree.`
  })
}

/** Joins the parts of a report with empty lines between them; empty parts are left out. */
export function reportOf(parts: readonly string[]): string {
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

/** Milliseconds, with a decimal below 10. */
export function millisecondsText(value: number | undefined): string {
  return value === undefined ? '-' : value < 10 ? value.toFixed(1) : value.toFixed(0)
}

/** A p value with three decimals. */
export function pText(p: number): string {
  return p < 0.001 ? '<.001' : p.toFixed(3).replace(/^0/u, '')
}
