const DATETIME =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Microseconds since 1970 of an RFC 3339 time, a date, or a time without zone (read as UTC); undefined for other texts. */
export function readDatetime(text: string): number | undefined {
  const parts = DATETIME.exec(text)
  if (parts === null) return undefined
  const [, day = '', minute = '00:00', second = '00', fraction = '', zone = 'Z'] = parts
  // Date.parse reads 31 February as a day in March.
  if (!new Date(day).toJSON()?.startsWith(day)) return undefined
  const offset = zone.toUpperCase().replace(/^(...):?(\d*)$/, (_, hours, minutes) => `${hours}:${minutes || '00'}`)
  const milliseconds = Date.parse(`${day}T${minute}:${second}${offset}`)
  if (Number.isNaN(milliseconds)) return undefined
  return milliseconds * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}
