import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { StowageError } from '../core/errors.ts'
import { isDecodable } from '../http/body/decode-body.ts'
import { apiKeyOf, tenantOf } from '../http/caller.ts'
import { sendOwnError } from '../http/error-handler.ts'
import { createPassthrough } from '../http/passthrough/passthrough.ts'
import type { Reporter } from '../observe/events.ts'
import { failureOf } from '../qdrant/errors.ts'
import { filterHeaders, headerPairs, headerValue } from '../qdrant/raw-headers.ts'
import type { QuestionNotice } from './notice.ts'
import { EMBEDDING_SHAPES, type EmbeddingShape } from './read/shapes.ts'
import { SCOPE_HEADER, scopeOfRequest } from './scopes.ts'

export interface RelayOptions {
  /** `http(s)://host[:port][/prefix]` of the endpoint. The path of a request is put behind it. */
  upstream: URL
  /** Null without tenants: headers go on as they came. */
  keys: RelayKeys | null
  notice: QuestionNotice
  reporter: Pick<Reporter, 'upstreamFailed'>
  /** As of the passthrough. */
  idleTimeoutMs?: number
}

/** A route that stowage serves, and what it holds open. */
interface RelayRoute {
  handler: RequestHandler
  close(): void
}

/** Streams requests to an endpoint of models and its answers back, byte for byte, and lets a notice listen to those that embed. */
export function createRelay({ upstream, keys, notice, reporter, idleTimeoutMs }: RelayOptions): RelayRoute {
  const listening = new WeakMap<IncomingMessage, (answer: IncomingMessage) => void>()
  const proxy = createPassthrough({
    upstream,
    headersOf: request => {
      const isRead = shapeOf(request) !== undefined
      // The other paths could cost anything, so a tenant needs a key of its own for them.
      const lent = isRead && keys !== null ? keys.lent : null
      const headers = keys === null ? openHeaders(request) : tenantRelayHeaders(request, { ...keys, lent })
      return isRead ? withDecodableCodings(headers) : headers
    },
    onAnswer: (request, answer) => listening.get(request)?.(answer),
    onFailure: failure => reporter.upstreamFailed(failure),
    failure: { of: relayFailure, send: sendOwnError },
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
  })
  return {
    handler(request, response, next) {
      // In the form `http://host/path`, a tenant would choose the host to which the lent key goes.
      if (keys !== null && !request.originalUrl.startsWith('/')) return next()
      // A target has no fragment. What stands behind `#` would be a path to some endpoints, and none to others.
      if (request.originalUrl.includes('#') || DOT_SEGMENT.test(request.originalUrl.replace(/\?.*$/su, '')))
        return next()
      const shape = shapeOf(request)
      if (shape !== undefined) {
        const scope = scopeOfRequest(request, tenantOf(response))
        listening.set(request, notice.begin({ request, response }, scope, shape))
      }
      proxy.passthrough(request, response)
    },
    close: () => proxy.close(),
  }
}

/** `..` in the name of a model could lead an endpoint to paths that the relay does not have. */
const DOT_SEGMENT = /(?:[\\/]|%2f|%5c)(?:\.|%2e){1,2}(?:[\\/]|%2f|%5c|$)/iu

/** The shape of a request that embeds; undefined for the others. */
function shapeOf({ url = '' }: IncomingMessage): EmbeddingShape | undefined {
  return EMBEDDING_SHAPES[url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/\/?(?:[?#].*)?$/su, '')]
}

const MESSAGES: Readonly<Record<string, string>> = {
  upstream_timeout: 'The endpoint of embeddings did not answer in time',
  upstream_unavailable: 'The endpoint of embeddings cannot be reached',
}

/** A failed exchange with the endpoint: 502, or 504 when it was silent for too long. Only the log names the cause. */
function relayFailure(cause: unknown): StowageError {
  const { code } = failureOf(cause)
  const message = MESSAGES[code] ?? 'The endpoint of embeddings broke off the exchange'
  return new StowageError(code === 'upstream_timeout' ? code : 'upstream_error', message, { cause })
}

/** How keys are handled where there are tenants. */
interface RelayKeys {
  /** Whether stowage itself knows this key: that of a tenant or of an operator. It goes to nobody else. */
  isOwn(key: string): boolean
  /** The key that a tenant without one of its own is lent; null for none. */
  lent: string | null
}

/** The raw headers that go on without tenants: as they came, but for the one that only names a scope. */
function openHeaders({ rawHeaders }: IncomingMessage): string[] {
  return filterHeaders(rawHeaders, name => name !== SCOPE_HEADER)
}

/**
 * The raw headers that go on for a tenant: as they came, without every key of stowage. Without another `Authorization`, the lent key takes its
 * place.
 */
function tenantRelayHeaders(request: IncomingMessage, { isOwn, lent }: RelayKeys): string[] {
  const key = apiKeyOf(request)
  const isSecret = (value: string) =>
    (key !== null && value.includes(key)) || isOwn(value.trim()) || isOwn(value.replace(/^\s*\S+\s+/, '').trim())
  const kept = filterHeaders(
    request.rawHeaders,
    (name, value) => name !== 'api-key' && name !== SCOPE_HEADER && !isSecret(value),
  )
  const isKeyed = headerValue(kept, 'authorization') !== null
  return [...kept, ...(isKeyed || lent === null ? [] : ['Authorization', `Bearer ${lent}`])]
}

/** The headers, asking for no content coding that stowage cannot undo: the vectors of such an answer would never be known. */
function withDecodableCodings(rawHeaders: readonly string[]): string[] {
  return [...headerPairs(rawHeaders)].flatMap(([name, value]) => {
    if (name.toLowerCase() !== 'accept-encoding' || value.includes('*')) return [name, value]
    const asked = value.split(',')
    const kept = asked.filter(one => isDecodable(one.replace(/;.*$/su, '')))
    // An empty value means the same as this one, and some servers do not know it.
    return [name, kept.length === asked.length ? value : kept.join(',').trim() || 'identity']
  })
}
