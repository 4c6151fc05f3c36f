import { Command } from 'commander'
import { Pool } from 'undici'
import { loadConfig } from '../../src/config.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { ingestInto } from '../../src/wiring/ingest.ts'
import { openModels } from '../../src/wiring/models.ts'
import { listOption, machine, number, plainTable } from './bench-report.ts'
import { residentMegabytes, startEngine, startServe } from './server-process.ts'
import { count } from './terminal.ts'
import { readIsharoth } from './world.ts'

const COLLECTION = 'bench'

/** `npm run bench:memory`: resident memory of `stowage serve` with both models, before an engine in another process. */
const program = new Command('memory')
  .description('resident memory of `stowage serve` with both models, from its start to thousands of contexts')
  .option('--requests <list>', 'after how many contexts it is read', listOption, [400, 2_000, 5_000])
  .option('--clients <n>', 'clients that ask at the same time', count, 4)
  .option('--seconds <n>', 'most seconds of the whole run', count, 900)
  .action(run)

async function run(options: { requests: number[]; clients: number; seconds: number }): Promise<void> {
  const { node, cores, cpu, load } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)
  const end = performance.now() + options.seconds * 1_000
  const engine = await startEngine()
  const stowage = await startServe({ QDRANT_URL: engine.url })
  const rows: string[][] = []
  const read = (when: string) => {
    const { now, highest } = residentMegabytes(stowage.pid)
    rows.push([when, number(now), number(highest)])
    process.stderr.write(`${when}: ${number(now)} MB\n`)
  }
  try {
    read('started')
    const { documents, queries } = await readIsharoth()
    const config = loadConfig()
    const models = await openModels(config, { wanted: { embedder: true, reranker: false } })
    const target = ingestInto({ url: stowage.url, apiKey: null }, models.embedder, config.plan.tokenizerModel)
    await ingest(documents, target, { collection: COLLECTION })
    await models.close()
    read(`${documents.length} documents were ingested through it`)
    const client = new Pool(stowage.url, { connections: options.clients })
    const questions = differentQuestions(queries.map(({ query }) => query))
    let asked = 0
    for (const goal of options.requests) {
      const lane = async () => {
        while (asked < goal && performance.now() < end) await ask(client, questions(asked++))
      }
      await Promise.all(Array.from({ length: options.clients }, lane))
      read(`${asked} contexts`)
      if (asked < goal) break
    }
    await client.close()
  } finally {
    await Promise.all([stowage.stop(), engine.stop()])
  }
  process.stdout.write(`${plainTable(['', 'resident MB', 'highest MB'], rows)}\n`)
}

/** The questions themselves, then two of them joined: no cache has the answer, and other passages are found. */
function differentQuestions(questions: readonly string[]): (at: number) => string {
  const { length } = questions
  return at => {
    const [first, round] = [at % length, Math.floor(at / length)]
    return round === 0 ? `${questions[first]}` : `${questions[first]} ${questions[(first + round) % length]}`
  }
}

async function ask(client: Pool, query: string): Promise<void> {
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/v1/context',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, collection: COLLECTION }),
  })
  await body.dump()
  if (statusCode !== 200) throw new Error(`/v1/context answered ${statusCode}`)
}

await program.parseAsync()
