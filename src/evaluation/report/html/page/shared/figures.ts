import type { MeasureFacts, QueryRow, ReportData } from '../../report-data.ts'

type Unit = MeasureFacts['unit'] | 'ms' | 'count'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

export function withThousands(value: number): string {
  return whole.format(value)
}

/** A value with its unit, for example `77.4 %`. */
export function shown(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–'
  if (unit === 'share') return `${(value * 100).toFixed(1)} %`
  if (unit === 'ratio') return value.toFixed(2)
  if (unit === 'ms') return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
  return withThousands(value)
}

/** A difference with its sign, in percentage points for shares. */
export function shownDifference(value: number | null, unit: Unit): string {
  if (value === null) return '–'
  const size = Math.abs(value)
  const digits = unit === 'share' ? (size * 100).toFixed(1) : unit === 'ratio' ? size.toFixed(2) : size.toFixed(0)
  return `${Number(digits) === 0 ? '±' : value > 0 ? '+' : '−'}${digits}`
}

/** What differences of a measure are counted in. */
export function differenceUnit(unit: Unit): string {
  return unit === 'share' ? 'percentage points' : unit
}

/** The unit for the label of an axis. */
export function axisUnit(unit: Unit): string {
  return unit === 'share' ? '%' : unit
}

/** Values of an axis: shares are shown in per cent. */
export function scaled(value: number, unit: Unit): number {
  return unit === 'share' ? value * 100 : value
}

export function figureOf(query: QueryRow, arm: number, budgetPlace: number, measure: number): number | null {
  return query.figures[arm]?.[budgetPlace]?.[measure] ?? null
}

/** How much better the first arm is than the second; negative when it is worse. Null when one of them is not measured. */
export function gainOf(
  query: QueryRow,
  [arm, versus]: readonly [number, number],
  budgetPlace: number,
  measure: number,
  { better }: MeasureFacts,
): number | null {
  const [value, other] = [figureOf(query, arm, budgetPlace, measure), figureOf(query, versus, budgetPlace, measure)]
  if (value === null || other === null) return null
  return better === 'higher' ? value - other : other - value
}

export function addressOf(query: QueryRow, data: ReportData): string {
  return `${data.sets[query.set]?.name}/${query.id}`
}

/** Shortens a long name in its middle, where names of arms differ least. */
export function shortened(name: string, length = 30): string {
  if (name.length <= length) return name
  const head = Math.ceil((length - 1) / 3)
  return `${name.slice(0, head)}…${name.slice(name.length - (length - 1 - head))}`
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
