import { Pool } from 'undici'
import { createQdrantAdmin } from '../../../src/adapters/qdrant/admin.ts'
import { loadConfig } from '../../../src/config.ts'
import { ingest } from '../../../src/ingest/ingest.ts'
import { percentile } from '../../../src/statistics/sample.ts'
import { openModels } from '../../../src/wiring/models.ts'
import type { BenchSection } from '../bench-report.ts'
import { startServerThread } from '../server-thread.ts'
import { type Contender, type Figures, millisecondsOf, sideBySide } from '../side-by-side.ts'
import { readIsharoth, tokenizer } from '../world.ts'

const ROUNDS = 7
const REQUESTS = 120
const CONCURRENT = 8
const BUDGET = 2000
/** Deadlines that a busy machine does not meet: what is measured is the whole work. */
const ENVIRONMENT = {
  EMBEDDER: 'local',
  REQUEST_DEADLINE_MS: '60000',
  CACHE_TTL_MS: '0',
}

/** What reranking costs a context when the passages are kept: `POST /v1/context` with the included reranker, and without one. */
export async function contextLatency(): Promise<BenchSection> {
  const engine = await startServerThread({ role: 'engine' })
  const questions = await fill(engine.url)
  const serve = (environment: Record<string, string>) =>
    startServerThread({
      ...{ role: 'stowage', upstream: engine.url, dropIn: 'passthrough' },
      environment: { ...ENVIRONMENT, ...environment },
    })
  const servers = [await serve({ RERANKER: 'off' }), await serve({ RERANKER: 'crossencoder' })]
  const clients = servers.map(({ url }) => new Pool(url, { connections: CONCURRENT }))
  const labels = ['without reranking', 'with reranking, kept passages']
  // No question comes twice, or its embedding and its scores would come from a cache.
  let asked = 0
  const next = () => `${questions[asked % questions.length]} (${asked++})`
  const compare = (lanes: number) =>
    sideBySide(
      clients.map((client, at): Contender => ({ label: labels[at] ?? '', run: () => latencies(client, next, lanes) })),
      { rounds: ROUNDS, warmups: 2 },
    )
  try {
    return {
      name: 'context',
      title: `POST /v1/context, ${BUDGET} tokens`,
      tables: [
        { title: 'one after the other', rows: await compare(1) },
        { title: `${CONCURRENT} at once`, rows: await compare(CONCURRENT) },
      ],
      notes: [
        `Engine, both stowages and the client each have a thread of their own, and each stowage has workers for its models. ${REQUESTS} new questions a round, on passages that two rounds before have read.`,
      ],
    }
  } finally {
    await Promise.all(clients.map(client => client.close()))
    await Promise.all([engine, ...servers].map(({ worker }) => worker.terminate()))
  }
}

/** Ingests the documents of `isharoth` and gives its questions. */
async function fill(url: string): Promise<string[]> {
  const { documents, queries } = await readIsharoth()
  const models = await openModels(loadConfig({}), { wanted: { embedder: true, reranker: false } })
  try {
    const target = createQdrantAdmin({ url, apiKey: null })
    const countTokens = (text: string) => tokenizer.count(text)
    await ingest(documents, { target, embedder: models.embedder, countTokens }, { collection: 'bench' })
  } finally {
    await models.close()
  }
  return queries.map(({ query }) => query)
}

async function latencies(client: Pool, question: () => string, lanes: number): Promise<Figures> {
  const times: number[] = []
  let left = REQUESTS
  let degraded = 0
  const lane = async () => {
    while (left-- > 0)
      times.push(
        await millisecondsOf(async () => {
          degraded += (await ask(client, question())) ? 1 : 0
        }),
      )
  }
  const took = await millisecondsOf(() => Promise.all(Array.from({ length: lanes }, lane)))
  return {
    'p50 ms': percentile(times, 0.5) ?? Number.NaN,
    'p95 ms': percentile(times, 0.95) ?? Number.NaN,
    'requests/s': (1000 * times.length) / took,
    'degraded %': (100 * degraded) / times.length,
  }
}

/** Resolves to whether a step could not do all of its work. */
async function ask(client: Pool, query: string): Promise<boolean> {
  const body = JSON.stringify({ collection: 'bench', query, budget_tokens: BUDGET })
  const headers = { 'content-type': 'application/json' }
  const answer = await client.request({ method: 'POST', path: '/v1/context', body, headers })
  const { degraded } = (await answer.body.json()) as { degraded?: { code: string }[] }
  if (answer.statusCode !== 200 || degraded === undefined) throw new Error(`POST /v1/context: ${answer.statusCode}`)
  return degraded.some(({ code }) => code.startsWith('rerank'))
}
