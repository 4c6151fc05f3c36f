import { Pool } from 'undici'
import { percentile } from '../../../src/statistics/sample.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import type { BenchSection } from '../bench-report.ts'
import { startServerThread } from '../server-thread.ts'
import { type Figures, millisecondsOf, sideBySide } from '../side-by-side.ts'
import { chunksOf, readIsharoth } from '../world.ts'

const ROUNDS = 9
const REQUESTS = 200
const DIMENSIONS = 384
const POINTS = 300
const CONCURRENT = 8

interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
}

/** What stowage costs a request that it only passes on: through it and directly to the embedded engine. */
export async function passthroughLatency(): Promise<BenchSection> {
  const engine = await startServerThread({ role: 'engine' })
  const stowage = await startServerThread({ role: 'stowage', upstream: engine.url, dropIn: 'passthrough' })
  const clients = [engine, stowage].map(({ url }) => new Pool(url, { connections: CONCURRENT }))
  const [direct = new Pool(engine.url), through = direct] = clients
  try {
    const random = seededRandom(5)
    const vector = () => Array.from({ length: DIMENSIONS }, () => Math.fround(random() - 0.5))
    await fill(direct, vector)
    const query: Call = {
      method: 'POST',
      path: '/collections/bench/points/query',
      body: JSON.stringify({ query: vector(), limit: 10, with_payload: true }),
    }
    const compare = (call: Call, lanes: number) =>
      sideBySide(
        [
          { label: 'embedded engine directly', run: () => latencies(direct, call, lanes) },
          { label: 'through stowage, improvement off', run: () => latencies(through, call, lanes) },
        ],
        { rounds: ROUNDS, warmups: 2 },
      )
    return {
      name: 'passthrough',
      title: 'latency of requests that stowage only passes on',
      tables: [
        { title: 'query of 10 points with payload, one after the other', rows: await compare(query, 1) },
        { title: `the same, ${CONCURRENT} at once`, rows: await compare(query, CONCURRENT) },
        {
          title: 'GET of the collection, one after the other',
          rows: await compare({ method: 'GET', path: '/collections/bench' }, 1),
        },
      ],
      notes: [
        `Engine, stowage and client each have a thread of their own; ${POINTS} points of ${DIMENSIONS} dimensions; ${REQUESTS} requests a round on kept-alive connections. On fewer than three cores they wait for each other.`,
      ],
    }
  } finally {
    await Promise.all(clients.map(client => client.close()))
    await Promise.all([engine.worker.terminate(), stowage.worker.terminate()])
  }
}

async function fill(client: Pool, vector: () => number[]): Promise<void> {
  const put = async (path: string, body: object) => {
    const answer = await client.request({
      method: 'PUT',
      path,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    if (answer.statusCode !== 200) throw new Error(`PUT ${path}: ${answer.statusCode} ${await answer.body.text()}`)
    await answer.body.dump()
  }
  await put('/collections/bench', { vectors: { size: DIMENSIONS, distance: 'Cosine' } })
  const points = chunksOf(await readIsharoth())
    .slice(0, POINTS)
    .map(({ id, text, docId }) => ({ id, vector: vector(), payload: { text, doc_id: docId } }))
  await put('/collections/bench/points?wait=true', { points })
}

async function latencies(client: Pool, call: Call, lanes: number): Promise<Figures> {
  const times: number[] = []
  let left = REQUESTS
  const lane = async () => {
    while (left-- > 0) times.push(await millisecondsOf(() => ask(client, call)))
  }
  const took = await millisecondsOf(() => Promise.all(Array.from({ length: lanes }, lane)))
  return {
    'p50 ms': percentile(times, 0.5) ?? Number.NaN,
    'p99 ms': percentile(times, 0.99) ?? Number.NaN,
    'requests/s': (1000 * times.length) / took,
  }
}

async function ask(client: Pool, { method, path, body }: Call): Promise<void> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await client.request({ method, path, body: body ?? null, headers })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode}`)
}
