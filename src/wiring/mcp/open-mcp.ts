import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { RequestHandler } from 'express'
import type { Config } from '../../config.ts'
import type { ContextWriter, WriterKind } from '../../contexts/context.ts'
import { getOrInsert } from '../../core/collections.ts'
import type { McpCaller } from '../../mcp/caller.ts'
import { createJobs } from '../../mcp/jobs/jobs.ts'
import { createMcpServer } from '../../mcp/server.ts'
import type { McpServices } from '../../mcp/services.ts'
import { mcpRoute } from '../../mcp/transports/http.ts'
import { refuseWebPages } from '../../mcp/transports/same-origin.ts'
import { serveStdio } from '../../mcp/transports/stdio.ts'
import type { Reporter } from '../../observe/events.ts'
import type { FindTrace, PackContext } from '../../pipeline/services.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { endpointAllowed } from '../../tenants/context-endpoints.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { openContextWriter } from '../contexts/open-writer.ts'
import type { Upstream } from '../upstream.ts'
import { VERSION } from '../version.ts'
import { readCollectionContexts } from './collection-contexts.ts'
import { openReindexing } from './reindexing.ts'

/** What the tools share with the other routes. */
interface McpParts {
  config: Config
  packContext: PackContext
  findTrace: FindTrace
  upstream: Upstream
  http: QdrantHttp
  reporter: Reporter
}

/** The tools for agents, and the ways to reach them. */
export interface Mcp {
  /** Handlers of `POST /mcp`. */
  route: RequestHandler[]
  serveStdio(
    callerNow: () => McpCaller,
    streams: { input: Readable; out: Writable; onFault(fault: string): void },
  ): Promise<void>
  /** Ends the jobs, each with its state in order. */
  close(): Promise<void>
}

export function openMcp(parts: McpParts): Mcp {
  const services = servicesOf(parts)
  const { settings } = parts.config
  const route = mcpRoute({ services, version: VERSION, operatorKey: parts.upstream.apiKey })
  return {
    route: [...refuseWebPages(settings.MCP_ALLOWED_HOSTS), route],
    serveStdio: (callerNow, streams) => serveStdio(createMcpServer({ services, callerNow, version: VERSION }), streams),
    close: () => services.jobs.close(),
  }
}

function servicesOf(parts: McpParts): McpServices {
  const { config, packContext, findTrace, reporter } = parts
  const { count: countTokens } = createTokenizer(config.plan.tokenizerModel)
  const writers = new Map<WriterKind, ContextWriter>()
  return {
    packContext,
    findTrace,
    reporter,
    tokenizer: createTokenizer,
    plan: config.plan,
    // One writer per kind, so that its limits hold for all calls together.
    openWriter: async kind => getOrInsert(writers, kind, () => openContextWriter(config, kind, countTokens)),
    allowsEndpoint: endpointAllowed,
    contextsOf: (collection, caller, signal) => readCollectionContexts(parts, { collection, caller, signal }),
    jobs: createJobs({
      reindexing: openReindexing(parts),
      newId: randomUUID,
      wallClock: () => new Date(),
      onUnexpected: (error, id) => reporter.requestFailed({ error, requestId: id }),
    }),
    mostDollars: config.settings.MCP_BUDGET_USD,
    newId: randomUUID,
  }
}
