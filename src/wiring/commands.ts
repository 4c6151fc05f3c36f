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
import { type Gateway, openGateway } from './gateway.ts'
import { ingestInto } from './ingest.ts'
import { openModels } from './models.ts'
import { replayWorld } from './replay.ts'
import { openUpstream } from './upstream.ts'

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
      const { config, upstream, models, close } = await openTarget(where, { embedder: true, reranker: false })
      return {
        ...ingestInto(upstream, models.embedder, config.plan.tokenizerModel),
        url: upstream.url,
        durable: !upstream.embedded || config.settings.EMBEDDED_PATH !== undefined,
        close,
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
      const models = await openModels(config)
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
      const { upstream, models, close } = await openTarget(where)
      const { url, embedded } = upstream
      const { embedder, unavailable } = models
      return { setup: { url, embedded, embedder, unavailable }, probe: createQdrantAdmin(upstream), close }
    },
  }
}

/** `stowage demo`: always uses the embedded engine in memory, even if QDRANT_URL is set. */
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

async function fillDemo({ upstream, models }: Gateway, { plan }: Config, onProgress: (line: string) => void) {
  const { embedder, reranker } = models
  const dependencies = ingestInto(upstream, embedder, plan.tokenizerModel)
  const { documents } = await openDocuments(DEMO_DOCUMENTS)
  let reported = 0
  const summary = await ingest(documents, dependencies, { collection: DEMO_COLLECTION }, ({ chunks, written }) => {
    if (written - reported < 100) return
    reported = written
    onProgress(`ingesting: ${written} of ${chunks} chunks so far`)
  })
  onProgress(
    `ingested ${summary.documents} documents as ${summary.chunks} chunks; embedder ${embedder?.version ?? 'none'}, reranker ${reranker?.model ?? 'none'}`,
  )
}

/** What ingest and doctor work on: the URL of the command line, else the configured upstream, and the models. */
async function openTarget(where: { url?: string; apiKey?: string }, wanted?: { embedder: boolean; reranker: boolean }) {
  const config = loadConfig()
  const upstream = await openUpstream(config, where)
  const models = await openModels(config, wanted && { wanted })
  const close = async () => {
    await models.close()
    await upstream.close()
  }
  return { config, upstream, models, close }
}
