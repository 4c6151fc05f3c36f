import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { percentile } from '../../src/statistics/sample.ts'
import type { TenantLimits } from '../../src/tenants/tenant.ts'
import { machine, number, plainTable } from './bench-report.ts'
import type { FairnessRole, LoadRequest, LoadResult } from './fairness-process.ts'
import { count } from './terminal.ts'
import { pathInRepository, readIsharoth } from './world.ts'

const UNLIMITED: TenantLimits = { rate: null, concurrency: null }
/** The limits of the tenant that floods, in the rows with limits. */
const LIMITED: TenantLimits = { rate: { perSecond: 5, burst: 5 }, concurrency: 2 }

interface Options {
  rounds: number
  seconds: number
  everyMs: number
  connections: number
  mostPerSecond: number
  only?: string
}

/** One round: the small tenant alone, then the same beside the flood. */
interface Round {
  silent: LoadResult
  flooded: LoadResult
  flood: LoadResult
}

const program = new Command('fairness')
  .description('what a tenant with a small load loses when another one floods, with and without limits')
  .option('--rounds <n>', 'rounds, each of which measures silence and flood', count, 5)
  .option('--seconds <n>', 'seconds of each measure', count, 10)
  .option('--every-ms <n>', 'milliseconds between two requests of the small tenant', count, 250)
  .option('--connections <n>', 'connections of the flood', count, 200)
  .option(
    '--most-per-second <n>',
    'most requests of the flood, so that its own work leaves the server its core',
    count,
    1_000,
  )
  .option('--only <row>', 'limited or unlimited: only these rows')
  .action(run)

async function run(options: Options): Promise<void> {
  const { node, cores, cpu, load } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)
  const questions = (await readIsharoth()).queries.map(({ query }) => query)
  const engine = await startEngine()
  const rows: string[][] = []
  try {
    for (const [name, limits] of Object.entries({ limited: LIMITED, unlimited: UNLIMITED })) {
      if (options.only !== undefined && options.only !== name) continue
      const server = startProcess()
      const upstream = engine.url
      const url = (await told(server, { role: 'stowage', upstream, limits: { a: limits, b: UNLIMITED } })) as string
      const loads = { url, server, small: mixed('b', questions), large: mixed('a', questions) }
      await steady(loads, { ...options, seconds: 5 })
      const rounds: Round[] = []
      for (let round = 0; round < options.rounds; round++) {
        rounds.push(await measure(loads, options))
        process.stderr.write(`${name}, round ${round + 1}: ${rounds.slice(-1).map(describe)}\n`)
      }
      server.kill()
      for (const kind of ['context', 'points'] as const) rows.push(rowOf(name, kind, rounds))
    }
    process.stdout.write(`${plainTable(HEAD, rows)}\nload after: ${machine().load.join(' ')}\n`)
  } finally {
    engine.child.kill()
  }
}

/** The two loads and their server. */
interface Loads {
  url: string
  server: ChildProcess
  small: LoadRequest[]
  large: LoadRequest[]
}

const HEAD = [
  '',
  'b asks',
  'p50 ms',
  'p95 ms',
  'p50 work',
  'p95 work',
  'b not 200',
  'b degraded',
  'flood/s',
  'of them 200',
]

async function measure(loads: Loads, options: Options): Promise<Round> {
  const silent = await steady(loads, options)
  const flooding = startProcess()
  const { connections, mostPerSecond } = options
  const { url, large: requests } = loads
  await told(flooding, { role: 'flood', url, requests, connections, mostPerSecond })
  await pause(2_000)
  const flooded = await steady(loads, options)
  const flood = (await told(flooding, 'stop')) as LoadResult
  flooding.kill()
  await pause(500)
  return { silent, flooded, flood }
}

async function steady({ url, server, small }: Loads, { everyMs, seconds }: Options): Promise<LoadResult> {
  const process = startProcess()
  const work = { url, server: server.pid ?? 0, requests: small, everyMs, seconds }
  const result = (await told(process, { role: 'steady', ...work })) as LoadResult
  process.kill()
  const works = (await told(server, 'works')) as Record<string, number>
  return { ...result, answers: result.answers.map(answer => ({ ...answer, workMs: works[answer.id] ?? Number.NaN })) }
}

let asked = 0
/** Contexts and searches in turn. Each one asks another question, so that no cache answers it. */
function mixed(tenant: string, questions: string[]): LoadRequest[] {
  return Array.from({ length: 2_000 }, (_, at) => {
    const question = `${questions[at % questions.length]} ${asked++}`
    if (at % 2 === 0) {
      const body = JSON.stringify({ query: question, collection: 'bench' })
      return { kind: 'context', tenant, path: '/v1/context', body }
    }
    const search = { query: { text: question, model: 'qdrant/bm25' }, using: 'sparse', limit: 10, with_payload: true }
    const headers = { 'x-stowage-query': encodeURIComponent(question) }
    return { kind: 'points', tenant, path: '/collections/bench/points/query', body: JSON.stringify(search), headers }
  })
}

const MEASURES = ['ms', 'workMs'] as const

function share(
  result: LoadResult,
  kind: LoadRequest['kind'],
  measure: (typeof MEASURES)[number],
  part: number,
): number {
  const values = result.answers.filter(answer => answer.kind === kind).map(answer => answer[measure] ?? Number.NaN)
  return percentile(values, part) ?? Number.NaN
}

function describe({ silent, flooded, flood }: Round): string {
  const shown = (['context', 'points'] as const).map(kind => {
    const pairs = MEASURES.map(measure =>
      [0.5, 0.95].map(
        part => `${number(share(silent, kind, measure, part))}→${number(share(flooded, kind, measure, part))}`,
      ),
    )
    return `${kind} ms ${pairs[0]?.join(' ')} work ${pairs[1]?.join(' ')}`
  })
  return `${shown.join('; ')}; b ${JSON.stringify(flooded.statuses)} flood ${JSON.stringify(flood.statuses)}`
}

/** Medians over the rounds: alone → beside the flood, and the median of their ratios. */
function rowOf(name: string, kind: LoadRequest['kind'], rounds: Round[]): string[] {
  const cells = MEASURES.flatMap(measure =>
    [0.5, 0.95].map(part => {
      const before = rounds.map(({ silent }) => share(silent, kind, measure, part))
      const after = rounds.map(({ flooded }) => share(flooded, kind, measure, part))
      const ratios = after.map((value, at) => value / (before[at] ?? Number.NaN))
      return `${number(median(before))} → ${number(median(after))} (×${number(median(ratios))})`
    }),
  )
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const asked = (result: LoadResult) => Object.values(result.statuses).reduce((total, one) => total + one, 0)
  const seconds = sum(({ flood }) => flood.seconds)
  return [
    name,
    kind,
    ...cells,
    String(sum(({ flooded }) => asked(flooded) - flooded.answers.length)),
    `${sum(({ flooded }) => flooded.degraded)} of ${sum(({ flooded }) => flooded.answers.length)}`,
    number(sum(({ flood }) => asked(flood)) / seconds),
    number(sum(({ flood }) => flood.answers.length) / seconds),
  ]
}

function median(values: number[]): number {
  return percentile(values, 0.5) ?? Number.NaN
}

/** A process in a session of its own: Linux shares the processors between sessions, so that no load takes the server's share. */
function startScript(name: string): ChildProcess {
  return fork(pathInRepository(`test/bench/${name}`), [], { execArgv: ['--import', 'tsx'], detached: true })
}

const startProcess = () => startScript('fairness-process.ts')

async function told(child: ChildProcess, role: FairnessRole | 'works' | 'stop'): Promise<unknown> {
  child.send(role)
  const [answer] = await once(child, 'message')
  return answer
}

/** The engine with the corpus, in a process of its own. */
async function startEngine(): Promise<{ url: string; child: ChildProcess }> {
  const child = startScript('overload-server.ts')
  const [url] = (await once(child, 'message')) as [string]
  return { url, child }
}

await program.parseAsync()
