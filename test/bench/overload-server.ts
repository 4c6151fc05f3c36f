import { loadConfig } from '../../src/config.ts'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { startServer } from '../../src/http/server.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { openGateway } from '../../src/wiring/gateway.ts'
import { ingestInto } from '../../src/wiring/ingest.ts'
import { openModels } from '../../src/wiring/models.ts'
import { readIsharoth } from './world.ts'

/** The collection of the overload bench. */
const COLLECTION = 'bench'

/** A process of the overload bench: the embedded engine with a corpus, or a whole stowage in front of it. It sends its URL. */
async function start(upstream: string | undefined): Promise<string> {
  if (upstream === undefined) {
    const engine = await startEmbeddedServer()
    const config = loadConfig()
    const models = await openModels(config)
    const { documents } = await readIsharoth()
    const target = ingestInto({ url: engine.url, apiKey: null }, models.embedder, config.plan.tokenizerModel)
    await ingest(documents, target, { collection: COLLECTION })
    await models.close()
    return engine.url
  }
  const gateway = await openGateway(
    loadConfig({ ...process.env, QDRANT_URL: upstream }),
    createLogger({ level: 'silent' }),
  )
  return (await startServer(gateway.app, { port: 0, host: '127.0.0.1' })).url
}

process.once('disconnect', () => process.exit())
process.send?.(await start(process.argv[2]))
