import { Command } from 'commander'
import { Pool } from 'undici'
import { ask, differentQuestions } from './ask-contexts.ts'
import { listOption, machine, number, plainTable } from './bench-report.ts'
import { ingestIsharoth } from './scale/ingest-isharoth.ts'
import { residentMegabytes, startEngine, startServe } from './server-process.ts'
import { count } from './terminal.ts'

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
    const questions = differentQuestions(await ingestIsharoth(stowage.url, COLLECTION))
    read('the documents were ingested through it')
    const client = new Pool(stowage.url, { connections: options.clients })
    let asked = 0
    for (const goal of options.requests) {
      const lane = async () => {
        while (asked < goal && performance.now() < end) await ask(client, COLLECTION, questions(asked++))
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

await program.parseAsync()
