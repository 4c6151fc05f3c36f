/** Ignores errors of a report, so that reporting never fails a request. */
export function quietly<Event = void>(report: (event: Event) => void): (event: Event) => void {
  return event => {
    try {
      report(event)
    } catch {}
  }
}
