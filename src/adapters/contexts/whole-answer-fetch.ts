import { readWhole } from '../read-at-most.ts'

/** Longest answer, in bytes; a context has about a thousand. */
const MOST_BYTES = 1024 * 1024
/** Longest wait that an endpoint can ask for, in seconds. */
const LONGEST_WAIT = 60
/** Names of the headers that the SDKs send themselves. They also send those of a variable of the environment. */
const OWN_HEADERS = /^(?:accept|content-type|user-agent|authorization|x-api-key|anthropic-version|x-stainless-.+)$/u

/**
 * `fetch` for the SDKs. It resolves when the whole answer is there, so the time limit and the repetitions of an SDK also hold for an
 * answer that stops in the middle. It follows no redirect, because texts go to the configured endpoint alone.
 */
export async function fetchWholeAnswer(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  for (const name of [...headers.keys()]) if (!OWN_HEADERS.test(name)) headers.delete(name)
  const response = await fetch(url, { ...init, headers, redirect: 'error' })
  const body = response.body === null ? null : await readWhole(response.body, MOST_BYTES)
  const answered = new Headers(response.headers)
  boundWait(answered)
  // The bytes are decoded already.
  answered.delete('content-encoding')
  answered.delete('content-length')
  return new Response(body?.length ? body : null, { status: response.status, headers: answered })
}

/** The SDKs wait as long as they are told, also for hours. A wait that is a date is left to them as seconds. */
function boundWait(headers: Headers): void {
  const asked = headers.get('retry-after')
  if (asked === null) return
  const given = Number.parseFloat(asked)
  const seconds = Number.isNaN(given) ? (Date.parse(asked) - Date.now()) / 1000 : given
  if (Number.isNaN(seconds)) headers.delete('retry-after')
  else headers.set('retry-after', String(Math.min(LONGEST_WAIT, Math.max(0, seconds))))
  const milliseconds = Number.parseFloat(headers.get('retry-after-ms') ?? '')
  if (milliseconds > LONGEST_WAIT * 1000) headers.set('retry-after-ms', String(LONGEST_WAIT * 1000))
}
