import { availableParallelism } from 'node:os'
import { createCrossEncoder } from '../../../src/adapters/models/cross-encoder.ts'
import type { Reranker } from '../../../src/core/ports.ts'
import { sigmoid } from '../../../src/statistics/sigmoid.ts'
import type { BenchSection } from '../bench-report.ts'
import { type DirectSession, openDirectSession, openPairsWorld, type PairsWorld } from '../pairs-world.ts'
import { type Contender, millisecondsOf, sideBySide } from '../side-by-side.ts'

const ROUNDS = 7
const LOGITS = { temperature: 1, bias: 0 }

/**
 * Pairs scored a second through our pool, beside onnxruntime run directly on the same token inputs. The pool scores the whole graph pair by pair; then with
 * the passages read once: new passages in each round, and passages that are kept with a new query in each round.
 */
export async function pairsPerSecond(): Promise<BenchSection> {
  const world = await openPairsWorld()
  const cores = Math.min(4, availableParallelism())
  const tables: BenchSection['tables'] = []
  let farthest = 0
  for (const size of new Set([1, cores])) {
    const direct = await openDirectSession(world, size)
    const options = { model: world.source.location, workers: size, cacheEntries: 0, allowRemote: false }
    const pool = await createCrossEncoder({ ...options, calibration: LOGITS, passageBytes: 0 })
    const reading = await createCrossEncoder({ ...options, calibration: LOGITS })
    let round = 0
    try {
      farthest = Math.max(farthest, await farthestApart(direct, pool, world))
      await scoresOf(reading, world)
      tables.push({
        title: `${size} core${size === 1 ? '' : 's'}`,
        rows: await sideBySide(
          [
            contender(`onnxruntime directly, ${size} thread(s)`, world, () => direct.run()),
            contender(`stowage pool, ${size} worker(s), pair by pair`, world, () => scoresOf(pool, world)),
            contender('the same, new passages read once', world, () => scoresOf(reading, inNewWords(world, ++round))),
            contender('the same, kept passages', world, () =>
              scoresOf(reading, { ...world, query: `${++round} ${world.query}` }),
            ),
          ],
          { rounds: ROUNDS },
        ),
      })
    } finally {
      await Promise.all([direct.close(), pool.close(), reading.close()])
    }
  }
  return {
    name: 'pairs',
    title: 'pairs reranked a second',
    tables,
    notes: [
      world.description,
      'onnxruntime is handed ready tensors in the main thread; stowage is handed texts and tokenizes, assembles, crosses threads and calibrates. Its cache of scored pairs is off.',
      `Same inputs, pair by pair: scores of both differ by at most ${farthest.toExponential(1)}.`,
    ],
  }
}

/** The same world with passages that nobody has read yet, one token longer. */
function inNewWords(world: PairsWorld, round: number): PairsWorld {
  return { ...world, passages: world.passages.map(passage => `${round} ${passage}`) }
}

function contender(label: string, { inputs }: PairsWorld, score: () => Promise<unknown>): Contender {
  return {
    label,
    run: async () => {
      const ms = await millisecondsOf(score)
      return { 'pairs/s': (1000 * inputs.length) / ms, [`ms for ${inputs.length}`]: ms }
    },
  }
}

async function scoresOf(pool: Reranker, { query, passages }: PairsWorld): Promise<number[]> {
  const { scores } = await pool.rerank({ query, passages, signal: new AbortController().signal })
  return scores.map(score => score ?? Number.NaN)
}

async function farthestApart(direct: DirectSession, pool: Reranker, world: PairsWorld): Promise<number> {
  const [logits, scores] = [await direct.run(), await scoresOf(pool, world)]
  return Math.max(...logits.map((logit, at) => Math.abs(sigmoid(logit) - (scores[at] ?? Number.NaN))))
}
