import { groupBy } from '../../core/collections.ts'
import { badRequest } from '../../core/errors.ts'
import { CONTROL, isControlOnly } from '../../pipeline/plan/assignment.ts'
import { holm } from '../../statistics/holm.ts'
import { compareLosses, type Losses } from '../statistics/losses.ts'
import { liftsOf, meanOfColumn } from '../statistics/measures.ts'
import { type SampleRatio, sampleRatio } from '../statistics/sample-ratio.ts'
import { type AdjustedLift, type Verdict, verdictOf } from '../statistics/verdict.ts'
import { columnsOf, type OutcomeTable, type Row } from './outcome-table.ts'

export interface TreatmentReport extends Verdict {
  variant: string
  requests: number
  units: number
  lifts: AdjustedLift[]
}

export interface ExperimentReport {
  experiment: string
  control: { requests: number; units: number }
  treatments: TreatmentReport[]
  /** Null when the declared shares are unknown. */
  sampleRatio: { ratios: SampleRatio[]; p: number | null } | null
  /** Traces that the server could not write. */
  losses: Losses
  /** Which failed requests the source tells of: a trace tells of a search that was late, and of no other failure. */
  failures: 'all' | 'late searches' | 'none'
  /** Requests before the shares changed for the last time. They are left out. */
  beforeChange: number
  /** Requests in which everyone got the control. They are left out. */
  whileControlOnly: number
  /** Requests that were answered from the cache. They have no seconds. */
  fromCache: number
  /** Units that were seen in more than one variant. */
  unitsInSeveralVariants: number
  keptShare: number
  duplicates: number
}

/**
 * Compares the treatments of one experiment with its control.
 * @param share of each treatment, in place of what the requests say
 * @throws StowageError `bad_request` when the shares leave nothing for the control
 */
export function experimentReport(experiment: string, table: OutcomeTable, share: number | null): ExperimentReport {
  const offered = table.rows.filter(row => !isControlOnly(row))
  const changed = share === null ? lastChange(offered) : Number.NEGATIVE_INFINITY
  const rows = offered.filter(({ at }) => at > changed)
  const variants = groupBy(rows, ({ variant }) => variant)
  const control = variants.get(CONTROL) ?? []
  const treatments = [...variants.keys()].filter(variant => variant !== CONTROL).sort()
  if (share !== null && share * treatments.length >= 1)
    throw badRequest(
      `${experiment} has ${treatments.length} treatments, and a share of ${share} for each leaves nothing for the control`,
    )
  const ratio = ratioOf(variants, share)
  const losses = lossesOf(variants, table, changed)
  const columns = columnsOf(control)
  const compared = treatments.map(variant => {
    const own = columnsOf(variants.get(variant) ?? [])
    return { variant, own, lifts: control.length === 0 ? [] : liftsOf(own, columns) }
  })
  const adjusted = holm(compared.flatMap(({ lifts }) => lifts.map(({ p }) => p)))
  return {
    experiment,
    control: { requests: control.length, units: unitsOf(control) },
    treatments: compared.map(({ variant, own, lifts }) => {
      const units = new Set(own.unit).size
      const adjustedLifts = lifts.map(lift => ({ ...lift, adjustedP: adjusted.shift() ?? 1 }))
      const facts = {
        sampleRatioP: ratio?.p ?? null,
        losses,
        lifts: adjustedLifts,
        units,
        effectiveUnits: Math.min(...[own, columns].map(sizesOf)),
      }
      return { variant, requests: own.unit.length, units, lifts: adjustedLifts, ...verdictOf(facts) }
    }),
    sampleRatio: ratio,
    losses,
    failures: failuresIn(rows),
    beforeChange: offered.length - rows.length,
    whileControlOnly: table.rows.length - offered.length,
    fromCache: rows.filter(({ seconds }) => Number.isNaN(seconds)).length,
    unitsInSeveralVariants: [...groupBy(rows, ({ unit }) => unit).values()].filter(([first, ...others]) =>
      others.some(({ variant }) => variant !== first?.variant),
    ).length,
    keptShare: table.keptShare,
    duplicates: table.duplicates,
  }
}

/**
 * The time of the last request before the last change of a share, or -Infinity. Before and after it the variants have different parts of the traffic, so pooling both would
 * compare different times (Simpson's paradox).
 */
function lastChange(rows: readonly Row[]): number {
  let changed = Number.NEGATIVE_INFINITY
  for (const ofVariant of groupBy(rows, ({ variant }) => variant).values()) {
    const latest = ofVariant.reduce((last, row) => (row.at > last.at ? row : last))
    for (const { share, at } of ofVariant) if (share !== latest.share && at > changed) changed = at
  }
  return changed
}

function lossesOf(variants: ReadonlyMap<string, readonly Row[]>, table: OutcomeTable, changed: number): Losses {
  const lost = groupBy(
    table.losses.filter(({ at }) => at > changed),
    ({ variant }) => variant,
  )
  const names = [...new Set([...variants.keys(), ...lost.keys()])]
  return compareLosses(
    names.map(variant => ({
      variant,
      read: Math.round((variants.get(variant)?.length ?? 0) / table.keptShare),
      lost: (lost.get(variant) ?? []).reduce((sum, { requests }) => sum + requests, 0),
    })),
  )
}

function ratioOf(variants: ReadonlyMap<string, readonly Row[]>, told: number | null) {
  const treatments = [...variants.keys()].filter(variant => variant !== CONTROL).length
  const counts = [...variants].map(([variant, rows]) => ({
    variant,
    units: unitsOf(rows),
    share: told === null ? (rows[0]?.share ?? null) : variant === CONTROL ? 1 - told * treatments : told,
  }))
  if (counts.length === 0 || counts.some(({ share }) => share === null)) return null
  return sampleRatio(counts.map(count => ({ ...count, share: count.share ?? 0 })))
}

function failuresIn(rows: readonly Row[]): ExperimentReport['failures'] {
  const told = rows.filter(({ failed }) => Number.isFinite(failed))
  // Traces have ids, and outcomes of a server have none.
  if (told.some(({ id }) => Number.isNaN(id))) return 'all'
  return told.length > 0 ? 'late searches' : 'none'
}

const unitsOf = (rows: readonly Row[]) => new Set(rows.map(({ unit }) => unit)).size

/** Effective number of units by all requests, also by those that a measure has no value of. */
function sizesOf(columns: ReturnType<typeof columnsOf>): number {
  return meanOfColumn({ ...columns, failed: columns.unit.map(() => 0) }, 'failed', 0).effectiveUnits
}
