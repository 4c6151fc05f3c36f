import type { MatchPartsRequest, PassageObserver, PassageParts } from '../../../core/ports.ts'
import { workerModule } from '../../../core/work/worker-module.ts'
import type { Scorer } from '../cached-reranker.ts'
import { type LocalModelOptions, startWorkers } from '../local-model.ts'
import type { ModelSource } from '../model-folder.ts'
import type { PoolCallOptions, Turn, WorkerPool } from '../workers/pool.ts'
import { createReadAhead } from './folder/read-ahead.ts'
import type { SideFolder } from './folder/side-folder.ts'
import { createKeptSides, type KeptSides } from './kept-sides.ts'
import { type KeyedText, keyedPassage, keyedQuery } from './keyed-text.ts'
import type { ScoreJob, ScoreResult } from './late-interaction.worker.ts'
import { readingWithParts } from './reading.ts'
import type { Side } from './side.ts'

type Pool = WorkerPool<ScoreJob, ScoreResult, null>

/** Passages of a job whose sides are kept: for each worker the same number, but at least so many, because a job costs something, too. */
const LEAST_PER_JOB = 8
/** Together they take less time than one passage that must be read, unless the question is long. */
const MOST_PER_JOB = 25
/** A question of so many UTF-16 code units is long: its pairs take several times as long as those of usual ones, and tenants take turns by jobs. */
const LONG_QUERY = 600
/** Memory for what the encoder made of queries, in bytes: about 80 queries of 15 tokens. */
const QUERY_BYTES = 4 * 1024 * 1024

/** Where the sides of passages are kept. */
interface SidePlaces {
  /** Of those in memory. */
  maxBytes: number
  /** Null: in memory only. */
  folder: SideFolder | null
  observer?: PassageObserver | undefined
}

/**
 * Computes logits with a model whose graph is cut in two. What the encoder makes of a passage is kept for the next query, whoever asks: it
 * depends on the text alone, and the logits of the included reranker have the same bits whether the side was kept or not.
 * @throws Error when the graph cannot be cut as the folder says
 */
export async function openLateInteraction(
  source: ModelSource,
  options: LocalModelOptions,
  { maxBytes, folder, observer }: SidePlaces,
): Promise<Scorer> {
  const script = workerModule('late-interaction.worker', import.meta.url)
  const pool: Pool = await startWorkers(source, options, script)
  const { matchParts, ...rest } = createLateInteraction(
    pool,
    createKeptSides(maxBytes, folder),
    source.maxTokens,
    observer,
  )
  const matchesParts = source.settings.late_interaction?.part_match !== undefined
  const scorer: Scorer = { ...rest, ...(matchesParts && matchParts && { matchParts }) }
  return folder === null ? scorer : { ...scorer, warm: createReadAhead(pool, folder, source.maxTokens) }
}

/** Scores on a pool of the worker's jobs. */
export function createLateInteraction(
  pool: Pool,
  sides: KeptSides,
  maxTokens: number,
  observer?: PassageObserver,
): Scorer {
  const queries = createKeptSides(QUERY_BYTES)
  let waiting = 0

  /** Starts to encode a query once for all its jobs. When that fails, a job encodes it, and tells of its own failure. */
  function encodeQuery(query: KeyedText, options: PoolCallOptions): void {
    const encode: ScoreTurn = async send => {
      if (queries.find(query.key) !== undefined) return []
      const sent = send({ query: query.text, passages: [] })
      const side = sent.then(({ asked }) => asked)
      queries.keep(query.key, side)
      return (await sent).logits
    }
    if (!queries.has(query.key)) pool.runTurns([encode], { ...options, isSmall: true }).catch(() => undefined)
  }

  async function score(...[query, passages, signal, tenant]: Parameters<Scorer['score']>): Promise<(number | null)[]> {
    const read = passages.map(passage => keyedPassage(passage, maxTokens))
    const asked = keyedQuery(query, tenant)
    let own = passages.length
    const start = (count: number) => {
      own -= count
      waiting -= count
    }
    waiting += own
    try {
      encodeQuery(asked, { signal, tenant })
      const keys = read.map(({ key }) => key)
      const memory = keys.filter(sides.has).length
      const loaded = await sides.load(keys, signal)
      const table: Table = { queries, passages: sides, loaded }
      const known = keys.filter(key => loaded.has(key)).length
      observer?.passagesFound({ memory, disk: known - memory, unread: read.length - known })
      const most = query.length < LONG_QUERY ? MOST_PER_JOB : LEAST_PER_JOB
      const perJob = Math.min(most, Math.max(LEAST_PER_JOB, Math.ceil(known / pool.size)))
      const jobs = groupKept(read, ({ key }) => loaded.has(key), perJob)
      const turnOf = (job: readonly KeyedText[]) => async (send: Send) => {
        start(job.length)
        return (await sendTogether(asked, job, table, send)).logits
      }
      const { results } = await pool.runTurns(jobs.map(turnOf), { signal, tenant })
      return results.flatMap((logits, at): (number | null)[] => logits ?? (jobs[at] ?? []).map(() => null))
    } finally {
      start(own)
    }
  }

  async function matchParts({ query, passages, signal, tenant }: MatchPartsRequest): Promise<(number[] | null)[]> {
    const read = passages.map(({ text }) => keyedPassage(text, maxTokens))
    const keys = read.map(({ key }) => key)
    const loaded = await sides.load(keys, signal)
    const table: Table = { queries, passages: sides, loaded }
    const asked = keyedQuery(query, tenant)
    const isSmall = keys.every(key => loaded.has(key))
    encodeQuery(asked, { signal, tenant })
    const turns = passages.map(
      (passage, at) => async (send: Send) =>
        (await sendTogether(asked, read.slice(at, at + 1), table, send, [readingWithParts(passage)])).matches[0] ??
        null,
    )
    const { results } = await pool.runTurns(turns, { signal, tenant, isSmall })
    return results
  }

  return {
    score,
    matchParts,
    prepare(query, tenant) {
      if (pool.waiting() === 0) encodeQuery(keyedQuery(query, tenant), { tenant })
    },
    expectedWaitMs: tenant => pool.expectedWaitMs(tenant),
    waiting: () => waiting,
    close: () => pool.close(),
  }
}

/** Groups that keep the order: each passage that must be encoded alone, the others between them by `most`. */
function groupKept(
  passages: readonly KeyedText[],
  isKept: (passage: KeyedText) => boolean,
  most: number,
): KeyedText[][] {
  const groups: KeyedText[][] = []
  let open: KeyedText[] | null = null
  for (const passage of passages) {
    const kept = isKept(passage)
    if (kept && open !== null && open.length < most) {
      open.push(passage)
      continue
    }
    const group = [passage]
    groups.push(group)
    open = kept ? group : null
  }
  return groups
}

type ScoreTurn = Turn<ScoreJob, ScoreResult, number[]>
type Send = (job: ScoreJob) => Promise<ScoreResult>

interface Table {
  queries: KeptSides
  passages: KeptSides
  /** The sides of passages that were known at the start of the request. */
  loaded: ReadonlyMap<string, Side>
}

/** Scores passages, or their parts, in one job. A text that another job encodes now is waited for. */
async function sendTogether(
  query: KeyedText,
  passages: readonly KeyedText[],
  kept: Table,
  send: Send,
  parts?: readonly PassageParts[],
): Promise<ScoreResult> {
  let asked = kept.queries.find(query.key)
  while (asked instanceof Promise) asked = await asked
  const found: (Side | undefined)[] = []
  for (const { key } of passages) {
    let side = kept.loaded.get(key) ?? kept.passages.find(key)
    while (side instanceof Promise) side = (await side) ?? kept.passages.find(key)
    found.push(side)
  }
  const ranges = parts?.map(({ parts }, at) => ({ text: passages[at]?.text ?? '', ranges: parts }))
  const sent = send({
    query: asked ?? query.text,
    passages: passages.map(({ text }, at) => found[at] ?? text),
    ...(ranges && { parts: ranges }),
  })
  for (const [at, { key }] of passages.entries()) {
    if (found[at] !== undefined) continue
    const side = sent.then(result => result.sides[at] ?? null)
    kept.passages.keep(key, side)
  }
  return sent
}
