import { startEmbeddedServer } from '../../../../src/embedded/server.ts'
import { createLogger } from '../../../../src/observe/logger.ts'
import { openStowage, type Stowage } from '../../../support/stowage.ts'

export interface Replica extends Stowage {
  /** The messages of the log about the shared store, each with its operation. */
  log: string[]
  /** The value of a series of the metrics, as it is spelt there. */
  metric(series: string): Promise<number | null>
  /** The check of the shared store in `/readyz`. */
  health(): Promise<{ ready: boolean; ok: boolean }>
}

/** Replicas of stowage before one Qdrant, which is an embedded engine. */
export async function openReplicas(count: number, environment: Record<string, string>) {
  const engine = await startEmbeddedServer()
  const replicas = await Promise.all(Array.from({ length: count }, () => openReplica(engine.url, environment)))
  return {
    engine,
    replicas,
    close: async () => {
      await Promise.all(replicas.map(replica => replica.close()))
      await engine.close()
    },
  }
}

/** With a timeout that a busy machine does not meet by accident. */
async function openReplica(qdrant: string, environment: Record<string, string>): Promise<Replica> {
  const log: string[] = []
  const write = (line: string) => {
    const { msg, operation } = JSON.parse(line)
    if (/shared store/u.test(msg)) log.push(`${operation}: ${/works again/u.test(msg) ? 'works again' : 'fails'}`)
  }
  const logger = createLogger({ level: 'info', destination: { write } })
  const stowage = await openStowage({ QDRANT_URL: qdrant, REDIS_TIMEOUT_MS: '1000', ...environment }, logger)
  return {
    ...stowage,
    log,
    async metric(series) {
      const text = await (await fetch(`${stowage.url}/v1/metrics`)).text()
      const line = text.split('\n').find(one => one.startsWith(`${series} `))
      return line === undefined ? null : Number(line.slice(series.length + 1))
    },
    async health() {
      const state = (await (await fetch(`${stowage.url}/readyz`)).json()) as {
        ready: boolean
        checks: { name: string; ok: boolean }[]
      }
      return { ready: state.ready, ok: state.checks.find(({ name }) => name === 'shared store')?.ok ?? false }
    },
  }
}
