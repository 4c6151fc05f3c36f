import type http from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { type AppDependencies, createApp } from '../../src/http/app.ts'
import { createPassthrough, type PassthroughOptions } from '../../src/http/passthrough/passthrough.ts'
import { type RunningServer, startServer } from '../../src/http/server.ts'
import { createReporter, type Reporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { listen } from './listen.ts'
import { notImplemented } from './not-implemented.ts'

/** A reporter whose log and metrics nobody looks at. */
export const silentReporter: Reporter = createReporter({
  metrics: createMetrics({ processMetrics: false }),
  logger: createLogger({ level: 'silent' }),
})

/** Dependencies of an app with everything off; tests replace what they look at. */
export function quietDependencies(overrides: Partial<AppDependencies> = {}): AppDependencies {
  return {
    packContext: notImplemented('packContext'),
    guardUpserts: null,
    guard: {
      http: { read: notImplemented('read'), readRaw: notImplemented('readRaw'), close: async () => {} },
      matchRoute: notImplemented('matchRoute'),
    },
    improvePoints: null,
    passthrough: notImplemented('passthrough'),
    findTrace: notImplemented('findTrace'),
    health: { ready: notImplemented('ready') },
    metrics: createMetrics({ processMetrics: false }),
    reporter: silentReporter,
    bumpEpoch() {},
    experiments: {
      list: notImplemented('list'),
      names: notImplemented('names'),
      outcomesOf: notImplemented('outcomesOf'),
      reset: notImplemented('reset'),
    },
    version: '0.0.0-test',
    ...overrides,
  }
}

/** Opens servers on loopback and closes them all together. */
export function createStage() {
  const closers: (() => Promise<void> | void)[] = []
  return {
    async listen(server: http.Server): Promise<string> {
      const url = await listen(server)
      closers.push(() => {
        server.closeAllConnections()
        server.close()
      })
      return url
    },
    /** A server that speaks bytes, for what Node's HTTP server would not say. */
    async listenBytes(onConnection: (socket: Socket) => void): Promise<{ url: string; server: Server }> {
      const open = new Set<Socket>()
      const server = createServer(socket => {
        open.add(socket)
        socket.on('error', () => {}).once('close', () => open.delete(socket))
        onConnection(socket)
      })
      const url = await listen(server)
      closers.push(() => {
        for (const socket of open) socket.destroy()
        server.close()
      })
      return { url, server }
    },
    async serve(overrides: Partial<AppDependencies> = {}): Promise<RunningServer> {
      const running = await startServer(createApp(quietDependencies(overrides)), { port: 0, host: '127.0.0.1' })
      closers.push(() => running.close(0))
      return running
    },
    /** stowage with every improvement off, before the given upstream. */
    async serveBefore(upstream: string, options: Partial<PassthroughOptions> = {}): Promise<RunningServer> {
      const proxy = createPassthrough({ upstream: new URL(upstream), ...options })
      closers.push(proxy.close)
      return this.serve({ passthrough: proxy.passthrough })
    },
    async close(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}
