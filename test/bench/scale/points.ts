import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { STOWAGE } from '../../support/stowage-process.ts'
import { ask } from '../ask-contexts.ts'
import { startEngine, startServe } from '../server-process.ts'
import { type Figures, type Measured, measuredOnce, medianOf } from '../side-by-side.ts'
import { progressLine } from '../terminal.ts'
import { ingestIsharoth } from './ingest-isharoth.ts'

const SOURCE = 'bench'
const BATCH = 500
/** Share of words that a copy exchanges, so that it is no repetition of its original. */
const EXCHANGED = 0.3
/** Standard deviation of what is added to each value of a vector: with 384 values, a copy has a cosine of about .9 to its original. */
const NOISE = 0.025
/** So many questions only warm up. */
const WARM_UP = 20

interface StoredPoint {
  payload: Record<string, unknown> & { text: string; doc_id: string }
  vector: { dense: number[]; sparse: { indices: number[]; values: number[] } }
}

/**
 * Times of contexts from collections of some sizes. A collection is the golden set `isharoth`, again and again, with other words and
 * noise on the vectors. The time of stowage itself is that of the whole request less that of retrieval, which waits for the engine.
 */
export async function measurePoints(
  sizes: readonly number[],
  {
    questions: most,
    environment: given,
    warm,
  }: { questions: number; environment: Readonly<Record<string, string>>; warm: boolean },
): Promise<Measured[]> {
  const rows: Measured[] = []
  const folder = mkdtempSync(join(tmpdir(), 'stowage-scale-'))
  const environment = { ...given, ...(warm && { RERANK_DISK_PATH: folder }) }
  for (const size of sizes) {
    const engine = await startEngine('--max-old-space-size=16000')
    const stowage = await startServe({ QDRANT_URL: engine.url, REQUEST_DEADLINE_MS: '60000', ...environment })
    const writer = new Pool(engine.url, { connections: 1, bodyTimeout: 0, headersTimeout: 0 })
    const client = new Pool(stowage.url, { connections: 1 })
    try {
      const { questions } = await ingestIsharoth(engine.url, SOURCE)
      await multiply(writer, await readAll(writer), size)
      if (warm) await warmAll({ ...environment, QDRANT_URL: engine.url })
      const figures: Figures[] = []
      for (const question of questions.slice(0, most + WARM_UP)) {
        const first = await timesOf(client, question)
        // Nearly the same passages, which the reranker has read by now, and no pair that it has scored.
        const again = await timesOf(client, `Tell me: ${question}`)
        figures.push({ 'retrieval ms': first.retrieval, 'own ms, first': first.own, 'own ms, again': again.own })
      }
      rows.push(measuredOnce(size.toLocaleString('en'), medianOf(figures.slice(WARM_UP))))
    } finally {
      await Promise.all([writer.destroy(), client.close()])
      await Promise.all([stowage.stop(), engine.stop()])
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return rows
}

/** Its progress and its summary go to stderr. */
async function warmAll(environment: Readonly<Record<string, string>>): Promise<void> {
  const line = [STOWAGE, 'warm', '--collection', SOURCE]
  const child = spawn(process.execPath, line, { env: { ...process.env, ...environment }, stdio: ['ignore', 2, 2] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`stowage warm ended with ${code}`)
}

async function timesOf(client: Pool, question: string): Promise<{ retrieval: number; own: number }> {
  const { trace } = await ask(client, SOURCE, question, true)
  if (trace === undefined) throw new Error('a context without its trace')
  const retrieval = trace.stages.find(({ name }) => name === 'retrieve')?.ms ?? 0
  return { retrieval, own: trace.duration_ms - retrieval }
}

async function send(pool: Pool, method: 'POST' | 'PUT', path: string, body: string): Promise<unknown> {
  const answer = await pool.request({ method, path, headers: { 'content-type': 'application/json' }, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
  return JSON.parse(text).result
}

async function readAll(pool: Pool): Promise<StoredPoint[]> {
  const body = JSON.stringify({ limit: 10_000, with_payload: true, with_vector: true })
  const { points } = (await send(pool, 'POST', `/collections/${SOURCE}/points/scroll`, body)) as {
    points: StoredPoint[]
  }
  return points
}

/** Adds copies until the collection has `size` points. */
async function multiply(pool: Pool, originals: readonly StoredPoint[], size: number): Promise<void> {
  const random = seededRandom(1)
  const words = originals.flatMap(({ payload }) => payload.text.split(' '))
  const progress = progressLine(process.stderr, `${size.toLocaleString('en')} points`)
  for (let first = originals.length; first < size; first += BATCH) {
    const points = Array.from({ length: Math.min(BATCH, size - first) }, (_, at) => {
      const number = first + at
      const copy = Math.floor(number / originals.length)
      const original = originals[number % originals.length] as StoredPoint
      return copyOf(original, { number, copy, random, words })
    })
    await send(pool, 'PUT', `/collections/${SOURCE}/points?wait=true`, `{"points":[${points.join(',')}]}`)
    progress(Math.min(first + BATCH, size), size)
  }
}

interface CopyOptions {
  number: number
  copy: number
  random: () => number
  words: readonly string[]
}

function copyOf({ payload, vector }: StoredPoint, { number, copy, random, words }: CopyOptions): string {
  const pick = () => words[Math.floor(random() * words.length)] ?? ''
  const text = payload.text.replace(/[^ ]+/gu, word => (random() < EXCHANGED ? pick() : word))
  const dense = vector.dense.map(value => (value + NOISE * gauss(random)).toFixed(4))
  const kept = vector.sparse.indices.flatMap((index, at) =>
    random() < EXCHANGED ? [] : [[index, vector.sparse.values[at]] as const],
  )
  const sparse = { indices: kept.map(([index]) => index), values: kept.map(([, value]) => value) }
  const fields = { ...payload, text, doc_id: `${payload.doc_id}-${copy}`, content_hash: `copy-${number}` }
  return `{"id":${number},"payload":${JSON.stringify(fields)},"vector":{"dense":[${dense.join(',')}],"sparse":${JSON.stringify(sparse)}}}`
}

/** Nearly normal, with mean 0 and variance 1 (Irwin-Hall distribution of 12 draws). */
function gauss(random: () => number): number {
  let sum = -6
  for (let draw = 0; draw < 12; draw += 1) sum += random()
  return sum
}
