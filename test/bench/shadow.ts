import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { Pool } from 'undici'
import { percentile } from '../../src/statistics/sample.ts'
import { machine, number, plainTable } from './bench-report.ts'
import { count } from './terminal.ts'
import { pathInRepository, readIsharoth } from './world.ts'

interface Options {
  rounds: number
  seconds: number
  connections: number
  perSecond: number[]
}

const KINDS = ['context', 'search'] as const
type Kind = (typeof KINDS)[number]
const SIDES = ['off', 'on'] as const
type Side = (typeof SIDES)[number]

const program = new Command('shadow')
  .description('latency of answers with shadow runs and without, in rounds that alternate')
  .option('--rounds <n>', 'rounds, each of which measures both', count, 5)
  .option('--seconds <n>', 'seconds of each measure', count, 8)
  .option('--connections <n>', 'connections', count, 32)
  .option('--per-second <list>', 'requests per second of each row; 0 is as many as are answered', rates, [0, 10])
  .action(run)

function rates(text: string): number[] {
  return text.split(',').map(Number)
}

/** Two stowages before one engine: one with a shadow for every request, one without. Only one of them has work at a time. */
async function run(options: Options): Promise<void> {
  const { node, cores, cpu, load } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)
  const questions = (await readIsharoth()).queries.map(({ query }) => query)
  const folder = await mkdtemp(join(tmpdir(), 'stowage-shadow-'))
  const flags = join(folder, 'flags.json')
  await writeFile(flags, JSON.stringify(SHADOW_FLAGS))
  const engine = await startProcess({})
  const servers = {
    off: await startProcess({}, engine.url),
    on: await startProcess({ FLAGS_FILE: flags }, engine.url),
  }
  const rows: string[][] = []
  try {
    for (const kind of KINDS) {
      for (const side of SIDES) await measure(servers[side].url, kind, questions, { ...options, seconds: 3 }, 0)
      for (const perSecond of options.perSecond) rows.push(await compare(servers, kind, questions, options, perSecond))
    }
    process.stdout.write(`${plainTable(HEAD, rows)}\nload after: ${machine().load.join(' ')}\n`)
  } finally {
    for (const { child } of [engine, servers.off, servers.on]) child.kill()
    await rm(folder, { recursive: true })
  }
}

/** A treatment that works about as much as the answer. */
const SHADOW_FLAGS = {
  version: 2,
  features: [
    {
      name: 'stowage.shadow.bench',
      enabled: true,
      strategies: [
        {
          name: 'flexibleRollout',
          parameters: { rollout: '100', stickiness: 'random', groupId: 'bench' },
          constraints: [],
          variants: [
            {
              name: 'treatment',
              weight: 1_000,
              stickiness: 'random',
              payload: { type: 'json', value: '{"retrieval.pool":40,"rerank.topK":8}' },
            },
          ],
        },
      ],
    },
  ],
}

const HEAD = [
  '',
  'requests/s',
  'p50 ms off → on',
  'p95 ms off → on',
  'ratio of p95',
  'compared',
  'failed',
  'dropped',
  'not 200',
]

async function compare(
  servers: Record<Side, { url: string }>,
  kind: Kind,
  questions: string[],
  options: Options,
  perSecond: number,
): Promise<string[]> {
  const all: Record<Side, number[]> = { off: [], on: [] }
  const ratios: number[] = []
  let refused = 0
  let sent = 0
  const before = await shadowRuns(servers.on.url)
  for (let round = 0; round < options.rounds; round++) {
    const p95: Record<Side, number> = { off: Number.NaN, on: Number.NaN }
    // Which one goes first changes from round to round.
    for (const side of round % 2 === 0 ? SIDES : [...SIDES].reverse()) {
      const { times, others } = await measure(servers[side].url, kind, questions, options, perSecond)
      all[side].push(...times)
      p95[side] = percentile(times, 0.95) ?? Number.NaN
      refused += others
      sent += times.length
      await pause(500)
    }
    ratios.push(p95.on / p95.off)
    process.stderr.write(`${kind} ${perSecond}/s, round ${round + 1}: p95 ${number(p95.off)} → ${number(p95.on)}\n`)
  }
  const after = await shadowRuns(servers.on.url)
  const ran = (outcome: string) => String((after[outcome] ?? 0) - (before[outcome] ?? 0))
  const pair = (part: number) => SIDES.map(side => number(percentile(all[side], part) ?? Number.NaN)).join(' → ')
  const ratio = percentile(ratios, 0.5) ?? Number.NaN
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  const rate = sent / (2 * options.rounds * options.seconds)
  const name =
    perSecond === 0 ? `${kind}, ${options.connections} connections at full speed` : `${kind}, at an even pace`
  return [
    name,
    number(rate),
    pair(0.5),
    pair(0.95),
    `${ratio.toFixed(3)} (${spread})`,
    ...['compared', 'failed', 'dropped'].map(ran),
    String(refused),
  ]
}

let asked = 0

/** Each connection sends its next request when it has the answer to the last one, but all together no more than so many per second. */
async function measure(
  url: string,
  kind: Kind,
  questions: string[],
  { connections, seconds }: Options,
  perSecond: number,
): Promise<{ times: number[]; others: number }> {
  const client = new Pool(url, { connections, headersTimeout: 0, bodyTimeout: 0 })
  const times: number[] = []
  let others = 0
  let sent = 0
  const from = performance.now()
  const left = () => from + seconds * 1_000 - performance.now()
  const lane = async () => {
    for (;;) {
      const at = sent++
      if (perSecond > 0) await pause(Math.max(0, from + (at * 1_000) / perSecond - performance.now()))
      if (left() <= 0) return
      // No two requests ask the same, so that no cache answers.
      const question = `${questions[asked % questions.length]} ${asked++}`
      const start = performance.now()
      const { statusCode, headers, body } = await client.request(requestOf(kind, question))
      await body.text()
      if (statusCode === 200 && headers['x-stowage-applied'] !== 'passthrough') times.push(performance.now() - start)
      else others++
    }
  }
  await Promise.all(Array.from({ length: connections }, lane))
  await client.close()
  return { times, others }
}

function requestOf(kind: Kind, question: string) {
  const headers = { 'content-type': 'application/json', 'x-stowage-query': encodeURIComponent(question) }
  if (kind === 'context') {
    return {
      method: 'POST' as const,
      path: '/v1/context',
      headers,
      body: JSON.stringify({ query: question, collection: 'bench' }),
    }
  }
  const search = { query: { text: question, model: 'qdrant/bm25' }, using: 'sparse', limit: 10, with_payload: true }
  return { method: 'POST' as const, path: '/collections/bench/points/query', headers, body: JSON.stringify(search) }
}

/** The shadow runs of a stowage so far, by outcome. */
async function shadowRuns(url: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/v1/metrics`)).text()
  const found = text.matchAll(/^stowage_shadow_runs_total\{outcome="(\w+)"\} (\d+)/gm)
  return Object.fromEntries([...found].map(([, outcome, runs]) => [outcome, Number(runs)]))
}

/** The engine with the corpus, or a stowage before it; each in a process of its own. */
async function startProcess(
  env: Record<string, string>,
  upstream?: string,
): Promise<{ url: string; child: ChildProcess }> {
  const script = pathInRepository('test/bench/overload-server.ts')
  const child = fork(script, upstream === undefined ? [] : [upstream], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, DROPIN_HEDGE_MS: '2000', ...env },
  })
  const [url] = (await once(child, 'message')) as [string]
  return { url, child }
}

await program.parseAsync()
