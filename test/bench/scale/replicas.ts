import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { percentile } from '../../../src/statistics/sample.ts'
import { ask, differentQuestions } from '../ask-contexts.ts'
import { startProxy } from '../passthrough/nginx.ts'
import { cpuMilliseconds, residentMegabytes, type ServerProcess, startEngine, startServe } from '../server-process.ts'
import { type Contender, type Figures, type Measured, sideBySide } from '../side-by-side.ts'
import { ingestIsharoth } from './ingest-isharoth.ts'

const COLLECTION = 'bench'

export interface ReplicaOptions {
  /** Numbers of replicas behind nginx. */
  replicas: readonly number[]
  clients: number
  rounds: number
  /** Seconds of each measure. */
  seconds: number
  /** More variables for each replica. */
  environment: Readonly<Record<string, string>>
}

/** Contexts in a second, by the number of replicas behind nginx. Every process shares the cores of this machine, the engine and nginx too. */
export async function measureReplicas(options: ReplicaOptions): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-bench-'))
  const servers: ServerProcess[] = []
  try {
    const engine = await startEngine()
    servers.push(engine)
    const questions = differentQuestions((await ingestIsharoth(engine.url, COLLECTION)).questions)
    let asked = 0
    const contenders: Contender[] = []
    for (const count of options.replicas) {
      const environment = { QDRANT_URL: engine.url, ...options.environment }
      const replicas = await Promise.all(Array.from({ length: count }, () => startServe(environment)))
      const proxy = await startProxy(folder, ...replicas.map(({ url }) => url))
      servers.push(...replicas, proxy)
      const next = () => questions(asked++)
      contenders.push({ label: `${count}`, run: () => measure(proxy.url, replicas, next, options) })
    }
    return await sideBySide(contenders, { rounds: options.rounds })
  } finally {
    await Promise.all(servers.map(server => server.stop()))
    await rm(folder, { recursive: true })
  }
}

async function measure(
  url: string,
  replicas: readonly ServerProcess[],
  question: () => string,
  { clients, seconds }: ReplicaOptions,
): Promise<Figures> {
  const pool = new Pool(url, { connections: clients })
  const spent = () => replicas.reduce((sum, { pid }) => sum + cpuMilliseconds(pid), 0)
  const [cpu, started] = [spent(), performance.now()]
  const times: number[] = []
  const lane = async () => {
    while (performance.now() - started < 1_000 * seconds) {
      const before = performance.now()
      await ask(pool, COLLECTION, question())
      times.push(performance.now() - before)
    }
  }
  await Promise.all(Array.from({ length: clients }, lane))
  const elapsed = performance.now() - started
  await pool.close()
  return {
    'contexts/s': (1_000 * times.length) / elapsed,
    'p50 ms': percentile(times, 0.5) ?? Number.NaN,
    'p95 ms': percentile(times, 0.95) ?? Number.NaN,
    'CPU ms/context': (spent() - cpu) / times.length,
    'resident MB': replicas.reduce((sum, { pid }) => sum + residentMegabytes(pid).now, 0),
  }
}
