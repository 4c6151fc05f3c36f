import { startEmbeddedServer } from '../../src/embedded/server.ts'

/** The engine in a process of its own, so that a busy stowage does not slow it down. */
const { url } = await startEmbeddedServer()
process.stdout.write(`listens on ${url}\n`)
process.once('SIGTERM', () => process.exit(0))
