import type { RollbackTrigger } from '../../core/vocabulary.ts'
import { changeOf, differenceOf, type Lift, neededUnits, quantileChangeOf } from './lift.ts'
import { clusteredQuantile } from './quantile.ts'
import { TRIGGER_HARM, UNIT_DEVIATION } from './triggers.ts'
import { type Estimate, meanOf, sumsOf } from './unit-sums.ts'

/** The requests of one variant, as columns. NaN stands where a request has no value, or the source does not tell. */
export interface VariantColumns {
  /** Number of the unit of each request. */
  unit: number[]
  /** 1 or 0. */
  failed: number[]
  seconds: number[]
  recallProxy: number[]
  tokens: number[]
}

export const MEASURES = ['failed_share', 'p50_seconds', 'p95_seconds', 'recall_proxy', 'tokens'] as const
export type MeasureName = (typeof MEASURES)[number]

interface Measure {
  /** `relative`: lifts are shares of the control. `absolute`: lifts are differences. */
  scale: 'absolute' | 'relative'
  /** 1: more is worse; -1: less is worse; 0: neither, so the measure is shown and not judged. */
  harm: 1 | -1 | 0
  trigger: RollbackTrigger | null
}

export const MEASURE_TABLE: Readonly<Record<MeasureName, Measure>> = {
  failed_share: { scale: 'absolute', harm: 1, trigger: 'error_rate' },
  p50_seconds: { scale: 'relative', harm: 1, trigger: null },
  p95_seconds: { scale: 'relative', harm: 1, trigger: 'latency' },
  recall_proxy: { scale: 'absolute', harm: -1, trigger: 'recall_proxy' },
  tokens: { scale: 'relative', harm: 0, trigger: null },
}

export interface MeasuredLift extends Lift {
  measure: MeasureName
  /** Units of the treatment that would show the harm of the trigger with 80 % power; null without a trigger, or when it is unknown. */
  needed: number | null
}

/** Compares a treatment with the control in every measure. A measure of which a variant has no values is left out. */
export function liftsOf(treatment: VariantColumns, control: VariantColumns): MeasuredLift[] {
  const units = new Set(treatment.unit).size
  return MEASURES.flatMap(measure => {
    const lift = liftOf(measure, treatment, control)
    return lift === null || !Number.isFinite(lift.lift)
      ? []
      : [{ measure, ...lift, needed: needed(measure, lift, units) }]
  })
}

function liftOf(measure: MeasureName, treatment: VariantColumns, control: VariantColumns): Lift | null {
  if (measure === 'p50_seconds' || measure === 'p95_seconds') {
    const share = measure === 'p50_seconds' ? 0.5 : 0.95
    const [ours, theirs] = [quantileOf(treatment, share), quantileOf(control, share)]
    return ours && theirs && quantileChangeOf(ours, theirs)
  }
  if (measure === 'tokens') return changeOf(meanOfColumn(treatment, 'tokens', 0), meanOfColumn(control, 'tokens', 0))
  const [column, deviation] =
    measure === 'failed_share'
      ? (['failed', UNIT_DEVIATION.failed] as const)
      : (['recallProxy', UNIT_DEVIATION.recallProxy] as const)
  return differenceOf(meanOfColumn(treatment, column, deviation), meanOfColumn(control, column, deviation))
}

function needed(measure: MeasureName, { error }: Lift, units: number): number | null {
  const { trigger, scale } = MEASURE_TABLE[measure]
  if (trigger === null || !Number.isFinite(error)) return null
  const effect = scale === 'relative' ? Math.log1p(TRIGGER_HARM[trigger]) : TRIGGER_HARM[trigger]
  return neededUnits(units, error, effect)
}

function quantileOf(columns: VariantColumns, share: number) {
  const { values, units } = measured(columns, 'seconds')
  return clusteredQuantile(values, units, share)
}

/** The mean of a column over its requests; see `meanOf`. */
export function meanOfColumn(
  columns: VariantColumns,
  name: 'failed' | 'recallProxy' | 'tokens',
  deviation: number,
): Estimate {
  const { values, units } = measured(columns, name)
  return meanOf(sumsOf(values, units), deviation)
}

/** The rows that have a value. */
function measured(columns: VariantColumns, name: Exclude<keyof VariantColumns, 'unit'>) {
  const values = columns[name].filter(Number.isFinite)
  const units = columns.unit.filter((_, row) => Number.isFinite(columns[name][row]))
  return { values, units }
}
