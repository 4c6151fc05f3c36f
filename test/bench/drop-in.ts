import { randomUUID } from 'node:crypto'
import Table from 'cli-table3'
import { Command, Option } from 'commander'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import { questionHeaders, withQuestion } from '../../src/client/question.ts'
import { loadConfig } from '../../src/config.ts'
import { batchesOf } from '../../src/core/collections.ts'
import { StowageError } from '../../src/core/errors.ts'
import type { Embedder } from '../../src/core/ports.ts'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { type GoldenQuery, type GoldenSet, readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { evidenceFigures, sharesByText } from '../../src/evaluation/metrics/context.ts'
import { QueryEvidence } from '../../src/evaluation/metrics/query-evidence.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { pairedInterval } from '../../src/statistics/bootstrap.ts'
import { encodeBm25Document, encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { openModels } from '../../src/wiring/models.ts'
import { send } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'
import { langchainChunks } from './langchain-chunks.ts'
import { count, finish, progressLine, shown, signed } from './terminal.ts'
import { tokenizer } from './world.ts'

const CLIENTS = ['hybrid', 'dense'] as const
/** Hits that chat backends usually ask for. */
const LIMITS = [5, 10]
/** Recall is measured, not time: a busy machine gets the same figures. */
const ENVIRONMENT = { RERANKER: 'crossencoder', RERANK_DEADLINE_MS: '60000' }
/** Hits of each list of a hybrid client. */
const PREFETCH_LIMIT = 20

interface Flags {
  client: (typeof CLIENTS)[number]
  limitQueries?: number
  question: boolean
  langchain?: boolean
  setting: string[]
  json?: boolean
}

const program = new Command('bench:drop-in')
  .description(
    'answer recall of the hits of a search on Qdrant’s own paths: from the embedded engine itself, and through stowage with the question in a header',
  )
  .argument('<set...>', 'folders of golden sets')
  .addOption(new Option('--client <kind>', 'what the client sends').choices(CLIENTS).default('hybrid'))
  .option('--limit-queries <n>', 'only the first n queries of each set', count)
  .option('--no-question', 'stowage is not told the question, as by a client that is not prepared for it')
  .option('--langchain', 'fill the collection with chunks as LangChain cuts them, without titles, sections and places')
  .option('--setting <name=value...>', 'variables of stowage, such as RETRIEVAL_NAMED_DOCUMENTS=off', [])
  .option('--json', 'one JSON document on stdout (npm run --silent)')
  .action(run)

interface Row {
  set: string
  limit: number
  queries: number
  direct: number[]
  stowage: number[]
}

async function run(folders: string[], flags: Flags): Promise<void> {
  const rows: Row[] = []
  for (const folder of folders) rows.push(...(await measureSet(await readGoldenSet(folder), flags)))
  const figures = rows.map(({ set, limit, queries, direct, stowage }) => ({
    ...{ set, limit, queries },
    ...{ direct: pairedInterval([direct]), stowage: pairedInterval([stowage]) },
    difference: pairedInterval([stowage.map((recall, at) => recall - (direct[at] ?? 0))]),
  }))
  if (flags.json) return void process.stdout.write(`${JSON.stringify({ client: flags.client, figures })}\n`)
  const table = new Table({
    head: ['set', 'limit', 'direct', 'through stowage', 'difference'],
    style: { head: [], border: [], compact: true },
  })
  for (const { set, limit, direct, stowage, difference } of figures)
    table.push([set, limit, shown(direct), shown(stowage), signed(difference)])
  process.stdout.write(`${flags.client} client, answer recall by text in the hits\n${table}\n`)
}

async function measureSet(
  set: GoldenSet,
  { client, limitQueries, question, langchain, setting }: Flags,
): Promise<Row[]> {
  const engine = await startEmbeddedServer()
  const models = await openModels(loadConfig({}))
  const { embedder } = models
  if (embedder === null) throw new StowageError('upstream_unavailable', `no embedder: ${models.unavailable.embedder}`)
  const settings = Object.fromEntries(setting.map(one => one.split('=', 2)))
  const stowage = await openStowage({ ...ENVIRONMENT, QDRANT_URL: engine.url, ...settings })
  const target = createQdrantAdmin({ url: engine.url, apiKey: null })
  try {
    const countTokens = (text: string) => tokenizer.count(text)
    if (langchain) await fillAsLangchain(set, embedder, engine.url)
    else await ingest(set.documents, { target, embedder, countTokens }, { collection: 'bench' })
    const queries = set.queries.slice(0, limitQueries)
    const progress = progressLine(process.stderr, `${set.name}: questions`)
    const rows = LIMITS.map(
      (limit): Row => ({ set: set.name, limit, queries: queries.length, direct: [], stowage: [] }),
    )
    for (const [at, golden] of queries.entries()) {
      const vector = Array.from(await embedder.embedQuery(golden.query))
      for (const row of rows) {
        const body = searchOf(client, vector, golden.query, row.limit)
        row.direct.push(await recallOf(engine.url, body, golden, {}))
        row.stowage.push(await recallOf(stowage.url, body, golden, question ? questionOf(golden) : {}))
      }
      progress(at + 1, queries.length)
    }
    return rows
  } finally {
    await stowage.close()
    await models.close()
    await engine.close()
  }
}

/** One point at a time would be slow, and all of them at once too large a request. */
const BATCH = 64

async function fillAsLangchain(set: GoldenSet, embedder: Embedder, url: string): Promise<void> {
  await send(url, 'PUT', '/collections/bench', {
    vectors: { dense: { size: embedder.dimensions, distance: 'Cosine' } },
    sparse_vectors: { sparse: { modifier: 'idf' } },
  })
  for (const batch of batchesOf(await langchainChunks(set), BATCH)) {
    const vectors = await embedder.embedPassages(batch.map(({ pageContent }) => pageContent))
    const points = batch.map(({ pageContent, metadata }, at) => ({
      id: randomUUID(),
      vector: { dense: Array.from(vectors[at] ?? []), sparse: encodeBm25Document(pageContent) },
      payload: { content: pageContent, metadata },
    }))
    await send(url, 'PUT', '/collections/bench/points?wait=true', { points })
  }
}

function searchOf(client: Flags['client'], vector: number[], question: string, limit: number): object {
  if (client === 'dense') return { query: vector, using: 'dense', limit, with_payload: true }
  const prefetch = [
    { query: vector, using: 'dense', limit: PREFETCH_LIMIT },
    { query: encodeBm25Query(question), using: 'sparse', limit: PREFETCH_LIMIT },
  ]
  return { prefetch, query: { fusion: 'rrf' }, limit, with_payload: true }
}

const questionOf = ({ query }: GoldenQuery) => withQuestion(query, questionHeaders)

async function recallOf(url: string, body: object, golden: GoldenQuery, more: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/collections/bench/points/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
  })
  const applied = response.headers.get('x-stowage-applied')
  if (!response.ok || applied === 'passthrough')
    throw new Error(`${golden.id}: status ${response.status}, ${response.headers.get('x-stowage-degraded')}`)
  const { result } = (await response.json()) as {
    result: { points: { payload: { text?: string; content?: string } }[] }
  }
  const context = result.points.map(({ payload: { text, content } }) => text ?? content ?? '').join('\n\n')
  return evidenceFigures(sharesByText(new QueryEvidence(golden).in(context).golds)).recall
}

await finish(program)
