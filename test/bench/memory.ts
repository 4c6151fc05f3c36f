import { Command } from 'commander'
import { Pool } from 'undici'
import { loadConfig } from '../../src/config.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { percentile } from '../../src/statistics/sample.ts'
import { ingestInto } from '../../src/wiring/ingest.ts'
import { openModels } from '../../src/wiring/models.ts'
import { listOption, machine, number, plainTable } from './bench-report.ts'
import { cpuMilliseconds, residentMegabytes, startEngine, startServe } from './server-process.ts'
import { count } from './terminal.ts'
import { readIsharoth } from './world.ts'

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
    const { documents, queries } = await readIsharoth()
    const config = loadConfig()
    const models = await openModels(config, { wanted: { embedder: true, reranker: false } })
    const target = ingestInto({ url: stowage.url, apiKey: null }, models.embedder, config.plan.tokenizerModel)
    const [here, there] = [process.cpuUsage(), cpuMilliseconds(stowage.pid)]
    const { chunks } = await ingest(documents, target, { collection: COLLECTION })
    const spent = process.cpuUsage(here)
    const ingestSeconds = (spent.user + spent.system) / 1e6
    await models.close()
    note(`${documents.length} documents were ingested through it`)
    const client = new Pool(stowage.url, { connections: options.clients })
    const questions = differentQuestions(queries.map(({ query }) => query))
    const passedSeconds = (cpuMilliseconds(stowage.pid) - there) / 1_000
    let asked = 0
    for (const goal of options.requests) {
      const [before, from, cpuBefore] = [asked, performance.now(), cpuMilliseconds(stowage.pid)]
      const times: number[] = []
      const lane = async () => {
        while (asked < goal && performance.now() < end) times.push(await ask(client, questions(asked++)))
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

/** The questions themselves, then two of them joined: no cache has the answer, and other passages are found. */
function differentQuestions(questions: readonly string[]): (at: number) => string {
  const { length } = questions
  return at => {
    const [first, round] = [at % length, Math.floor(at / length)]
    return round === 0 ? `${questions[first]}` : `${questions[first]} ${questions[(first + round) % length]}`
  }
}

/** @returns milliseconds until the end of the answer */
async function ask(client: Pool, query: string): Promise<number> {
  const from = performance.now()
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/v1/context',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, collection: COLLECTION }),
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`/v1/context answered ${statusCode}`)
  return performance.now() - from
}

await program.parseAsync()
