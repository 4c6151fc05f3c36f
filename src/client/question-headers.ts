import { questionHeaders } from './question.ts'

/** An operation of the official client: what it sends, and options for `fetch`. */
type Operation = (payload: unknown, init?: RequestInit) => Promise<unknown>

const prepared = new WeakSet<object>()

/**
 * Makes a `QdrantClient` of `@qdrant/js-client-rest` send the question of `withQuestion` with each of its requests. It changes this one
 * client, in place, by its public `api()`. Doing it twice does no harm.
 * @returns the same client
 * @throws TypeError when it is another client
 */
export function addQuestionHeaders<Client extends { api(): object }>(client: Client): Client {
  const operations = client.api() as Record<string, Operation> | undefined
  if (typeof operations?.queryPoints !== 'function')
    throw new TypeError('addQuestionHeaders: the client has no operations of @qdrant/js-client-rest in api()')
  if (prepared.has(operations)) return client
  prepared.add(operations)
  for (const [name, operation] of Object.entries(operations)) {
    // Callers recognise errors by the class that hangs on the operation.
    const asking: Operation = (payload, init) => operation(payload, extended(init))
    operations[name] = Object.assign(asking, operation)
  }
  return client
}

/**
 * A `fetch` that sends the question of `withQuestion` to one stowage, and leaves all other requests as they are. For clients that take a
 * `fetch`; for those that take none and hide their client, set `globalThis.fetch = fetchWithQuestion(url)` once.
 * @param url where stowage listens; its origin counts
 * @param fetch what sends the requests; the default is the global one of now
 */
export function fetchWithQuestion(url: string, fetch = globalThis.fetch): typeof globalThis.fetch {
  const { origin } = new URL(url)
  return (input, init) => {
    const target = input instanceof Request ? input.url : String(input)
    if (!URL.canParse(target) || new URL(target).origin !== origin) return fetch(input, init)
    return fetch(input, extended(init, input instanceof Request ? input.headers : undefined))
  }
}

/** @param inherited the headers that count when `init` has none */
function extended(init?: RequestInit, inherited?: Headers): RequestInit | undefined {
  const own = Object.entries(questionHeaders())
  if (own.length === 0) return init
  const headers = new Headers(init?.headers ?? inherited)
  for (const [name, value] of own) headers.set(name, value)
  return { ...init, headers }
}
