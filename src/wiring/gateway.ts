import type { Express } from 'express'
import { createAnswerCache } from '../adapters/answer-cache.ts'
import { createQdrantStore } from '../adapters/qdrant/store.ts'
import { createJsonlSink } from '../adapters/traces/jsonl-file.ts'
import { combineTraceStores, createTraceObserver, createTraceRing } from '../adapters/traces/memory.ts'
import type { Config } from '../config.ts'
import { createImproveHandler, IMPROVE_DEFAULTS } from '../drop-in/route.ts'
import { createApp, DEFAULT_LIMITS } from '../http/app.ts'
import { createPassthrough } from '../http/passthrough/passthrough.ts'
import { createReporter, type Reporter } from '../observe/events.ts'
import type { Logger } from '../observe/logger.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createChoosePoints } from '../pipeline/choose-points.ts'
import { createPackContext } from '../pipeline/pack-context.ts'
import type { PackContext, TracedContext, TraceStore } from '../pipeline/services.ts'
import { createQdrantHttp } from '../qdrant/client.ts'
import { createTokenizer } from '../text/tokens.ts'
import { createHealth } from './health.ts'
import { type Models, openModels } from './models.ts'
import { pipelineDependencies } from './pipeline.ts'
import { openUpstream, type Upstream } from './upstream.ts'
import { VERSION } from './version.ts'

/** A whole stowage, not listening yet. */
export interface Gateway {
  app: Express
  upstream: Upstream
  models: Models
  packContext: PackContext
  close(): Promise<void>
}

const RECENT_TRACES = { entries: 500, maxBytes: 128 * 1024 * 1024 }
const TRACE_FILE_BYTES = 64 * 1024 * 1024
const TRACE_FILES = 5
const CACHED_ANSWERS = 2_000
const CACHED_BYTES = 128 * 1024 * 1024

/**
 * Builds everything once from the configuration. Clients bring their own Qdrant keys: the configured one is never lent to a request.
 */
export async function openGateway(config: Config, logger: Logger): Promise<Gateway> {
  const metrics = createMetrics()
  const reporter = createReporter({ metrics, logger })
  const upstream = await openUpstream(config)
  const models = await openModels(config)
  const traces = openTraces(config, reporter, logger)
  const http = createQdrantHttp(upstream.url)
  const store = createQdrantStore({ http, apiKey: null, embedder: models.embedder })
  // Its tables take a moment to load; the first request should not pay for them.
  createTokenizer(config.plan.tokenizerModel).count('')
  const pipeline = pipelineDependencies(config, store, models, traces)
  const cache = createAnswerCache<TracedContext>({
    ttlMs: config.settings.CACHE_TTL_MS,
    maxEntries: CACHED_ANSWERS,
    maxBytes: CACHED_BYTES,
    now: pipeline.now,
  })
  const packContext = createPackContext({ ...pipeline, cache })
  const proxy = createPassthrough({
    upstream: new URL(upstream.url),
    onFailure: failure => reporter.upstreamFailed(failure),
  })
  const app = createApp({
    packContext,
    improvePoints: createImproveHandler({
      http,
      choosePoints: createChoosePoints(pipeline),
      tenantOf: noTenant,
      enabled: () => config.settings.STOWAGE_DROPIN === 'improve',
      ...IMPROVE_DEFAULTS,
      pool: config.plan.retrieval.pool,
      deadlineMs: config.settings.DROPIN_DEADLINE_MS,
      report: event => logger.debug(event, 'points'),
    }),
    passthrough: proxy.passthrough,
    traces,
    tenantOf: noTenant,
    health: createHealth(http, models),
    metrics,
    reporter,
    bumpEpoch: collection => cache.bumpEpoch(collection),
    limits: DEFAULT_LIMITS,
    version: VERSION,
  })
  return {
    app,
    upstream,
    models,
    packContext,
    close: async () => {
      proxy.close()
      await Promise.all([http.close(), traces.close(), models.close()])
      await upstream.close()
    },
  }
}

/** Without tenants, keys pass through to Qdrant, which knows what they may do. */
function noTenant(): null {
  return null
}

function openTraces({ settings }: Config, reporter: Reporter, logger: Logger): TraceStore {
  const ring = createTraceRing(RECENT_TRACES)
  const file = settings.TRACE_FILE
  if (!file) return combineTraceStores(ring, createTraceObserver(reporter))
  const onError = (error: unknown) => logger.error({ err: error }, 'trace file')
  const sink = createJsonlSink({ path: file, maxBytes: TRACE_FILE_BYTES, files: TRACE_FILES, onError })
  return combineTraceStores(ring, createTraceObserver(reporter), sink)
}
