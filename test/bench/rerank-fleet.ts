import Table from 'cli-table3'
import { createCrossEncoder } from '../../src/adapters/models/cross-encoder.ts'
import { createHttpReranker } from '../../src/adapters/models/http-reranker.ts'
import type { Reranker } from '../../src/core/ports.ts'
import { percentile } from '../../src/statistics/sample.ts'
import { SHIPPED_RERANKER } from '../../src/wiring/models.ts'
import { createCommands, STOWAGE } from '../support/stowage-process.ts'
import { machine } from './bench-report.ts'
import { chunksOf, readIsharoth } from './world.ts'

/** `npm run bench:rerank-fleet`: the time of 50 passages on the local model, and on rerank servers of one worker each on this machine. */
const ROUNDS = 7
const PASSAGES = 50
const { startListening } = createCommands({ node: process.execPath, script: STOWAGE })

const golden = await readIsharoth()
const passages = chunksOf(golden)
  .map(({ text }) => text)
  .slice(0, PASSAGES)
const queries = golden.queries.map(({ query }) => query)

for (const memory of [0, 200]) {
  const nodes = await Promise.all(
    [1, 2].map(() =>
      startListening(['rerank-server', '--port', '0', '--workers', '1'], { RERANK_MEMORY_MB: String(memory) }),
    ),
  )
  const urls = nodes.map(({ url }) => `${url}/rerank`)
  const http = (count: number, leastPart: number) =>
    createHttpReranker({
      urls: urls.slice(0, count),
      shape: 'tei',
      batchSize: 128,
      leastPart,
      cacheEntries: 0,
      // Hedges would hide how long one server takes.
      startTimer: () => () => {},
    })
  const local = (workers: number) =>
    createCrossEncoder({ model: SHIPPED_RERANKER, workers, passageBytes: memory * 1024 * 1024, cacheEntries: 0 })
  const arms = new Map<string, Reranker>([
    ['local, 1 worker', await local(1)],
    ['local, 2 workers', await local(2)],
    ['1 server', http(1, 10)],
    ['2 servers, one request', http(2, Number.POSITIVE_INFINITY)],
    ['2 servers, shared out', http(2, 10)],
  ])
  const alone = new Map<string, number[]>()
  const atOnce = new Map<string, number[]>()
  const time = async (work: () => Promise<unknown>) => {
    const from = performance.now()
    await work()
    return performance.now() - from
  }
  let asked = 0
  // The cache of scores in a server must not answer, so each query is asked once.
  const ask = (reranker: Reranker, round: number) =>
    reranker.rerank({
      query: `${queries[round % queries.length]} ${asked++}`,
      passages,
      signal: new AbortController().signal,
    })
  for (const reranker of arms.values()) for (const round of [0, 1, 2, 3]) await ask(reranker, round)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, reranker] of arms) {
      alone.set(name, [...(alone.get(name) ?? []), await time(() => ask(reranker, round))])
      const four = await time(() => Promise.all([1, 2, 3, 4].map(() => ask(reranker, round))))
      atOnce.set(name, [...(atOnce.get(name) ?? []), four])
    }
  }
  const base = median(alone, '1 server')
  const baseAtOnce = median(atOnce, '1 server')
  const table = new Table({
    head: ['50 passages', 'one request, ms', 'to 1 server', 'four at once, ms', 'to 1 server'],
    style: { head: [], border: [], compact: true },
  })
  for (const name of arms.keys()) {
    const [one, four] = [median(alone, name), median(atOnce, name)]
    table.push([
      name,
      one.toFixed(1),
      `×${(one / base).toFixed(2)}`,
      four.toFixed(1),
      `×${(four / baseAtOnce).toFixed(2)}`,
    ])
  }
  process.stdout.write(
    `${memory === 0 ? 'pair by pair' : 'kept passages'}, medians of ${ROUNDS} interleaved rounds\n${table}\n`,
  )
  for (const reranker of arms.values()) await reranker.close()
  await Promise.all(nodes.map(node => node.stop('SIGTERM')))
}
const { node, cores, cpu, load } = machine()
process.stdout.write(`Node ${node}, ${cores} × ${cpu}, load ${load.join(' ')}\n`)

function median(times: ReadonlyMap<string, number[]>, name: string): number {
  return percentile(times.get(name) ?? [], 0.5) ?? Number.NaN
}
