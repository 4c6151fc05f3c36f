import { randomUUID } from 'node:crypto'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  type CancelledNotification,
  CancelledNotificationSchema,
  isInitializeRequest,
  isJSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import type { Request, RequestHandler, Response } from 'express'
import { badRequest } from '../../core/errors.ts'
import type { Json } from '../../core/types.ts'
import { readWholeBody } from '../../http/body/read-body.ts'
import { apiKeyOf, tenantOf } from '../../http/caller.ts'
import { tracedAs } from '../../http/observe-requests.ts'
import { isOperatorOf } from '../../http/tenants/operators.ts'
import { type McpCaller, openCaller, operatorCaller, ownerOf, tenantCaller } from '../caller.ts'
import { createMcpServer } from '../server.ts'
import type { McpServices } from '../services.ts'

interface McpRouteOptions {
  services: McpServices
  version: string
  /** The configured key for Qdrant, which operators use. */
  operatorKey: string | null
}

/** Most bytes of a request. */
const MOST_BYTES = 4 * 2 ** 20

/** A write to a client that has gone is how its leaving is noticed: the answer has begun, so `answerHalfClosed` does not probe. */
const KEEP_ALIVE_MS = 1_000

/**
 * `POST /mcp`: one message of a client over streamable HTTP. Each request has a server of its own, so there are no sessions that could fill
 * the memory, end, or live on another replica. The id of a session only says which running request a cancellation means.
 */
export function mcpRoute({ services, version, operatorKey }: McpRouteOptions): RequestHandler {
  /** Ends running requests, by the name of the caller, the id of the session and the id of the request. */
  const running = new Map<string, () => void>()

  return async function mcp(request, response) {
    const caller = callerOf(request, response, operatorKey)
    const message = await readMessage(request, response)
    const keyOf = (id: string | number) =>
      JSON.stringify([ownerOf(caller), request.headers['mcp-session-id'] ?? null, id])
    cancelled(message, id => running.get(keyOf(id))?.())
    const server = createMcpServer({
      ...{ services, version, callerNow: () => caller },
      onTraced: traced => tracedAs(response, traced),
    })
    const transport = new StreamableHTTPServerTransport({ maxRequestBodySize: MOST_BYTES, keepAliveMs: KEEP_ALIVE_MS })
    const close = () => void transport.close()
    const key = isJSONRPCRequest(message) ? keyOf(message.id) : null
    if (key !== null) running.set(key, close)
    // Without a stream that can be resumed, an answer reaches nobody once its client has gone.
    response.once('close', () => {
      if (key !== null && running.get(key) === close) running.delete(key)
      close()
    })
    if (isInitializeRequest(message)) response.setHeader('mcp-session-id', randomUUID())
    // The types of the SDK leave out `undefined`, which this project is strict about.
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, response, message)
  }
}

/** With tenants, an operator is known by its key, and everybody else is the tenant that was authenticated. */
function callerOf(request: Request, response: Response, operatorKey: string | null): McpCaller {
  if (isOperatorOf(response)) return operatorCaller(operatorKey)
  const tenant = tenantOf(response)
  return tenant === null ? openCaller(apiKeyOf(request)) : tenantCaller(tenant)
}

/** @throws StowageError `bad_request` for what is no JSON, and for a batch, which would be many requests for one of a tenant's limit */
async function readMessage(request: Request, response: Response): Promise<Json> {
  const message = parseMessage(await readWholeBody(request, response, MOST_BYTES))
  if (Array.isArray(message)) throw badRequest('Batches are not part of the protocol: send one message')
  return message
}

function parseMessage(body: Buffer): Json {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json
  } catch (cause) {
    throw badRequest('The body is not valid JSON in UTF-8', { cause })
  }
}

function cancelled(message: Json, cancel: (id: string | number) => void): void {
  const notification = CancelledNotificationSchema.safeParse(message)
  const id = (notification.data as CancelledNotification | undefined)?.params.requestId
  if (id !== undefined) cancel(id)
}
