import { Command } from 'commander'
import { folderOnPath } from '../../services/support/debian.ts'
import { listOption, machine, tableText } from '../bench-report.ts'
import { count } from '../terminal.ts'
import { measurePoints } from './points.ts'
import { measureReplicas } from './replicas.ts'

/** `npm run bench:scale`: contexts by the number of replicas behind nginx, and by the number of points in a collection. */
const program = new Command('scale')
  .description('contexts in a second by replicas behind nginx, and times of contexts by points in the collection')
  .option('--replicas <list>', 'numbers of replicas; 0 for none of this', listOption, [1, 2, 4])
  .option('--points <list>', 'sizes of collections; 0 for none of this', listOption, [10_000, 100_000])
  .option('--clients <n>', 'clients that ask the replicas at the same time', count, 8)
  .option('--rounds <n>', 'rounds, each of which asks all numbers of replicas', count, 3)
  .option('--seconds <n>', 'seconds of each measure', count, 10)
  .option('--questions <n>', 'questions to each collection', count, 60)
  .option('--warm', 'let stowage warm read the passages of each collection first')
  .option('--no-rerank', 'contexts without the reranker')
  .action(run)

interface Options {
  replicas: number[]
  points: number[]
  clients: number
  rounds: number
  seconds: number
  questions: number
  rerank: boolean
  warm?: boolean
}

async function run({ replicas, points, questions, rerank, warm = false, ...load }: Options): Promise<void> {
  const { node, cores, cpu, load: busy } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${busy.join(' ')}\n`)
  const environment = { EMBEDDER: 'local', RERANKER: rerank ? 'crossencoder' : 'off' }
  const wanted = replicas.filter(number => number > 0)
  if (wanted.length > 0 && folderOnPath('nginx') === null) {
    process.stderr.write('nginx is not installed (Debian package nginx-light): --replicas 0 leaves it out\n')
    process.exitCode = 2
    return
  }
  if (wanted.length > 0) {
    const rows = await measureReplicas({ replicas: wanted, environment, ...load })
    process.stdout.write(`\nreplicas behind nginx, ${load.clients} clients\n${tableText(rows)}\n`)
  }
  const sizes = points.filter(number => number > 0)
  if (sizes.length > 0)
    process.stdout.write(
      `\npoints in the collection, one client\n${tableText(await measurePoints(sizes, { questions, environment, warm }))}\n`,
    )
}

await program.parseAsync()
