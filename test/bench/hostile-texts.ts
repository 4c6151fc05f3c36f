import { spawn } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { Command, Option } from 'commander'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { chunk, fill, upsert } from '../support/points.ts'
import { openStowage } from '../support/stowage.ts'
import { machine } from './bench-report.ts'
import { wordsOf } from './words.ts'

/**
 * Asks a whole stowage, with its engine and its client in one process, about texts that are hard to pack, and measures how long
 * the event loop is held. Each case has a process of its own, which is ended after `--limit` seconds.
 */

interface Case {
  /** Texts of the points. Each of them contains the word "bell". */
  texts: () => string[]
  query?: string
  budget?: number
  deadlineMs?: number
  environment?: Record<string, string>
}

interface Result {
  wallMs: number
  cpuMs: number
  p99Ms: number
  maxMs: number
  /** CPU time of the longest turn of the loop, and of the 99th percentile: the delay on a machine that does nothing else. */
  turnMaxMs: number
  turnP99Ms: number
  tokens: number
  packMs: number
  degraded: string[]
  /** Longest loop delay of a plain search for the same points, without stowage's steps. */
  searchMaxMs: number
}

const SIZE = 131_000
const fillTo = (unit: string, length = SIZE) => `bell ${unit.repeat(Math.ceil(length / unit.length))}`
const copies = (count: number, text: (index: number) => string) => () =>
  Array.from({ length: count }, (_, at) => text(at))
const ideographs = (index: number) =>
  `bell ${Array.from({ length: SIZE }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919 + index * 31) % 8000))).join('')}`

/** Sentences of ten words, no two texts alike, so that none is dropped as a copy of another. */
function prose(index: number, length = SIZE): string {
  const random = seededRandom(index + 1)
  let text = `Bell ${index}.`
  while (text.length < length) text += ` ${wordsOf(random, 10)}.`
  return text
}

const CASES: Record<string, Case> = {
  'ordinary: 50 passages of 1 kB': { texts: copies(50, at => prose(at, 1_000)) },
  'short lines, 6 kB, budget 1,000': { texts: copies(1, () => 'bell\n\n'.repeat(1_000)), budget: 1_000 },
  'short lines, 24 kB, budget 4,000': { texts: copies(1, () => 'bell\n\n'.repeat(4_000)), budget: 4_000 },
  'short lines, 131 kB, budget 8,000': { texts: copies(1, () => 'bell\n\n'.repeat(SIZE / 6)), budget: 8_000 },
  'short lines in one paragraph, 10 x 131 kB': { texts: copies(10, at => `${at}\n${fillTo('bell\n')}`) },
  'carriage returns, budget 100,000': { texts: copies(1, () => `${fillTo('\r', 60_000)} bell`), budget: 100_000 },
  '5,000 bullets': { texts: copies(1, () => Array.from({ length: 5_000 }, (_, at) => `- oil bell ${at}\n`).join('')) },
  'bullets, 20 x 131 kB': { texts: copies(20, at => `${at}\n${'- oil the bell\n'.repeat(SIZE / 15)}`) },
  'one line of prose, 10 x 131 kB': { texts: copies(10, at => prose(at)) },
  'one letter, 10 x 131 kB': { texts: copies(10, at => fillTo('abcdefghij'[at] ?? 'a')) },
  'ideographs, 30 x 131k': { texts: copies(30, ideographs) },
  'emoji, 10 x 131 kB': { texts: copies(10, at => `${at} ${fillTo('😀🦑')}`) },
  'unclosed fences, 10 x 131 kB': { texts: copies(10, at => `${at} ${fillTo('```\nbell\n')}`) },
  'table, 10 x 131 kB': { texts: copies(10, at => `${at} ${fillTo('| bell | 1 |\n')}`) },
  'line breaks, 10 x 131 kB': { texts: copies(10, at => `${at} ${fillTo('\n')}.`) },
  'digits, asked for a quantity': { texts: copies(3, at => `${at} ${fillTo('1')}`), query: 'how many bells' },
  'prose, 30 x 131 kB, budget 1,000,000': { texts: copies(30, at => prose(at)), budget: 1_000_000 },
  'ideographs, budget 1,000,000': { texts: copies(10, ideographs), budget: 1_000_000 },
  'ideographs, deadline of 300 ms': { texts: copies(30, ideographs), deadlineMs: 300 },
  'sentence mode, short lines, 3 x 131 kB': {
    texts: copies(3, at => `${at}\n${'bell\n\n'.repeat(SIZE / 6)}`),
    environment: { PACKING_MODE: 'sentence' },
  },
  'plan design, prose, 30 x 131 kB': {
    texts: copies(30, at => prose(at)),
    environment: { STOWAGE_PLAN: 'design' },
  },
  'a query of 8 kB': { texts: copies(50, at => prose(at, 2_000)), query: `bell ${prose(99, 8_000)}` },
}

async function measure({ texts, query = 'bell', budget, deadlineMs, environment = {} }: Case): Promise<Result> {
  const stowage = await openStowage({ REQUEST_DEADLINE_MS: '10000', ...environment })
  try {
    await fill(stowage.url, 'warm', [chunk(1, prose(0, 1_000))])
    await fill(stowage.url, 'hostile', [])
    for (const [at, text] of texts().entries()) await upsert(stowage.url, 'hostile', [chunk(at + 1, text)])
    for (let turn = 0; turn < 20; turn++) await stowage.ask({ query: `bell ${turn}`, collection: 'warm' })
    const limit = 50
    const search = await loopDelayOf(() =>
      stowage.send('POST', '/collections/hostile/points/scroll', { limit, with_payload: true }),
    )
    const cpu = process.cpuUsage()
    const { maxMs, p99Ms, turnMaxMs, turnP99Ms, wallMs, value } = await loopDelayOf(() =>
      stowage.ask({ query, collection: 'hostile', trace: true, budget_tokens: budget, deadline_ms: deadlineMs }),
    )
    const { user, system } = process.cpuUsage(cpu)
    if (value.status !== 200) process.stderr.write(`${value.status} ${value.text.slice(0, 200)}\n`)
    const packing = value.json.trace?.stages.find(({ name }) => name === 'pack')
    return {
      wallMs,
      cpuMs: (user + system) / 1000,
      p99Ms,
      maxMs,
      turnMaxMs,
      turnP99Ms,
      tokens: value.json.tokens ?? -1,
      packMs: packing?.ms ?? -1,
      degraded: (value.json.degraded ?? []).map(({ code }) => code).filter(code => code !== 'embedder_unavailable'),
      searchMaxMs: search.maxMs,
    }
  } finally {
    await stowage.close()
  }
}

async function loopDelayOf<Value>(work: () => Promise<Value>) {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  histogram.enable()
  // The first sample is the time since it was enabled.
  await new Promise(resolve => setTimeout(resolve, 20))
  histogram.reset()
  const turns = watchTurns()
  const started = performance.now()
  const value = await work()
  const wallMs = performance.now() - started
  const cpu = turns.end()
  await new Promise(resolve => setTimeout(resolve, 5))
  histogram.disable()
  return { value, wallMs, p99Ms: histogram.percentile(99) / 1e6, maxMs: histogram.max / 1e6, ...cpu }
}

/** Measures the CPU time of each turn of the event loop. Turns below a millisecond are not counted, because watching makes them. */
function watchTurns() {
  const turns: number[] = []
  let ended = false
  let last = process.cpuUsage()
  const watch = () => {
    const { user, system } = process.cpuUsage(last)
    last = process.cpuUsage()
    if (user + system >= 1000) turns.push((user + system) / 1000)
    if (!ended) setImmediate(watch)
  }
  setImmediate(watch)
  return {
    end() {
      ended = true
      watch()
      turns.sort((a, b) => a - b)
      return { turnMaxMs: turns.at(-1) ?? 0, turnP99Ms: turns[Math.floor(0.99 * (turns.length - 1))] ?? 0 }
    },
  }
}

/** Runs one case in a process of its own; null when it was ended at the limit. */
function inOwnProcess(name: string, limitSeconds: number): Promise<Result | null> {
  const script = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, ['--import', 'tsx', script, '--case', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitSeconds * 1000)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(timer)
      resolve(output === '' ? null : (JSON.parse(output) as Result))
    })
  })
}

async function run({ case: name, only, limit }: { case?: string; only?: string; limit: string }): Promise<void> {
  if (name !== undefined) {
    const chosen = CASES[name]
    if (chosen === undefined) throw new Error(`no case ${name}`)
    process.stdout.write(JSON.stringify(await measure(chosen)))
    return
  }
  const { node, cores, cpu, load } = machine()
  process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)
  const table = new Table({
    head: [
      'case',
      'wall ms',
      'CPU ms',
      'loop p99',
      'loop max',
      'turn p99',
      'turn max',
      'pack ms',
      'tokens',
      'scroll max',
      'degraded',
    ],
    style: { head: [], border: [] },
  })
  const whole = (ms: number) => Math.round(ms).toLocaleString('en')
  for (const each of Object.keys(CASES).filter(title => only === undefined || title.includes(only))) {
    const result = await inOwnProcess(each, Number(limit))
    process.stderr.write(`${each}: ${result === null ? 'ended' : `${whole(result.wallMs)} ms`}\n`)
    if (result === null) table.push([each, `> ${whole(Number(limit) * 1000)}`, '', '', '', '', '', '', '', '', 'ended'])
    else {
      const { wallMs, cpuMs, p99Ms, maxMs, turnP99Ms, turnMaxMs, packMs, tokens, searchMaxMs, degraded } = result
      table.push([
        each,
        ...[wallMs, cpuMs, p99Ms, maxMs, turnP99Ms, turnMaxMs, packMs, tokens, searchMaxMs].map(whole),
        degraded.join(' '),
      ])
    }
  }
  process.stdout.write(`${table.toString()}\n`)
}

await new Command('bench:hostile')
  .description('loop delay and time of /v1/context over stored texts that are hard to pack')
  .option('--only <text>', 'the cases whose name contains this text')
  .option('--limit <seconds>', 'longest time of a case', '60')
  .addOption(new Option('--case <name>', 'one case in this process, as JSON').hideHelp())
  .action(run)
  .parseAsync()
