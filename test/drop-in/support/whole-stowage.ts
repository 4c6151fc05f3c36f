import express from 'express'
import { loadConfig } from '../../../src/config.ts'
import { startServer } from '../../../src/http/server.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { createTokenizer } from '../../../src/text/tokens.ts'
import { openGateway } from '../../../src/wiring/gateway.ts'

/** One request that stowage answered, and what it said it did to it (null: nothing). */
export interface Answered {
  request: string
  applied: string | null
}

/** The whole service as it is deployed, before an upstream, without models. */
export async function serveWholeStowage(upstream: string, environment: Record<string, string> = {}) {
  const fixed = { QDRANT_URL: upstream, EMBEDDER: 'none', RERANKER: 'off', DROPIN_DEADLINE_MS: '60000' }
  const config = loadConfig({ ...fixed, ...environment })
  // A first count reads the tokenizer's tables, which on a busy machine takes longer than an improvement may.
  createTokenizer(config.plan.tokenizerModel).count('warm')
  const gateway = await openGateway(config, createLogger({ level: 'silent' }))
  const answered: Answered[] = []
  const app = express().disable('x-powered-by')
  app.use((request, response, next) => {
    response.once('finish', () => {
      const applied = response.getHeader('x-stowage-applied')?.toString() ?? null
      answered.push({ request: `${request.method} ${request.originalUrl}`, applied })
    })
    next()
  })
  app.use(gateway.app)
  const server = await startServer(app, { port: 0, host: '127.0.0.1' })
  return {
    url: server.url,
    answered,
    close: async () => {
      await server.close(0)
      await gateway.close()
    },
  }
}
