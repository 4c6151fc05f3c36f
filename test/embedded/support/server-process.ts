import { startEmbeddedServer } from '../../../src/embedded/server.ts'

/** A server in a process of its own, for tests that kill it. Prints its URL on one line. */
const [path] = process.argv.slice(2)
const server = await startEmbeddedServer(path === undefined ? {} : { path })
process.stdout.write(`${server.url}\n`)
