import { parentPort, workerData } from 'node:worker_threads'
import { loadConfig } from '../../src/config.ts'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { startServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { openGateway } from '../../src/wiring/gateway.ts'
import { listen } from '../support/listen.ts'
import { createSlowQdrant } from './slow-qdrant.ts'

/** What a server thread is to be: the embedded engine, a slow stand-in for Qdrant, or a whole stowage before an upstream. */
export type ServerRole =
  | { role: 'engine' }
  | { role: 'slow-qdrant' }
  | { role: 'stowage'; upstream: string; dropIn: 'improve' | 'passthrough'; environment?: Record<string, string> }

parentPort?.postMessage(await start(workerData as ServerRole))

async function start(wanted: ServerRole): Promise<string> {
  if (wanted.role === 'engine') return (await startEmbeddedServer()).url
  if (wanted.role === 'slow-qdrant') return listen(createSlowQdrant())
  const config = loadConfig({
    QDRANT_URL: wanted.upstream,
    STOWAGE_DROPIN: wanted.dropIn,
    EMBEDDER: 'none',
    RERANKER: 'off',
    ...wanted.environment,
  })
  const gateway = await openGateway(config, createLogger({ level: 'silent' }))
  return (await startServer(gateway.app, { port: 0, host: '127.0.0.1' })).url
}
