/** An answer that is an error, with the code and the message of stowage. */
export class Refusal extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

interface Call {
  /** Empty: none is sent. */
  key: string
  /** Sent as JSON by POST; absent: GET. */
  body?: unknown
  signal: AbortSignal
}

/** Asks stowage. @throws Refusal for every failure but an abort */
export async function ask<Answer>(path: string, { key, body, signal }: Call): Promise<Answer> {
  if (!/^[\x21-\x7e]*$/u.test(key)) throw new Refusal('key', 'The key has signs that no key can have.')
  const headers = {
    ...(key === '' ? {} : { 'api-key': key }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(path, { ...sent, headers, signal, cache: 'no-store' }).catch(error => {
    if (signal.aborted) throw error
    throw new Refusal('unreachable', 'stowage does not answer. Is it still running?')
  })
  const text = await response.text()
  if (!response.ok) throw refusalOf(response.status, text)
  return parsed(text) as Answer
}

/** stowage's own shape, Qdrant's envelope, or the text of something in between. */
function refusalOf(status: number, text: string): Refusal {
  try {
    const { error, status: envelope } = JSON.parse(text)
    if (typeof error?.message === 'string') return new Refusal(String(error.code), error.message)
    if (typeof envelope?.error === 'string') return new Refusal(String(status), envelope.error)
  } catch {
    // No JSON.
  }
  return new Refusal(String(status), text.slice(0, 300) || 'The answer is empty.')
}

/** Integers that a number cannot hold become texts of their digits, where the browser tells the digits. */
function parsed(text: string): unknown {
  const exact = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/u.test(context?.source ?? '')
      ? context?.source
      : value
  return JSON.parse(text, exact)
}
