import { workerModule } from '../../../core/work/worker-module.ts'
import { contentHash } from '../../../text/fingerprint.ts'
import type { Scorer } from '../cached-reranker.ts'
import { type LocalModelOptions, startWorkers } from '../local-model.ts'
import type { ModelSource } from '../model-folder.ts'
import { readablePart } from '../pair-assembly.ts'
import type { Turn, WorkerPool } from '../workers/pool.ts'
import { createKeptSides, type KeptSides } from './kept-sides.ts'
import type { ScoreJob, ScoreResult } from './late-interaction.worker.ts'
import type { PassageSide } from './passage-side.ts'

type Pool = WorkerPool<ScoreJob, ScoreResult, null>

/** Passages of a job whose sides are kept: together they take less time than one passage that must be read. */
const KEPT_PER_JOB = 8

/**
 * Computes logits with a model whose graph is cut in two. What the encoder makes of a passage is kept for the next query, whoever asks: it
 * depends on the text alone, and a logit has the same bits whether the side was kept or not.
 * @throws Error when the graph cannot be cut as the folder says
 */
export async function openLateInteraction(
  source: ModelSource,
  options: LocalModelOptions,
  maxBytes: number,
): Promise<Scorer> {
  const script = workerModule('late-interaction.worker', import.meta.url)
  const pool: Pool = await startWorkers(source, options, script)
  return createLateInteraction(pool, createKeptSides(maxBytes), source.maxTokens)
}

/** Scores on a pool of the worker's jobs. */
export function createLateInteraction(pool: Pool, sides: KeptSides, maxTokens: number): Scorer {
  let waiting = 0

  async function score(...[query, passages, signal, tenant]: Parameters<Scorer['score']>): Promise<(number | null)[]> {
    // Halves of surrogate pairs have one hash, so they must be one text.
    const texts = passages.map(passage => readablePart(passage, maxTokens).toWellFormed())
    const read = texts.map((text): Passage => ({ text, key: contentHash(text) }))
    const jobs = groupKept(read, ({ key }) => sides.has(key))
    let own = passages.length
    const start = (count: number) => {
      own -= count
      waiting -= count
    }
    waiting += own
    try {
      const turns = jobs.map(
        (job): Turn<ScoreJob, ScoreResult, number[]> =>
          send => {
            start(job.length)
            return scoreTogether(query, job, sides, send)
          },
      )
      const { results } = await pool.runTurns(turns, { signal, tenant })
      return results.flatMap((logits, at): (number | null)[] => logits ?? (jobs[at] ?? []).map(() => null))
    } finally {
      start(own)
    }
  }

  return {
    score,
    expectedWaitMs: tenant => pool.expectedWaitMs(tenant),
    waiting: () => waiting,
    close: () => pool.close(),
  }
}

interface Passage {
  text: string
  /** The same for equal texts only. */
  key: string
}

/** Groups that keep the order: each passage that must be encoded alone, the others between them by `KEPT_PER_JOB`. */
function groupKept(passages: readonly Passage[], isKept: (passage: Passage) => boolean): Passage[][] {
  const groups: Passage[][] = []
  let open: Passage[] | null = null
  for (const passage of passages) {
    const kept = isKept(passage)
    if (kept && open !== null && open.length < KEPT_PER_JOB) {
      open.push(passage)
      continue
    }
    const group = [passage]
    groups.push(group)
    open = kept ? group : null
  }
  return groups
}

/** Scores passages in one job. A passage that another job encodes now is waited for. */
async function scoreTogether(
  query: string,
  passages: readonly Passage[],
  sides: KeptSides,
  send: (job: ScoreJob) => Promise<ScoreResult>,
): Promise<number[]> {
  const found: (PassageSide | undefined)[] = []
  for (const { key } of passages) {
    let side = sides.find(key)
    while (side instanceof Promise) side = (await side) ?? sides.find(key)
    found.push(side)
  }
  const sent = send({ query, passages: passages.map(({ text }, at) => found[at] ?? text) })
  for (const [at, { key }] of passages.entries()) {
    if (found[at] === undefined)
      sides.keep(
        key,
        sent.then(result => result.sides[at] ?? null),
      )
  }
  return (await sent).logits
}
