import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import { Pool } from 'undici'
import { percentile } from '../../src/statistics/sample.ts'
import { listOption, machine, number, plainTable } from './bench-report.ts'
import { pathInRepository, readIsharoth } from './world.ts'

/** A kind of request; each one asks another question, so that no cache answers it. */
interface Target {
  name: string
  url: string
  path: string
  headers?: (question: string) => Record<string, string>
  body: (question: string) => object
}

interface Load {
  target: string
  concurrent: number
  /** Number of answers by status, and of those with 200 that a step was left out of. */
  ok: number
  degraded: number
  busy: number
  late: number
  other: number
  /** Milliseconds of the answers with 200. */
  times: number[]
  seconds: number
}

const program = new Command('overload')
  .description('goodput of /v1/context and of improved searches from 1 to 1,000 clients, beside the engine alone')
  .option('--levels <list>', 'numbers of clients', listOption, [1, 8, 64, 256, 1_000])
  .option('--seconds <n>', 'seconds of each row, at least two deadlines', Number, 20)
  .option('--only <target>', 'one target alone: direct, drop-in or context')
  .action(run)

/** Every client sends its next request when it has the answer to the last, and waits as `retry-after` says. */
async function run({ levels, seconds, only }: { levels: number[]; seconds: number; only?: string }): Promise<void> {
  const { node, cores, cpu, load } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)
  const questions = (await readIsharoth()).queries.map(({ query }) => query)
  const engine = await startProcess()
  const stowage = await startProcess(engine.url)
  try {
    const search = { query: Array.from({ length: 384 }, (_, i) => Math.sin(i)), using: 'dense', limit: 10 }
    const path = '/collections/bench/points/query'
    const body = () => ({ ...search, with_payload: true })
    const targets: Target[] = [
      { name: 'direct', url: engine.url, path, body },
      {
        name: 'drop-in',
        url: stowage.url,
        path,
        body,
        headers: question => ({ 'x-stowage-query': encodeURIComponent(question) }),
      },
      { name: 'context', url: stowage.url, path: '/v1/context', body: query => ({ query, collection: 'bench' }) },
    ]
    const rows: Load[] = []
    for (const target of targets.filter(({ name }) => only === undefined || name === only)) {
      await measure(target, questions, 4, 3)
      for (const level of levels) {
        process.stderr.write(`${target.name}, ${level} clients…\n`)
        const row = await measure(target, questions, level, seconds)
        process.stderr.write(`${JSON.stringify({ ...row, times: undefined })}\n`)
        rows.push(row)
      }
    }
    process.stdout.write(`${tableOf(rows)}\n`)
  } finally {
    for (const { child } of [engine, stowage]) child.kill()
  }
}

async function measure(target: Target, questions: string[], concurrent: number, seconds: number): Promise<Load> {
  const client = new Pool(target.url, { connections: concurrent, headersTimeout: 0, bodyTimeout: 0 })
  const load: Load = {
    target: target.name,
    concurrent,
    ok: 0,
    degraded: 0,
    busy: 0,
    late: 0,
    other: 0,
    times: [],
    seconds,
  }
  const from = performance.now()
  const over = () => performance.now() - from > seconds * 1_000
  let asked = 0
  const lane = async () => {
    while (!over()) {
      const question = `${questions[asked % questions.length]} ${concurrent}-${asked++}`
      const sent = performance.now()
      const answer = await ask(client, target, question)
      count(load, answer, performance.now() - sent)
      if (answer.status === 503) await pause(Math.min(seconds, answer.retryAfter) * 1_000)
    }
  }
  await Promise.all(Array.from({ length: concurrent }, lane))
  load.seconds = (performance.now() - from) / 1_000
  await client.close()
  return load
}

interface Answered {
  /** Null when the connection broke. */
  status: number | null
  degraded: boolean
  /** Seconds. */
  retryAfter: number
}

async function ask(client: Pool, target: Target, question: string): Promise<Answered> {
  try {
    const { statusCode, headers, body } = await client.request({
      method: 'POST',
      path: target.path,
      headers: { 'content-type': 'application/json', ...target.headers?.(question) },
      body: JSON.stringify(target.body(question)),
    })
    const text = await body.text()
    const degraded = headers['x-stowage-degraded'] !== undefined || /"degraded":\[\{/.test(text)
    return { status: statusCode, degraded, retryAfter: Number(headers['retry-after'] ?? 0) }
  } catch (error) {
    process.stderr.write(`${target.name}: ${error}\n`)
    return { status: null, degraded: false, retryAfter: 0 }
  }
}

function count(load: Load, { status, degraded }: Answered, ms: number): void {
  if (status === 200) {
    load.ok++
    load.times.push(ms)
    if (degraded) load.degraded++
  } else if (status === 503) load.busy++
  else if (status === 504) load.late++
  else load.other++
}

function tableOf(rows: readonly Load[]): string {
  const head = ['', 'clients', '200', 'of them degraded', '503', '504', 'other', 'p50 ms', 'p95 ms', '200/s']
  const cells = rows.map(({ target, concurrent, ok, degraded, busy, late, other, times, seconds }) => [
    target,
    ...[concurrent, ok, degraded, busy, late, other].map(String),
    number(percentile(times, 0.5) ?? Number.NaN),
    number(percentile(times, 0.95) ?? Number.NaN),
    number(ok / seconds),
  ])
  return plainTable(head, cells)
}

async function startProcess(upstream?: string): Promise<{ url: string; child: ChildProcess }> {
  const script = pathInRepository('test/bench/overload-server.ts')
  const child = fork(script, upstream === undefined ? [] : [upstream], { execArgv: ['--import', 'tsx'] })
  const [url] = (await once(child, 'message')) as [string]
  return { url, child }
}

await program.parseAsync()
