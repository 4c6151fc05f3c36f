import Table from 'cli-table3'
import { Command } from 'commander'
import { startEmbeddedServer } from '../../../src/embedded/server.ts'
import { type GoldenSet, readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { evidenceFigures, sharesByText } from '../../../src/evaluation/metrics/context.ts'
import { QueryEvidence } from '../../../src/evaluation/metrics/query-evidence.ts'
import type { Trace } from '../../../src/pipeline/trace/schema.ts'
import { pairedInterval } from '../../../src/statistics/bootstrap.ts'
import { count, finish, signed } from '../../bench/terminal.ts'
import { chunksOf } from '../../bench/world.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { installFrameworks } from '../support/install.ts'
import { startStowage } from '../support/stowage.ts'
import { type Installed, type Language, runBackend } from './backends.ts'

const ASKED: readonly (readonly [string, Language, string])[] = [
  ['LangChain', 'javascript', 'langchain'],
  ['LangChain', 'python', 'langchain'],
  ['LlamaIndex', 'javascript', 'llamaindex'],
  ['LlamaIndex', 'python', 'llamaindex'],
  ['Mastra, AI SDK', 'javascript', 'mastra'],
]

interface Flags {
  limit: number
  limitQueries?: number
  json?: boolean
}

const program = new Command('bench:frameworks')
  .description(
    'answer recall of the hits of backends of real frameworks: with the embedded engine and a provider of embeddings, and with stowage at both URLs',
  )
  .argument('<set...>', 'folders of golden sets')
  .option('--limit <n>', 'hits of a search', count, 5)
  .option('--limit-queries <n>', 'only the first n questions of each set', count)
  .option('--json', 'one JSON document on stdout (npm run --silent)')
  .action(run)

interface Row {
  framework: string
  set: string
  /** Recall of each question, 0 to 1. */
  direct: number[]
  stowage: number[]
  /** Searches through stowage whose trace has the question from the relay, an intent, and scores of the reranker. */
  complete: number
}

async function run(folders: string[], flags: Flags): Promise<void> {
  const installed = await installFrameworks()
  const rows: Row[] = []
  for (const folder of folders) rows.push(...(await measureSet(await readGoldenSet(folder), flags, installed)))
  const figures = rows.map(({ direct, stowage, ...row }) => ({
    ...row,
    questions: direct.length,
    direct: pairedInterval([direct]),
    stowage: pairedInterval([stowage]),
    difference: pairedInterval([stowage.map((recall, at) => recall - (direct[at] ?? 0))]),
  }))
  if (flags.json) return void process.stdout.write(`${JSON.stringify({ limit: flags.limit, figures })}\n`)
  const head = ['framework', 'set', 'without', 'with stowage', 'difference', 'searches with question and reranking']
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  for (const { framework, set, direct, stowage, difference, complete, questions } of figures) {
    const means = [direct, stowage].map(({ mean }) => mean.toFixed(3))
    table.push([framework, set, ...means, signed(difference), `${complete} of ${questions}`])
  }
  process.stdout.write(`answer recall by text in ${flags.limit} hits\n${table}\n`)
}

async function measureSet(set: GoldenSet, flags: Flags, installed: Installed): Promise<Row[]> {
  const engine = await startEmbeddedServer()
  // A stowage that serves its own embedder is the provider. It is a process of its own: to another one of the same process, it would be a loop.
  const provider = await startStowage({ EMBEDDER: 'local', EMBEDDINGS_RELAY_URL: 'local' })
  const stowage = await openStowage({
    QDRANT_URL: engine.url,
    EMBEDDINGS_RELAY_URL: `${provider.url}/v1`,
    RERANKER: 'crossencoder',
  })
  const golden = set.queries.slice(0, flags.limitQueries)
  const documents = chunksOf(set).map(({ text }) => text)
  const questions = golden.map(({ query }) => query)
  const recallOf = (hits: string[][]) =>
    golden.map((one, at) => {
      const found = new QueryEvidence(one).in((hits[at] ?? []).join('\n\n'))
      return evidenceFigures(sharesByText(found.golds)).recall
    })
  try {
    const rows: Row[] = []
    for (const [name, language, framework] of ASKED) {
      process.stderr.write(`${set.name}: ${framework} in ${language}\n`)
      const job = { framework, collection: `${language}-${framework}`, limit: flags.limit, questions }
      const without = { ...job, embeddings: provider.url, qdrant: engine.url, documents }
      const direct = recallOf(await runBackend(language, without, installed))
      stowage.answered.length = 0
      const within = { ...job, embeddings: stowage.url, qdrant: stowage.url, documents: [] }
      const through = recallOf(await runBackend(language, within, installed))
      const complete = await completeSearches(stowage)
      rows.push({ framework: `${name}, ${language}`, set: set.name, direct, stowage: through, complete })
    }
    return rows
  } finally {
    await stowage.close()
    await provider.stop()
    await engine.close()
  }
}

async function completeSearches(stowage: Stowage): Promise<number> {
  const ids = stowage.answered.flatMap(({ traceId }) => traceId ?? [])
  const traces = await Promise.all(ids.map(async id => (await stowage.send('GET', `/v1/traces/${id}`)).json as Trace))
  return traces.filter(
    ({ query_source: source, intent, candidates }) =>
      source === 'relay' && intent !== null && candidates.some(({ rerank }) => rerank !== null),
  ).length
}

await finish(program)
