import Table from 'cli-table3'
import { Pool } from 'undici'
import { percentile } from '../../src/statistics/sample.ts'
import { machine } from './bench-report.ts'
import { startServerThread } from './server-thread.ts'
import type { Calls, Pace } from './slow-qdrant.ts'

/**
 * `npm run bench:slow-upstream`: what clients lose when Qdrant is slow or refuses batches, directly and through stowage. Client, stowage
 * and the stand-in for Qdrant each have a thread of their own and talk over sockets.
 */
const CONNECTIONS = 32
const CLIENT_TIMEOUT_MS = 5_000

interface Scenario extends Pace {
  label: string
  requests: number
}

const fixed = (seconds: number, requests: number): Scenario => ({
  label: `${seconds} s`,
  seconds: [seconds],
  refusesBatches: false,
  requests,
})

const SCENARIOS: Scenario[] = [
  fixed(0.1, 640),
  fixed(0.5, 320),
  fixed(1, 192),
  fixed(2, 96),
  fixed(3, 96),
  fixed(4, 96),
  { label: '0.1 to 4 s, mixed', seconds: [0.1, 0.5, 1, 2, 3, 4], refusesBatches: false, requests: 192 },
  { label: '0.1 s, batches refused', seconds: [0.1], refusesBatches: true, requests: 640 },
]

interface Outcome {
  lost: number
  improved: number
  /** Milliseconds of every request; a lost one counts with the client's timeout. */
  times: number[]
  calls: Calls
}

const qdrant = await startServerThread({ role: 'slow-qdrant' })
const stowage = await startServerThread({ role: 'stowage', upstream: qdrant.url, dropIn: 'improve' })
const passing = await startServerThread({ role: 'stowage', upstream: qdrant.url, dropIn: 'passthrough' })
const about = machine()
process.stdout.write(
  `Node ${about.node}, ${about.cores} × ${about.cpu}, load ${about.load.join(' ')}; ${CONNECTIONS} connections, client timeout ${CLIENT_TIMEOUT_MS / 1000} s\n`,
)
const table = new Table({
  head: [
    'Qdrant answers after',
    '',
    'lost',
    'p50 ms',
    'p95 ms',
    'p95 more than directly',
    'improved',
    'calls per query',
  ],
  style: { head: [], border: [], compact: true },
})
const ways = { directly: qdrant, 'stowage, improvement off': passing, stowage }
// The first requests of a process are slow by themselves: their code is not compiled yet.
for (const { url } of Object.values(ways)) {
  await run(url, { label: 'warm-up', seconds: [0], refusesBatches: false, requests: 300 })
}
const [only] = process.argv.slice(2)
for (const scenario of SCENARIOS.filter(({ label }) => only === undefined || label === only)) {
  process.stderr.write(`measuring ${scenario.label}…\n`)
  let direct: number | undefined
  for (const [way, { url }] of Object.entries(ways)) {
    const { lost, times, improved, calls } = await run(url, scenario)
    const [p50 = 0, p95 = 0] = [0.5, 0.95].map(share => percentile(times, share) ?? 0)
    direct ??= p95
    table.push([
      scenario.label,
      way,
      `${lost} of ${scenario.requests}`,
      Math.round(p50),
      Math.round(p95),
      Math.round(p95 - direct),
      `${Math.round((100 * improved) / scenario.requests)} %`,
      ((calls.originals + calls.batches + calls.neighbours) / scenario.requests).toFixed(2),
    ])
  }
}
process.stdout.write(`${table.toString()}\n`)
await Promise.all([qdrant, passing, stowage].map(({ worker }) => worker.terminate()))

async function run(url: string, { label, requests, ...pace }: Scenario): Promise<Outcome> {
  const control = new Pool(qdrant.url)
  await (await control.request({ method: 'POST', path: '/pace', body: JSON.stringify(pace) })).body.dump()
  const client = new Pool(url, { connections: CONNECTIONS })
  const outcome = { lost: 0, improved: 0, times: [] as number[] }
  // A collection of its own: what stowage learned in one scenario does not count in the next.
  const path = `/collections/${encodeURIComponent(label)}/points/query`
  let left = requests
  const lane = async () => {
    while (left-- > 0) await ask(client, path, outcome)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  const calls = (await (await control.request({ method: 'GET', path: '/calls' })).body.json()) as Calls
  await Promise.all([client.destroy(), control.close()])
  return { ...outcome, calls }
}

async function ask(client: Pool, path: string, outcome: Omit<Outcome, 'calls'>): Promise<void> {
  const started = performance.now()
  try {
    const answer = await client.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: '{"prefetch":[{"query":[0.1,0.2],"using":"dense"},{"query":{"text":"reset the pump","model":"qdrant/bm25"},"using":"sparse"}],"query":{"fusion":"rrf"},"limit":10,"with_payload":true}',
      signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
    const applied = answer.headers['x-stowage-applied'] ?? 'passthrough'
    if (applied !== 'passthrough') outcome.improved += 1
    outcome.times.push(performance.now() - started)
  } catch (error) {
    process.stderr.write(`lost: ${error}\n`)
    outcome.lost += 1
    outcome.times.push(CLIENT_TIMEOUT_MS)
  }
}
