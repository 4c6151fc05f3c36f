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
   * @throws StowageError with the code that the route would answer
   */
  packContext(
    request: ContextRequest,
    options?: { apiKey?: string | null; signal?: AbortSignal },
  ): Promise<ContextResponse>
  /** Listens on an address of its own; port 0 takes a free port. Close the server before stowage. */
  listen(address: { port: number; host: string }): Promise<RunningServer>
  /** Closes the models, the traces and the connections to Qdrant. */
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
  return {
    handler: (request, response) => app(request, response),
    packContext: async (request, { apiKey = null, signal = new AbortController().signal } = {}) => {
      const tenant = gateway.tenants && findTenant(gateway.tenants, apiKey)
      const caller = callerFor(tenant, apiKey, signal)
      return gateway.packContext(parseContextRequest(Buffer.from(printJson(request))), caller)
    },
    listen: address => startServer(app, address),
    close: () => gateway.close(),
  }
}
