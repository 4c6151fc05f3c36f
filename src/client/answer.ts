import { isObject, parseObject } from '../qdrant/json.ts'
import { StowageClientError } from './client-error.ts'

const LONGEST_SHOWN = 300

/** What an answer says: its body, or the error to throw. */
export function readAnswer({ ok, status, headers }: Response, text: string): unknown {
  const body = parseObject(text)
  // Contexts and traces both have one.
  if (ok && typeof body?.trace_id === 'string') return body
  const retryAfter = secondsOf(headers.get('retry-after'))
  const { code, message, details } = isObject(body?.error) ? body.error : {}
  if (!ok && typeof code === 'string' && typeof message === 'string')
    return new StowageClientError(code as StowageClientError['code'], message, { status, details, retryAfter })
  const shown = text.trim().slice(0, LONGEST_SHOWN)
  const reason = `the answer with status ${status} is not that of a stowage: ${shown === '' ? 'it is empty' : shown}`
  return new StowageClientError('unexpected_answer', reason, { status, retryAfter })
}

function secondsOf(header: string | null): number | null {
  return header !== null && /^\d{1,9}$/u.test(header) ? Number(header) : null
}
