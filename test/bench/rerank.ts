import Table from 'cli-table3'
import { Command } from 'commander'
import { loadConfig } from '../../src/config.ts'
import { percentile } from '../../src/statistics/sample.ts'
import { openModels } from '../../src/wiring/models.ts'
import { machine, number } from './bench-report.ts'
import { readCandidates } from './candidates-file.ts'
import { measureArms, type RerankResult } from './rerank-arms.ts'
import { count, finish, progressLine, shown, signed } from './terminal.ts'

interface Flags {
  candidates: string
  model?: string
  limitQueries?: number
  json?: boolean
}

const program = new Command('bench:rerank')
  .description('nDCG@10 of the configured reranker on a candidates file, beside the first stage and the embedder')
  .requiredOption(
    '--candidates <file>',
    'one query a line: id, query, judged_relevant, passages with text, score, grade',
  )
  .option('--model <folder or id>', 'in place of RERANK_MODEL')
  .option('--limit-queries <n>', 'only the first n queries', count)
  .option('--json', 'one JSON document on stdout (npm run --silent)')
  .action(run)

async function run({ candidates, model, limitQueries, json }: Flags): Promise<void> {
  const loaded = loadConfig()
  const config = model ? { ...loaded, settings: { ...loaded.settings, RERANK_MODEL: model } } : loaded
  const rows = (await readCandidates(candidates)).slice(0, limitQueries)
  const models = await openModels(config)
  try {
    const names = { embedder: models.embedder?.version ?? null, reranker: models.reranker?.model ?? null }
    const result = await measureArms(rows, models, progressLine(process.stderr, 'queries'))
    const found = { machine: machine(), models: { ...names, unavailable: models.unavailable }, ...result }
    process.stdout.write(json ? `${JSON.stringify(found)}\n` : textOf(found))
  } finally {
    await models.close()
  }
}

type Found = RerankResult & {
  machine: ReturnType<typeof machine>
  models: {
    embedder: string | null
    reranker: string | null
    unavailable: Record<'embedder' | 'reranker', string | null>
  }
}

function textOf({ machine, models, queries, pairs, arms, milliseconds }: Found): string {
  const table = new Table({
    head: ['order', 'nDCG@10', 'to the first stage', '', 'nDCG@10, 2^grade − 1'],
    style: { head: [], border: [], compact: true },
  })
  for (const { arm, ndcg, comparison } of arms) {
    const change = comparison ? [signed(comparison.difference), comparison.verdict] : ['', '']
    table.push([arm, shown(ndcg.linear), ...change, shown(ndcg.exponential)])
  }
  const lines = [
    `${queries} queries, ${pairs} pairs · reranker ${models.reranker ?? 'none'} · embedder ${models.embedder ?? 'none'}`,
    table.toString(),
    'nDCG@10 = Σ grade/log2(rank + 1) ÷ the same of the ideal order of all judged items (trec_eval); the last column has gain 2^grade − 1.',
    'In brackets the 95 % bootstrap interval over queries. blend w: the pipeline’s blend of minmax(first stage) with share w of relevance.',
    ...(['reranker', 'embedder'] as const).map(name => speed(name, models.unavailable[name], milliseconds[name])),
    `Node ${machine.node}, ${machine.cores} × ${machine.cpu}, load ${machine.load.join(' ')}`,
  ]
  return `${lines.join('\n')}\n`
}

function speed(name: string, unavailable: string | null, milliseconds: readonly number[]): string {
  if (unavailable !== null) return `${name}: unavailable. ${unavailable}`
  const median = percentile(milliseconds, 0.5)
  if (median === null) return `${name}: no request of 50 passages to time`
  return `${name}: ${number(median)} ms for 50 passages (median of ${milliseconds.length}), ${number(50_000 / median)} a second, all workers`
}

await finish(program)
