import type { RequestListener } from 'node:http'
import { type Environment, loadConfig } from '../config.ts'
import { callerFor } from '../http/caller.ts'
import { parseContextRequest } from '../http/parse-context-request.ts'
import { type RunningServer, startServer } from '../http/server.ts'
import { findTenant } from '../http/tenants/authenticate.ts'
import { createLogger } from '../observe/logger.ts'
import type { ContextRequest, ContextResponse } from '../pipeline/context-request.ts'
import { printJson } from '../qdrant/json.ts'
import { openGateway } from './gateway.ts'

/** A stowage inside another program. */
export interface Stowage {
  /** Answers requests as `stowage serve` does. For `http.createServer(handler)`, or `app.use(handler)` of Express. */
  handler: RequestListener
  /**
   * Packs a context, as `POST /v1/context` does.
   * @param options `apiKey` goes to Qdrant with every read, or is the key of a tenant where there are tenants; `signal` ends the work
   * @throws StowageError with the code that the route would answer, and Error after `close`
   */
  packContext(
    request: ContextRequest,
    options?: { apiKey?: string | null; signal?: AbortSignal },
  ): Promise<ContextResponse>
  /** Listens on an address of its own; port 0 takes a free port. Close the server before stowage. */
  listen(address: { port: number; host: string }): Promise<RunningServer>
  /** Closes the models, the traces and the connections to Qdrant. Afterwards `packContext` and `listen` throw. */
  close(): Promise<void>
}

/**
 * Opens a stowage that does not listen yet. Its log goes to stderr.
 * @param environment the variables of the settings page, such as `{ QDRANT_URL: 'http://qdrant:6333' }`. Default: those of the process
 * @throws ConfigError with every wrong variable
 */
export async function openStowage(environment?: Environment): Promise<Stowage> {
  const config = loadConfig(environment)
  const gateway = await openGateway(config, createLogger({ level: config.settings.LOG_LEVEL }))
  const { app } = gateway
  let isClosed = false
  const refuseWhenClosed = (method: string) => {
    if (isClosed) throw new Error(`${method} was called on a stowage that is closed: open another one with openStowage`)
  }
  return {
    handler: (request, response) => app(request, response),
    packContext: async (request, { apiKey = null, signal = new AbortController().signal } = {}) => {
      refuseWhenClosed('packContext')
      const tenant = gateway.tenants && findTenant(gateway.tenants, apiKey)
      const caller = callerFor(tenant, apiKey, signal)
      return gateway.packContext(parseContextRequest(Buffer.from(printJson(request))), caller)
    },
    listen: async address => {
      refuseWhenClosed('listen')
      return startServer(app, address)
    },
    close: () => {
      isClosed = true
      return gateway.close()
    },
  }
}
