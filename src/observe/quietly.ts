/** Reports that ignore their errors, so that reporting never fails a request. */
export function quietly<Reports extends object>(reports: Reports): Reports {
  const quiet = Object.entries(reports).map(([name, report]) => [
    name,
    (event: unknown): void => {
      try {
        report(event)
      } catch {}
    },
  ])
  return Object.fromEntries(quiet)
}
