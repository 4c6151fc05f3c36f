import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startEmbeddedServer } from '../../src/embedded/server.ts'
import { freePort, until } from '../services/support/wait.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

/**
 * What a shared store adds to a request: two stowages in this process before one engine, one with `REDIS_URL` and one without, asked in turn.
 * Redis is that of `REDIS_URL`, else `redis-server` of the path on loopback. On a machine that is busy, p10 is nearest to what the work itself takes.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 1_000)
const WARM = 100
const QUESTIONS = 20

const redis = process.env.REDIS_URL ? { url: process.env.REDIS_URL, stop: () => {} } : await startRedis()
const engine = await startEmbeddedServer()
const environment = { QDRANT_URL: engine.url, CACHE_TTL_MS: '600000', RERANKER: process.env.RERANKER ?? 'crossencoder' }
const alone = await openStowage(environment)
const sharing = await openStowage({ ...environment, REDIS_URL: redis.url })
const passages = Array.from({ length: 200 }, (_, at) =>
  chunk(
    at + 1,
    `Sluice ${at} of the harbour is opened at dawn by keeper ${at % 17}, who rings the bell of quay ${at % 23}.`,
  ),
)
await fill(engine.url, 'harbour', passages)

const question = (at: number) => `who opens sluice ${at % QUESTIONS}?`
const ways: Record<string, (stowage: Stowage, at: number) => Promise<unknown>> = {
  'context, from the cache': (stowage, at) => stowage.ask({ query: question(at), collection: 'harbour' }),
  'context, in a session': (stowage, at) =>
    stowage.ask({ query: question(at), collection: 'harbour', order: 'stable', session_id: String(at % 50) }),
  'search, pairs known': (stowage, at) =>
    stowage.send(
      'POST',
      '/collections/harbour/points/query',
      { query: { text: question(at), model: 'qdrant/bm25' }, using: 'sparse', limit: 10, with_payload: true },
      { 'x-stowage-query': question(at) },
    ),
}

for (const [name, way] of Object.entries(ways)) {
  const processor = new Map([alone, sharing].map(stowage => [stowage, 0]))
  const times = new Map<Stowage, number[]>([alone, sharing].map(stowage => [stowage, []]))
  for (let at = 0; at < WARM + ROUNDS; at++) {
    // Who is first changes, so that neither finds the engine warmer.
    for (const stowage of at % 2 === 0 ? [alone, sharing] : [sharing, alone]) {
      const started = performance.now()
      const before = process.cpuUsage()
      await way(stowage, at)
      if (at < WARM) continue
      times.get(stowage)?.push(performance.now() - started)
      const { user, system } = process.cpuUsage(before)
      processor.set(stowage, (processor.get(stowage) ?? 0) + (user + system) / 1_000 / ROUNDS)
    }
  }
  const [without, with_] = [alone, sharing].map(stowage => (times.get(stowage) ?? []).sort((a, b) => a - b))
  const at = (sorted: number[] | undefined, share: number) => sorted?.[Math.floor(ROUNDS * share)] ?? Number.NaN
  const shown = [0.1, 0.5, 0.95].map(
    share =>
      `p${share * 100} ${at(without, share).toFixed(2)} → ${at(with_, share).toFixed(2)} ms (+${(at(with_, share) - at(without, share)).toFixed(2)})`,
  )
  const [worked = 0, workedMore = 0] = [alone, sharing].map(stowage => processor.get(stowage))
  shown.push(`processor ${worked.toFixed(2)} → ${workedMore.toFixed(2)} ms (+${(workedMore - worked).toFixed(2)})`)
  console.log(`${name}: ${shown.join(', ')}`)
}

await Promise.all([alone.close(), sharing.close()])
await engine.close()
redis.stop()

async function startRedis() {
  const port = await freePort()
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], { stdio: 'pipe' })
  const failed = once(server, 'error').then(([error]) => Promise.reject(error))
  let output = ''
  server.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  await Promise.race([failed, until('Redis is ready', () => output.includes('Ready to accept connections'))])
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill() }
}
