import { Command } from 'commander'
import { Pool } from 'undici'
import { percentile } from '../../src/statistics/sample.ts'
import { ask, differentQuestions } from './ask-contexts.ts'
import { listOption, machine, number, plainTable } from './bench-report.ts'
import { ingestIsharoth } from './scale/ingest-isharoth.ts'
import { cpuMilliseconds, residentMegabytes, startEngine, startServe } from './server-process.ts'
import { count } from './terminal.ts'

const COLLECTION = 'bench'

interface Options {
  requests: number[]
  clients: number
  seconds: number
  workers: string
  reranker: string
  cores?: string
}

/** `npm run bench:memory`: what `stowage serve` with both models takes, before an engine in another process. */
const program = new Command('memory')
  .description('memory and processor time of `stowage serve` with both models, from its start to thousands of contexts')
  .option('--requests <list>', 'after how many contexts it is read', listOption, [400, 2_000, 5_000])
  .option('--clients <n>', 'clients that ask at the same time', count, 4)
  .option('--seconds <n>', 'most seconds of the whole run', count, 900)
  .option('--workers <n>', 'WORKERS', '1')
  .option('--reranker <name>', 'RERANKER: crossencoder or off', 'crossencoder')
  .option('--cores <list>', 'processor cores of the server, as taskset -c takes them; default: all')
  .action(run)

async function run(options: Options): Promise<void> {
  const { node, cores, cpu, load } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)
  const end = performance.now() + options.seconds * 1_000
  const engine = await startEngine()
  const environment = { QDRANT_URL: engine.url, WORKERS: options.workers, RERANKER: options.reranker }
  const stowage = await startServe(environment, options.cores)
  const rows: string[][] = []
  const note = (when: string, rest: readonly string[] = []) => {
    const { now, highest, proportional } = residentMegabytes(stowage.pid)
    rows.push([when, number(now), number(highest), number(proportional), ...rest])
    process.stderr.write(`${when}: ${number(now)} MB\n`)
  }
  try {
    note('started')
    const [here, there] = [process.cpuUsage(), cpuMilliseconds(stowage.pid)]
    const { questions: known, chunks } = await ingestIsharoth(stowage.url, COLLECTION)
    const questions = differentQuestions(known)
    const spent = process.cpuUsage(here)
    const ingestSeconds = (spent.user + spent.system) / 1e6
    note('the documents were ingested through it')
    const client = new Pool(stowage.url, { connections: options.clients })
    const passedSeconds = (cpuMilliseconds(stowage.pid) - there) / 1_000
    let asked = 0
    for (const goal of options.requests) {
      const [before, from, cpuBefore] = [asked, performance.now(), cpuMilliseconds(stowage.pid)]
      const times: number[] = []
      const lane = async () => {
        while (asked < goal && performance.now() < end) {
          const from = performance.now()
          await ask(client, COLLECTION, questions(asked++))
          times.push(performance.now() - from)
        }
      }
      await Promise.all(Array.from({ length: options.clients }, lane))
      const did = asked - before
      const perContext = (cpuMilliseconds(stowage.pid) - cpuBefore) / did
      const perSecond = (1_000 * did) / (performance.now() - from)
      const [p50, p95] = [percentile(times, 0.5) ?? 0, percentile(times, 0.95) ?? 0]
      note(`${asked} contexts`, [perContext, perSecond, p50, p95].map(number))
      if (asked < goal) break
    }
    await client.close()
    const per1000 = (seconds: number) => number((1_000 * seconds) / chunks)
    process.stdout.write(
      `CPU seconds per 1,000 chunks: ${per1000(ingestSeconds)} in \`stowage ingest\`, ${per1000(passedSeconds)} in the server that they pass through\n`,
    )
  } finally {
    await Promise.all([stowage.stop(), engine.stop()])
  }
  const head = ['', 'resident MB', 'highest MB', 'proportional MB', 'CPU ms/context', 'contexts/s', 'p50 ms', 'p95 ms']
  const width = head.length
  process.stdout.write(
    `${plainTable(
      head,
      rows.map(row => [...row, ...Array(width - row.length).fill('')]),
    )}\n`,
  )
}

await program.parseAsync()
