import { formatError } from '../errors.ts'
import { type JsonRecord, readNumber, toNumber } from '../wire/shape.ts'

const DATETIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const COMPARISONS: { readonly [bound: string]: (value: number, bound: number) => boolean } = {
  lt: (value, bound) => value < bound,
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lte: (value, bound) => value <= bound,
}

/** Compares numbers, or times when a bound is an RFC 3339 text. */
export function compileRange(range: JsonRecord): (value: unknown) => boolean {
  const given = Object.entries(COMPARISONS).filter(([name]) => range[name] !== undefined && range[name] !== null)
  const inTime = given.some(([name]) => typeof range[name] === 'string')
  const read = inTime ? readDatetime : toNumber
  const bounds = given.map(([name, holds]) => {
    const bound = inTime ? readTime(range[name]) : (readNumber(range[name], 'range') ?? Number.NaN)
    return (value: number) => holds(value, bound)
  })
  return candidate => {
    const value = read(candidate)
    return value !== undefined && bounds.every(holds => holds(value))
  }
}

function readTime(value: unknown): number {
  const time = readDatetime(value)
  if (time === undefined) throw formatError(`'${String(value)}' does not match accepted datetime format (RFC3339)`)
  return time
}

/** Microseconds since 1970 of an RFC 3339 time, a date, or a time without zone (read as UTC); undefined for other values. */
export function readDatetime(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? DATETIME.exec(value) : null
  if (parts === null) return undefined
  const [, day = '', minute = '00:00', second = '00', fraction = '', zone = 'Z'] = parts
  // Date.parse reads 31 February as a day in March.
  if (!new Date(day).toJSON()?.startsWith(day)) return undefined
  const offset = zone.toUpperCase().replace(/^(...):?(\d*)$/, (_, hours, minutes) => `${hours}:${minutes || '00'}`)
  const milliseconds = Date.parse(`${day}T${minute}:${second}${offset}`)
  if (Number.isNaN(milliseconds)) return undefined
  return milliseconds * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}
