import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { DemoCommandDependencies } from '../commands/demo.ts'
import { type Config, loadDemoConfig } from '../config.ts'
import { DEMO_COLLECTION, type DemoWorld } from '../demo/demo.ts'
import { parseArms } from '../evaluation/arms/parse.ts'
import { type GoldenSet, readGoldenSet } from '../evaluation/golden-set/golden-set.ts'
import { sharesByText } from '../evaluation/metrics/context.ts'
import { isFound } from '../evaluation/metrics/found.ts'
import { plainText } from '../evaluation/metrics/plain-text.ts'
import { QueryEvidence } from '../evaluation/metrics/query-evidence.ts'
import { type RunningServer, startServer } from '../http/server.ts'
import { ingest } from '../ingest/ingest.ts'
import { createLogger } from '../observe/logger.ts'
import { NAMED_PLANS } from '../pipeline/plan/named-plans.ts'
import { counted } from '../text/printable.ts'
import { type Gateway, openGateway } from './gateway.ts'
import { ingestInto } from './ingest.ts'

const DEMO_SET = fileURLToPath(new URL('../../goldens/isharoth', import.meta.url))

/** For `stowage demo`: always uses the embedded engine in memory, even if QDRANT_URL is set. */
export const openDemo: DemoCommandDependencies['open'] = async onProgress => {
  const config = loadDemoConfig()
  const gateway = await openGateway(config, createLogger({ level: 'error' }))
  const set = await readGoldenSet(DEMO_SET)
  await fillDemo(gateway, config, set, onProgress)
  let server: RunningServer | null = null
  return {
    world: demoWorld(gateway, config, set),
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
}

async function fillDemo(
  { upstream, models }: Gateway,
  { plan }: Config,
  { documents }: GoldenSet,
  onProgress: (line: string) => void,
) {
  const { embedder, reranker } = models
  const dependencies = ingestInto(upstream, embedder, plan.tokenizerModel)
  let reported = 0
  const summary = await ingest(documents, dependencies, { collection: DEMO_COLLECTION }, ({ chunks, written }) => {
    if (written - reported < 100) return
    reported = written
    onProgress(`ingesting: ${written} of ${chunks} chunks so far`)
  })
  onProgress(
    `ingested ${counted(summary.documents, 'document')} as ${counted(summary.chunks, 'chunk')}; embedder ${embedder?.version ?? 'none'}, reranker ${reranker?.model ?? 'none'}`,
  )
}

/** The configured plan, and the baseline arm of the replay, judged by the gold passages of the set. Both have time to score every pair. */
function demoWorld(gateway: Gateway, { plan }: Config, { queries }: GoldenSet): DemoWorld {
  const [stowage, topK] = parseArms('measured,baseline', { ...NAMED_PLANS, measured: plan })
  return {
    stowage: gateway.packContextWith(stowage?.plan ?? plan),
    topK: gateway.packContextWith(topK?.plan ?? plan),
    countGolds(asked, context) {
      const golden = queries.find(({ query }) => query === asked)
      if (golden === undefined) return { found: 0, of: 0 }
      const shares = sharesByText(new QueryEvidence(golden).in(plainText(context, plan.format)).golds)
      return { found: shares.filter(isFound).length, of: shares.length }
    },
  }
}
