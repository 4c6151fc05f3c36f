import type { RequestListener } from 'node:http'
import { loadConfig } from '../../src/config.ts'
import { startServer } from '../../src/http/server.ts'
import { createLogger, type Logger } from '../../src/observe/logger.ts'
import type { ContextResponse } from '../../src/pipeline/context-request.ts'
import { openGateway } from '../../src/wiring/gateway.ts'
import { type Answer, send } from './send.ts'

export interface ErrorBody {
  error: { code: string; message: string; details?: { field: string }[] }
}

/** One request that stowage answered, with its `x-stowage-applied` and `x-stowage-trace-id` (null: the header was not there). */
export interface Answered {
  request: string
  applied: string | null
  traceId: string | null
}

export type Stowage = Awaited<ReturnType<typeof openStowage>>

/** No models and deadlines that no test meets by accident: a busy machine takes its time. */
const ENVIRONMENT = {
  EMBEDDER: 'none',
  RERANKER: 'off',
  LOG_LEVEL: 'silent',
  REQUEST_DEADLINE_MS: '60000',
  DROPIN_DEADLINE_MS: '60000',
  DROPIN_HEDGE_MS: '60000',
}

/**
 * The whole service as `serve` runs it, on a free port: on its own embedded engine in memory, or in front of the
 * server that `QDRANT_URL` names. This is the one place where tests start all of stowage in their own process.
 */
export async function openStowage(
  environment: Record<string, string> = {},
  logger: Logger = createLogger({ level: 'silent' }),
) {
  const gateway = await openGateway(loadConfig({ ...ENVIRONMENT, ...environment }), logger)
  const answered: Answered[] = []
  let received = 0
  const app: RequestListener = (request, response) => {
    received++
    response.once('finish', () => {
      const header = (name: string) => response.getHeader(name)?.toString() ?? null
      const [applied, traceId] = [header('x-stowage-applied'), header('x-stowage-trace-id')]
      answered.push({ request: `${request.method} ${request.url}`, applied, traceId })
    })
    gateway.app(request, response)
  }
  const server = await startServer(app, { port: 0, host: '127.0.0.1' })
  return {
    url: server.url,
    /** Every request so far, in the order of the answers. */
    answered,
    /** Number of requests without an answer so far. */
    waiting: () => received - answered.length,
    send: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      send(server.url, method, path, body, headers),
    /** `POST /v1/context`. */
    ask: (body: unknown, headers: Record<string, string> = {}): Promise<Answer<ContextResponse & ErrorBody>> =>
      send(server.url, 'POST', '/v1/context', body, headers),
    /** Reads `TENANTS_FILE` again, as SIGHUP does. */
    reloadTenants: async () => gateway.tenants?.reload(),
    /** Reads `FLAGS_FILE` and `PLANS_FOLDER` again, as SIGHUP does. */
    reloadFlags: () => gateway.flags.reload(),
    flags: gateway.flags,
    close: async () => {
      await server.close(0)
      await gateway.close()
    },
  }
}
