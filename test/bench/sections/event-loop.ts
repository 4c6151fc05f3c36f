import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCrossEncoder } from '../../../src/adapters/models/cross-encoder.ts'
import type { BenchSection } from '../bench-report.ts'
import { openDirectSession, openPairsWorld } from '../pairs-world.ts'
import { type Contender, type Figures, sideBySide } from '../side-by-side.ts'

const ROUNDS = 3
const RERANKS = 10
const IN_FLIGHT = 2
const IDLE_MS = 2_000

/** How late a timer of the main thread comes while reranks run: what every other request of the process feels. */
export async function eventLoop(): Promise<BenchSection> {
  const world = await openPairsWorld()
  const { query, passages, source } = world
  const pool = await createCrossEncoder({ model: source.location, cacheEntries: 0, allowRemote: false })
  const direct = await openDirectSession(world, 1)
  const throughPool = () => pool.rerank({ query, passages, signal: new AbortController().signal })
  try {
    await Promise.all([throughPool(), direct.run()])
    const contenders: Contender[] = [
      { label: 'idle', run: () => loopDelay(() => sleep(IDLE_MS)) },
      { label: 'reranks through the pool', run: () => loopDelay(() => reranks(throughPool)) },
      { label: 'onnxruntime in the main thread', run: () => loopDelay(() => reranks(() => direct.run())) },
    ]
    return {
      name: 'event-loop',
      title: `event-loop delay during ${RERANKS} reranks, ${IN_FLIGHT} in flight`,
      tables: [
        {
          title: 'period of a timer of 1 ms in the main thread',
          rows: await sideBySide(contenders, { rounds: ROUNDS, warmups: 0 }),
        },
      ],
      notes: [
        world.description,
        'An idle loop shows the timer’s own period, a little above 1 ms. Wanted: p99 below 20 ms.',
      ],
    }
  } finally {
    await Promise.all([direct.close(), pool.close()])
  }
}

async function loopDelay(work: () => Promise<unknown>): Promise<Figures> {
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  const started = performance.now()
  histogram.enable()
  await work()
  histogram.disable()
  const ms = (nanoseconds: number) => nanoseconds / 1e6
  return {
    'p50 ms': ms(histogram.percentile(50)),
    'p99 ms': ms(histogram.percentile(99)),
    'max ms': ms(histogram.max),
    'took ms': performance.now() - started,
  }
}

async function reranks(rerank: () => Promise<unknown>): Promise<void> {
  let left = RERANKS
  const lane = async () => {
    while (left-- > 0) await rerank()
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}
