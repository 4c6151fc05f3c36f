const DATETIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Microseconds since 1970 of an RFC 3339 time, a date, or a local time (read as UTC); undefined for anything else. */
export function readDatetime(text: string): number | undefined {
  const parts = DATETIME.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = parts
  const milliseconds = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const date = new Date(milliseconds)
  // Date.UTC rolls 31 February over into March; such a text is no date.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== Number(month) - 1 || Number(hour) > 23) {
    return undefined
  }
  return milliseconds * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6)) - zoneMinutes(zone) * 60_000_000
}

function zoneMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return zone.startsWith('-') ? -minutes : minutes
}
