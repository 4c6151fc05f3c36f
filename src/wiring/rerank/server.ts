import { availableParallelism } from 'node:os'
import { createCachedReranker } from '../../adapters/models/cached-reranker.ts'
import { openLogitModel } from '../../adapters/models/cross-encoder.ts'
import type { RerankServerOptions } from '../../commands/reranker/rerank-server.ts'
import type { RunningService } from '../../commands/serve.ts'
import { loadConfig } from '../../config.ts'
import { startServer } from '../../http/server.ts'
import { createLogger } from '../../observe/logger.ts'
import { createRerankApp } from '../../rerank-server/app.ts'
import { passageMemory, SHIPPED_RERANKER } from '../models.ts'
import { VERSION } from '../version.ts'

/** For `stowage rerank-server`. */
export async function startRerankServer(options: RerankServerOptions): Promise<RunningService> {
  const { settings, unknownVariables } = loadConfig()
  const logger = createLogger({ level: settings.LOG_LEVEL })
  for (const warning of unknownVariables) logger.warn(warning)
  const workers = options.workers ?? Math.min(4, availableParallelism())
  const { source, relevanceOf, score, waiting, close } = await openLogitModel({
    model: options.model ?? settings.RERANK_MODEL ?? SHIPPED_RERANKER,
    workers,
    allowRemote: settings.MODELS_ALLOW_REMOTE,
    ...passageMemory(settings),
    passageObserver: {
      passagesFound: () => undefined,
      passageFolderFailed: ({ detail }) =>
        logger.warn({ detail }, 'what the reranker reads cannot be kept on the disk'),
    },
    onWarning: message => logger.warn(message),
  })
  // Its cache holds logits here.
  const reranker = createCachedReranker({ model: source.id, score, close })
  const app = createRerankApp({
    model: {
      id: source.id,
      dtype: source.dtype,
      maxTokens: source.maxTokens,
      languages: source.settings.languages,
      score: async (query, passages, signal) => (await reranker.rerank({ query, passages, signal })).scores,
      relevanceOf,
      waiting: () => waiting?.() ?? 0,
    },
    limits: { bytes: options.maxBytes, texts: options.maxClientBatchSize, queue: options.maxQueue },
    apiKey: settings.RERANK_SERVER_API_KEY ?? null,
    workers,
    version: VERSION,
    logger,
  })
  try {
    const server = await startServer(app, { port: options.port, host: options.host })
    return {
      url: server.url,
      description: { reranker: source.id, workers: String(workers) },
      close: async graceMs => {
        await server.close(graceMs)
        await reranker.close()
      },
    }
  } catch (error) {
    await reranker.close()
    throw error
  }
}
