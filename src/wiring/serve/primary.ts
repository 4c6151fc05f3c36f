import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { killWhenHung } from '../../cluster/hang-watch.ts'
import { startSupervisor } from '../../cluster/supervisor.ts'
import { setUpWorkers, WorkerFailure } from '../../cluster/worker-process.ts'
import type { RunningService } from '../../commands/serve.ts'
import { type Config, ConfigError } from '../../config.ts'
import { workerModule } from '../../core/work/worker-module.ts'
import { cannotListen } from '../../http/server.ts'
import { createReporter } from '../../observe/events.ts'
import type { Logger } from '../../observe/logger.ts'
import { createMetrics } from '../../observe/metrics.ts'
import { openUpstream } from '../upstream.ts'
import { VERSION } from '../version.ts'
import { createHub, type StartOfAll } from './hub.ts'
import { openTraceFile } from './trace-file.ts'

/**
 * Starts the workers and looks after them. This process owns the port, the file of traces and the embedded engine, which there can be
 * only one of, and answers no request itself.
 * @throws ConfigError, or Error, with the reason of the first worker that cannot start
 */
export async function startPrimary(
  config: Config,
  logger: Logger,
  address: { port: number; host: string },
): Promise<RunningService> {
  const { WORKERS: count, WORKER_HANG_MS: hangMs, QDRANT_URL, TRACE_FILE } = config.settings
  if (!cluster.isPrimary)
    throw new ConfigError([
      `WORKERS=${count}: this process is itself a worker of a cluster of Node; let one of both start workers`,
    ])
  const port = await freePort(address)
  const engine = QDRANT_URL === undefined ? await openUpstream(config) : null
  const metrics = createMetrics({ version: VERSION, workers: () => 0 })
  // This process answers no requests, so its event loop would only dilute what is known of theirs.
  for (const { name } of metrics.registry.getMetricsAsArray())
    if (name.startsWith('nodejs_')) metrics.registry.removeSingleMetric(name)
  const reporter = createReporter({ metrics, logger })
  const start: StartOfAll = {
    ...{ config, host: address.host, port, count, secret: randomUUID(), engineUrl: engine?.url ?? null },
  }
  const traceFile = TRACE_FILE === undefined ? null : openTraceFile(TRACE_FILE, logger)
  const hub = createHub({ start, metrics, traceFile })
  setUpWorkers(workerModule('serve.worker', import.meta.url))
  try {
    const supervisor = await startSupervisor({
      count,
      start: place => {
        const worker = hub.startWorker(place)
        if (hangMs > 0) killWhenHung(worker, { hangMs, onHung: reporter.workerHung })
        return worker
      },
      onLost: ({ pid, end: { code, signal, reason }, restartMs }) => {
        const detail = reason ?? (signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`)
        reporter.workerLost({ pid, detail, restartMs })
      },
    })
    // Without the primary a worker ends itself, which one that hangs cannot do.
    process.once('exit', () => {
      for (const worker of supervisor.workers) worker.kill()
    })
    const [first] = await Promise.all(supervisor.workers.map(({ listening }) => listening))
    if (first === undefined) throw new Error('no worker listens')
    for (const warning of first.warnings) logger.warn(warning)
    return {
      url: first.url,
      description: { ...first.description, workers: String(count) },
      ...(first.canReload && { reload: async () => hub.reload() }),
      close: async graceMs => {
        await supervisor.close(graceMs)
        await engine?.close()
      },
    }
  } catch (error) {
    await engine?.close()
    throw error instanceof WorkerFailure && error.faults !== null ? new ConfigError(error.faults) : error
  }
}

/** The port that all workers will listen on: the given one if it can be had, or a free one for 0. */
async function freePort(address: { port: number; host: string }): Promise<number> {
  const server = createServer()
  server.listen(address)
  await once(server, 'listening').catch(cause => Promise.reject(cannotListen(address, cause)))
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
