import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { percentile } from '../../../src/statistics/sample.ts'
import { aptInstall, folderOnPath } from '../../services/support/debian.ts'
import { listOption, machine, number, plainTable } from '../bench-report.ts'
import { cpuMilliseconds, type ServerProcess, startServe } from '../server-process.ts'
import { type Contender, type Figures, type Measured, sideBySide } from '../side-by-side.ts'
import { count } from '../terminal.ts'
import { startFixedAnswers, startProxy } from './nginx.ts'
import { type Call, type Load, load, writeScript } from './wrk.ts'

/**
 * `npm run bench:passthrough`: what stowage and nginx add to requests that only pass through. The upstream is an nginx with fixed answers, so nearly all
 * of the time is that of the proxy. Every server and the client have a process of their own.
 */
const program = new Command('passthrough')
  .description('latency and processor time that stowage adds to requests that pass through, beside nginx')
  .option('--connections <list>', 'numbers of connections', listOption, [1, 50])
  .option('--rounds <n>', 'rounds, each of which asks directly, through nginx and through stowage', count, 5)
  .option('--seconds <n>', 'seconds of each measure', count, 2)
  .option('--workers <n>', 'WORKERS of stowage', '1')
  .option('--only <call>', 'one kind of request alone: scroll, search, upsert or collection')
  .action(run)

interface Options {
  connections: number[]
  rounds: number
  seconds: number
  only?: string
  workers: string
}

/** As of a collection that no `stowage ingest` made. */
const COLLECTION = {
  status: 'green',
  points_count: 5,
  config: { params: { vectors: { size: 384, distance: 'Cosine' } } },
  payload_schema: {},
}
const POINT = { version: 3, score: 0.6229017, payload: { doc_id: 'd1', text: 'Reset the pump by hand. '.repeat(20) } }
const ANSWERS = {
  '/collections/bench/points/scroll': {
    result: { points: points(5), next_page_offset: null },
    status: 'ok',
    time: 0.001,
  },
  '/collections/bench/points/query': { result: { points: points(5) }, status: 'ok', time: 0.001 },
  '/collections/bench/points': { result: { operation_id: 7, status: 'completed' }, status: 'ok', time: 0.002 },
  '/collections/bench': { result: COLLECTION, status: 'ok', time: 0.0001 },
}
const HUNDRED_KILOBYTES = 100_000
const CALLS: Record<string, Call> = {
  scroll: {
    method: 'POST',
    path: '/collections/bench/points/scroll',
    body: JSON.stringify({ limit: 5, filter: { must: [{ key: 'doc_id', match: { value: 'd1' } }] } }),
  },
  // A kind of search that is read and not understood.
  search: {
    method: 'POST',
    path: '/collections/bench/points/query',
    body: JSON.stringify({ query: { recommend: { positive: [1, 2] } }, limit: 5, with_payload: true }),
  },
  upsert: { method: 'PUT', path: '/collections/bench/points?wait=true', body: upsertOf(HUNDRED_KILOBYTES) },
  collection: { method: 'GET', path: '/collections/bench', body: null },
}

async function run(options: Options): Promise<void> {
  const fault = await missingPrograms()
  if (fault !== null) {
    process.stderr.write(`${fault}\nWithout both: npm run bench -- --only passthrough\n`)
    process.exitCode = 2
    return
  }
  const { node, cores, cpu, load: busy } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${busy.join(' ')}\n`)
  const folder = await mkdtemp(join(tmpdir(), 'stowage-bench-'))
  const servers: ServerProcess[] = []
  const started = async (server: Promise<ServerProcess>) => {
    servers.push(await server)
    return server
  }
  try {
    const upstream = await started(startFixedAnswers(folder, ANSWERS))
    const nginx = await started(startProxy(folder, upstream.url))
    const quiet = {
      QDRANT_URL: upstream.url,
      WORKERS: options.workers,
      EMBEDDER: 'none',
      RERANKER: 'off',
      LOG_LEVEL: 'info',
    }
    const stowage = await started(startServe(quiet))
    for (const [name, call] of Object.entries(CALLS)) {
      if (options.only !== undefined && options.only !== name) continue
      const script = await writeScript(folder, name, call)
      for (const connections of options.connections) {
        process.stderr.write(`${name}, ${connections} connections…\n`)
        const contenders = Object.entries({ directly: upstream, nginx, stowage }).map(([label, server]) =>
          contenderOf(label, server, url => load(url, script, connections, options.seconds)),
        )
        const rows = await sideBySide(contenders, { rounds: options.rounds })
        process.stdout.write(`\n${name}, ${connections} at once\n${tableOf(rows)}\n`)
      }
    }
  } finally {
    await Promise.all(servers.map(server => server.stop()))
    await rm(folder, { recursive: true })
  }
}

function contenderOf(label: string, { url, pid }: ServerProcess, measure: (url: string) => Promise<Load>): Contender {
  return {
    label,
    async run(): Promise<Figures> {
      const before = cpuMilliseconds(pid)
      const { requests, ...figures } = await measure(url)
      return { ...figures, cpu: (1_000 * (cpuMilliseconds(pid) - before)) / requests }
    },
  }
}

/** Medians over the rounds. What a proxy adds is its time less that of the direct requests of the same round. */
function tableOf(rows: readonly Measured[]): string {
  const head = ['', 'p50 ms', 'p50 added', 'p95 added', 'p99 added', 'requests/s', 'CPU µs/request']
  const [direct] = rows
  const cells = rows.map(row => {
    const added = (name: string) =>
      percentile(
        row.rounds.map((figures, at) => (figures[name] ?? 0) - (direct?.rounds[at]?.[name] ?? 0)),
        0.5,
      ) ?? 0
    const { p50 = 0, perSecond = 0, cpu = 0 } = row.medians
    return [row.label, p50, added('p50'), added('p95'), added('p99'), perSecond, cpu].map(shown)
  })
  return plainTable(head, cells)
}

const shown = (cell: string | number): string => (typeof cell === 'string' ? cell : number(cell))

async function missingPrograms(): Promise<string | null> {
  const missing = ['nginx', 'wrk'].filter(name => folderOnPath(name) === null)
  return missing.length === 0 ? null : aptInstall(missing)
}

function points(size: number): object[] {
  return Array.from({ length: size }, (_, id) => ({ id, ...POINT }))
}

function upsertOf(bytes: number): string {
  const pointsOf = (size: number) =>
    JSON.stringify({
      points: Array.from({ length: size }, (_, id) => ({
        id,
        vector: Array.from({ length: 384 }, (_, at) => Math.fround(Math.sin(id + at))),
        payload: POINT.payload,
      })),
    })
  const size = Math.round(bytes / (pointsOf(2).length - pointsOf(1).length))
  return pointsOf(size)
}

await program.parseAsync()
