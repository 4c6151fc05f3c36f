/** One check and what came of it. `fix` says what to do about it; null when all is well. */
export interface Finding {
  check: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  fix: string | null
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, fix: null }
}

export function warn(check: string, detail: string, fix: string): Finding {
  return { check, status: 'warn', detail, fix }
}

export function fail(check: string, detail: string, fix: string): Finding {
  return { check, status: 'fail', detail, fix }
}
