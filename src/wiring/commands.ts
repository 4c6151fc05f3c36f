import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createQdrantAdmin } from '../adapters/qdrant/admin.ts'
import type { DemoCommandDependencies } from '../commands/demo.ts'
import type { DoctorCommandDependencies } from '../commands/doctor.ts'
import type { IngestCommandDependencies } from '../commands/ingest.ts'
import type { ReplayCommandDependencies } from '../commands/replay.ts'
import type { ListenOverrides, RunningService } from '../commands/serve.ts'
import { type Config, loadConfig, loadDemoConfig } from '../config.ts'
import { DEMO_COLLECTION } from '../demo/demo.ts'
import { createReplayDependencies } from '../evaluation/replay/run.ts'
import { type RunningServer, startServer } from '../http/server.ts'
import { ingest } from '../ingest/ingest.ts'
import { openDocuments } from '../ingest/read-documents.ts'
import { createLogger } from '../observe/logger.ts'
import { NAMED_PLANS } from '../pipeline/plan/named-plans.ts'
import { createTokenizer } from '../text/tokens.ts'
import { openGateway } from './gateway.ts'
import { openModels } from './models.ts'
import { replayWorld } from './replay.ts'
import { openUpstream, type Upstream } from './upstream.ts'

const DEMO_DOCUMENTS = fileURLToPath(new URL('../../goldens/isharoth/corpus', import.meta.url))

/** `stowage serve`. */
export async function service(overrides: ListenOverrides): Promise<RunningService> {
  const config = loadConfig()
  const gateway = await openGateway(config, createLogger({ level: config.settings.LOG_LEVEL }))
  try {
    const { PORT, HOST } = config.settings
    const server = await startServer(gateway.app, { port: overrides.port ?? PORT, host: overrides.host ?? HOST })
    return {
      url: server.url,
      description: {
        upstream: gateway.upstream.embedded ? 'embedded engine' : gateway.upstream.url,
        plan: config.plan.name,
        'drop-in': config.settings.STOWAGE_DROPIN,
        embedder: gateway.models.embedder?.version ?? 'none',
        reranker: gateway.models.reranker?.model ?? 'none',
      },
      close: async graceMs => {
        await server.close(graceMs)
        await gateway.close()
      },
    }
  } catch (error) {
    await gateway.close()
    throw error
  }
}

/** `stowage ingest`. */
export function ingestDependencies(): IngestCommandDependencies {
  return {
    out: process.stdout,
    progress: process.stderr,
    open: async where => {
      const config = loadConfig()
      const upstream = await openTarget(config, where)
      const models = await openModels(config, { embedder: true, reranker: false })
      const tokenizer = createTokenizer(config.plan.tokenizerModel)
      return {
        target: createQdrantAdmin(upstream),
        embedder: models.embedder,
        countTokens: text => tokenizer.count(text),
        url: upstream.url,
        durable: !upstream.embedded || config.settings.EMBEDDED_PATH !== undefined,
        close: async () => {
          await models.close()
          await upstream.close()
        },
      }
    },
  }
}

/** `stowage replay`. */
export function replayDependencies(): ReplayCommandDependencies {
  return {
    out: process.stdout,
    progress: process.stderr,
    plans: () => ({ ...NAMED_PLANS, [loadConfig().plan.name]: loadConfig().plan }),
    open: async () => {
      const config = loadConfig()
      const models = await openModels(config, { embedder: true, reranker: true })
      return {
        ...createReplayDependencies(replayWorld(models, config.plan.tokenizerModel)),
        close: () => models.close(),
      }
    },
  }
}

/** `stowage doctor`. */
export function doctorDependencies(): DoctorCommandDependencies {
  return {
    out: process.stdout,
    open: async where => {
      const config = loadConfig()
      const upstream = await openTarget(config, where)
      const models = await openModels(config, { embedder: true, reranker: true })
      return {
        setup: {
          url: upstream.url,
          embedded: upstream.embedded,
          embedder: models.embedder,
          unavailable: models.unavailable,
        },
        probe: createQdrantAdmin(upstream),
        close: async () => {
          await models.close()
          await upstream.close()
        },
      }
    },
  }
}

/** `stowage demo`: always on the embedded engine in memory, whatever QDRANT_URL says. */
export function demoDependencies(): DemoCommandDependencies {
  return {
    out: process.stdout,
    progress: process.stderr,
    open: async onProgress => {
      const config = loadDemoConfig()
      const gateway = await openGateway(config, createLogger({ level: 'error' }))
      await fillDemo(gateway, config, onProgress)
      let server: RunningServer | null = null
      return {
        packContext: gateway.packContext,
        listen: async () => {
          const { PORT, HOST } = config.settings
          server = await startServer(gateway.app, { port: PORT, host: HOST })
          return server.url
        },
        stopped: async () => {
          await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
        },
        close: async () => {
          await server?.close(0)
          await gateway.close()
        },
      }
    },
  }
}

async function fillDemo(
  { upstream, models }: Awaited<ReturnType<typeof openGateway>>,
  config: Config,
  onProgress: (line: string) => void,
) {
  const tokenizer = createTokenizer(config.plan.tokenizerModel)
  const dependencies = {
    target: createQdrantAdmin(upstream),
    embedder: models.embedder,
    countTokens: (text: string) => tokenizer.count(text),
  }
  const { documents } = await openDocuments(DEMO_DOCUMENTS)
  let told = 0
  const summary = await ingest(documents, dependencies, { collection: DEMO_COLLECTION }, ({ chunks, written }) => {
    if (written - told < 100) return
    told = written
    onProgress(`ingesting: ${written} of ${chunks} chunks so far`)
  })
  onProgress(
    `ingested ${summary.documents} documents as ${summary.chunks} chunks; embedder ${models.embedder?.version ?? 'none'}, reranker ${models.reranker?.model ?? 'none'}`,
  )
}

/** Where ingest and doctor go: the URL on the command line, else what the environment says. */
async function openTarget(config: Config, where: { url?: string; apiKey?: string }): Promise<Upstream> {
  if (where.url === undefined) {
    const upstream = await openUpstream(config)
    return { ...upstream, apiKey: where.apiKey ?? upstream.apiKey }
  }
  // The configured key belongs to the configured server: another one gets only what the command line gives.
  return {
    url: where.url,
    apiKey: where.apiKey ?? null,
    embedded: false,
    close: async () => {},
  }
}
