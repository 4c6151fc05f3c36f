import { parentPort, workerData } from 'node:worker_threads'
import { loadConfig } from '../../src/config.ts'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { startServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { openGateway } from '../../src/wiring/gateway.ts'

/** What a server thread is to be: the embedded engine, or a whole stowage before an upstream with improvement off. */
export type ServerRole = { role: 'engine' } | { role: 'stowage'; upstream: string }

parentPort?.postMessage(await start(workerData as ServerRole))

async function start(wanted: ServerRole): Promise<string> {
  if (wanted.role === 'engine') return (await startEmbeddedServer()).url
  const config = loadConfig({
    QDRANT_URL: wanted.upstream,
    STOWAGE_DROPIN: 'passthrough',
    EMBEDDER: 'none',
    RERANKER: 'off',
  })
  const gateway = await openGateway(config, createLogger({ level: 'silent' }))
  return (await startServer(gateway.app, { port: 0, host: '127.0.0.1' })).url
}
