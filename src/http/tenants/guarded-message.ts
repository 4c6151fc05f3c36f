import { IncomingMessage } from 'node:http'
import { filterHeaders, headerPairs } from '../../qdrant/raw-headers.ts'
import type { GuardedRequest } from '../../tenants/guard/guarded.ts'
import type { StepRequest } from '../step.ts'

/**
 * A request of its own that says what `guarded` says, and nothing else. It stands in the place of the client's request for everything that
 * follows, so that no later step can see, and forward, what the client sent.
 * @param headers raw header pairs that go to Qdrant
 * @param sent JSON, or the bytes of the client where its own body goes on
 */
export function guardedMessage(
  client: StepRequest,
  guarded: GuardedRequest,
  headers: readonly string[],
  sent: string | Buffer,
): StepRequest {
  const body = Buffer.from(sent)
  const type =
    typeof sent === 'string'
      ? ['content-type', 'application/json']
      : filterHeaders(client.rawHeaders, name => name === 'content-type' || name === 'content-encoding')
  const describeBody = body.length === 0 ? [] : [...type, 'content-length', String(body.length)]
  const rawHeaders = [...headers, ...describeBody]
  const message = Object.assign(new IncomingMessage(client.socket), {
    method: guarded.method,
    url: guarded.target,
    originalUrl: guarded.target,
    httpVersion: client.httpVersion,
    httpVersionMajor: client.httpVersionMajor,
    httpVersionMinor: client.httpVersionMinor,
    rawHeaders,
    headers: joined(rawHeaders),
    complete: true,
  })
  guardedMessages.add(message)
  if (body.length > 0) message.push(body)
  message.push(null)
  return message
}

const guardedMessages = new WeakSet<IncomingMessage>()

/** Whether a request was made by `guardedMessage`. */
export function isGuarded(request: IncomingMessage): boolean {
  return guardedMessages.has(request)
}

/** The values of each header, joined as Node joins them. */
function joined(rawHeaders: readonly string[]): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of headerPairs(rawHeaders)) {
    const key = name.toLowerCase()
    const before = values.get(key)
    values.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(values)
}
