import { printJson } from '../../src/qdrant/json.ts'

/** An answer as it came. */
export interface Answer<Body = unknown> {
  status: number
  headers: Headers
  /** Keeps what `JSON.parse` loses: u64, the spelling of numbers, the order of keys. */
  text: string
  /** The text parsed; throws when it is not JSON. */
  readonly json: Body
}

/** One request without a client library. A string or bytes are sent unchanged, anything else as JSON. */
export async function send<Body = unknown>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const raw = typeof body === 'string' || Buffer.isBuffer(body)
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: raw ? body : printJson(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    get json() {
      return JSON.parse(text) as Body
    },
  }
}

/** A request that has to succeed, for the preparation of a test. */
export async function sendOk(url: string, method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await send(url, method, path, body)
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`)
}
