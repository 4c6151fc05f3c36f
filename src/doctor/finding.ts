import { redactUrls } from '../core/redact-urls.ts'

/** The result of one check. */
export interface Finding {
  check: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  /** What to do; null for `ok`. */
  fix: string | null
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail: redactUrls(detail), fix: null }
}

/** Requests work, but with less quality. */
export function warn(check: string, detail: string, fix: string): Finding {
  return { check, status: 'warn', detail: redactUrls(detail), fix: redactUrls(fix) }
}

/** Requests fail or find nothing. */
export function fail(check: string, detail: string, fix: string): Finding {
  return { check, status: 'fail', detail: redactUrls(detail), fix: redactUrls(fix) }
}
