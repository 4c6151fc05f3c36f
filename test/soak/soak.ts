import { writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { Command } from 'commander'
import { percentile } from '../../src/statistics/sample.ts'
import { machine, number } from '../bench/bench-report.ts'
import { pathInRepository, readIsharoth } from '../bench/world.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { chunk, fill } from '../support/points.ts'
import { send } from '../support/send.ts'
import { createCommands, STOWAGE } from '../support/stowage-process.ts'
import { runHostileLoad } from './hostile-load.ts'
import { runNormalLoad } from './normal-load.ts'
import { tallyTable } from './tally.ts'

const { run, startListening } = createCommands({ node: process.execPath, script: STOWAGE })

const SAMPLE_MS = 1_000

new Command('soak')
  .description(
    'put stowage under normal and hostile load, beside the engine asked directly; exit code 1 when it loses more',
  )
  .option('--minutes <minutes>', 'length of the run', Number, 10)
  .option('--clients <number>', 'normal clients', Number, 4)
  .option('--attackers <number>', 'hostile clients', Number, 2)
  .option('--json <file>', 'write all samples to a file')
  .action(soak)
  .parse()

interface SoakOptions {
  minutes: number
  clients: number
  attackers: number
  json?: string
}

/** What the process of stowage says about itself. */
interface Sample {
  second: number
  /** Resident memory, in MiB. */
  memory: number
  /** Heap of the main thread in use, garbage included, and buffers outside it, in MiB. */
  heap: number
  external: number
  /** p99 and maximum of the delay of the event loop since the last sample, in milliseconds. */
  delayP99: number
  delayMax: number
}

async function soak({ minutes, clients, attackers, json }: SoakOptions): Promise<void> {
  const about = machine()
  process.stdout.write(`Node ${about.node}, ${about.cores} × ${about.cpu}, load ${about.load.join(' ')}\n`)
  const script = fileURLToPath(new URL('./engine-process.ts', import.meta.url))
  const engine = await createCommands({ node: process.execPath, script: '--import=tsx' }).startListening([script])
  const stowage = await startListening(['serve', '--port', '0'], {
    QDRANT_URL: engine.url,
    EMBEDDER: 'local',
    RERANKER: 'crossencoder',
  })
  try {
    const { questions, vectors } = await prepare(engine.url)
    const over = AbortSignal.timeout(minutes * 60_000)
    const [samples, normal, hostile] = await Promise.all([
      takeSamples(stowage.url, over),
      runNormalLoad({
        stowage: stowage.url,
        direct: engine.url,
        collection: 'docs',
        questions,
        vectors,
        clients,
        signal: over,
      }),
      runHostileLoad(stowage.url, 'hostile', attackers, over),
    ])
    process.stdout.write(`\n${tallyTable(normal)}\n\n${answersTable(hostile)}\n\n${samplesTable(samples, minutes)}\n`)
    for (const [name, { losses }] of normal) {
      for (const [reason, count] of losses) process.stdout.write(`lost: ${count} × ${name}: ${reason}\n`)
    }
    if (json)
      await writeFile(json, JSON.stringify({ machine: about, samples, normal: [...normal], hostile: [...hostile] }))
    const lost = (name: string) => normal.get(name)?.counts.lost ?? 0
    const isWorse =
      lost('search through stowage') > lost('search direct') || lost('scroll through stowage') > lost('scroll direct')
    process.exitCode = isWorse ? 1 : 0
  } finally {
    await Promise.all([stowage.stop('SIGTERM'), engine.stop('SIGTERM')])
  }
}

/** Fills a collection with the documents of isharoth, and another one with hostile texts. */
async function prepare(url: string): Promise<{ questions: string[]; vectors: number[][] }> {
  const corpus = pathInRepository('goldens/isharoth/corpus')
  const { code, err } = await run(['ingest', corpus, '--collection', 'docs', '--url', url], { EMBEDDER: 'local' })
  if (code !== 0) throw new Error(`the documents could not be ingested: ${err}`)
  const texts = [...HOSTILE_TEXTS, 'bell\n\n'.repeat(20_000), '- bell rope\n'.repeat(8_000), 'bell. '.repeat(16_000)]
  await fill(
    url,
    'hostile',
    texts.map((text, at) => ({ ...chunk(at, `bell ${text}`), dense: [0, 0, at + 1, 1] })),
  )
  const search = { limit: 50, with_vector: ['dense'] }
  const { json } = await send<{ result: { points: { vector: { dense: number[] } }[] } }>(
    url,
    'POST',
    '/collections/docs/points/scroll',
    search,
  )
  const questions = (await readIsharoth()).queries.map(({ query }) => query)
  return { questions, vectors: json.result.points.map(({ vector }) => vector.dense) }
}

async function takeSamples(url: string, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = []
  for (let second = 0; !signal.aborted; second += SAMPLE_MS / 1_000) {
    // A server that does not answer has no figures for this second.
    const { text } = await send(url, 'GET', '/v1/metrics').catch(() => ({ text: '' }))
    const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'mu').exec(text)?.[1] ?? Number.NaN)
    samples.push({
      second,
      memory: value('process_resident_memory_bytes') / 2 ** 20,
      heap: value('nodejs_heap_size_used_bytes') / 2 ** 20,
      external: value('nodejs_external_memory_bytes') / 2 ** 20,
      delayP99: value('nodejs_eventloop_lag_p99_seconds') * 1_000,
      delayMax: value('nodejs_eventloop_lag_max_seconds') * 1_000,
    })
    if (second % 60 === 0) process.stderr.write(`minute ${second / 60}: ${number(samples.at(-1)?.memory ?? 0)} MiB\n`)
    await wait(SAMPLE_MS)
  }
  return samples
}

function answersTable(hostile: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
  const table = new Table({ head: ['attack', 'answers'], style: { head: [], border: [], compact: true } })
  for (const [name, answers] of hostile)
    table.push([name, [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')])
  return table.toString()
}

/** One row for each tenth of the run. */
function samplesTable(samples: readonly Sample[], minutes: number): string {
  const head = [
    'until minute',
    'memory MiB',
    'highest MiB',
    'heap (lowest)',
    'external (lowest)',
    'loop delay p99 ms (median)',
    'p99 ms (worst)',
    'max ms',
  ]
  const table = new Table({ head, style: { head: [], border: [], compact: true } })
  const size = Math.max(1, Math.ceil(samples.length / 10))
  for (let start = 0; start < samples.length; start += size) {
    const part = samples.slice(start, start + size)
    const of = (name: keyof Sample, share: number) =>
      number(
        percentile(
          part.map(sample => sample[name]),
          share,
        ) ?? Number.NaN,
      )
    const until = number((minutes * Math.min(samples.length, start + size)) / samples.length)
    const memory = [of('memory', 0.5), of('memory', 1), of('heap', 0), of('external', 0)]
    table.push([until, ...memory, of('delayP99', 0.5), of('delayP99', 1), of('delayMax', 1)])
  }
  return table.toString()
}
