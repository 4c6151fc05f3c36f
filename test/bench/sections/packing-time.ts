import { finish } from '../../../src/core/steps.ts'
import type { Candidate, Chunk, RetrievedList } from '../../../src/core/types.ts'
import { detectIntent } from '../../../src/intent/detect.ts'
import { pack } from '../../../src/pack/pack.ts'
import type { RepetitionScope } from '../../../src/pack/repetition/packed-sentences.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../../src/pipeline/plan/override-plan.ts'
import { rankAndPack } from '../../../src/pipeline/rank-and-pack.ts'
import { RunRecord } from '../../../src/pipeline/run-record.ts'
import { createCandidate } from '../../../src/rank/collect.ts'
import { byValue } from '../../../src/rank/order.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { candidateBm25 } from '../../../src/text/candidate-bm25.ts'
import type { BenchSection } from '../bench-report.ts'
import { rankingOf } from '../ranking.ts'
import { millisecondsOf, sideBySide } from '../side-by-side.ts'
import { chunksOf, readIsharoth, tokenizer } from '../world.ts'

const CANDIDATES = 50
const QUERIES = 20
const ROUNDS = 15
const BUDGETS = [2_000, 8_000]

/** A query and its best chunks by BM25, best first, with their values. */
interface Pool {
  query: string
  chunks: Chunk[]
  values: number[]
}

/** Time to pack 50 candidates whose texts were counted before, and of all steps behind retrieval but reranking. */
export async function packingTime(): Promise<BenchSection> {
  const set = await readIsharoth()
  const chunks = chunksOf(set)
  const pools = set.queries.slice(0, QUERIES).map(({ query }) => poolOf(query, chunks))
  const random = seededRandom(11)
  // Other values each time give another context each time, whose count no cache knows.
  const shaken = (value: number) => value * (0.8 + 0.4 * random())

  const packAlone = (budgetTokens: number, repetition: RepetitionScope) => ({
    label: `pack, budget ${budgetTokens}${repetition === 'off' ? '' : ', no sentence twice'}`,
    run: () => microsecondsEach(pools.map(pool => packing(pool, shaken, budgetTokens, repetition))),
  })
  const alone = BUDGETS.flatMap(budget => [packAlone(budget, 'off'), packAlone(budget, 'context')])
  const everyStep = (budgetTokens: number) => ({
    label: `rankAndPack, budget ${budgetTokens}`,
    run: () => microsecondsEach(pools.map(pool => ranking(pool, shaken, budgetTokens, chunks))),
  })
  return {
    name: 'packing',
    title: `packing ${CANDIDATES} candidates of about 200 tokens`,
    tables: [
      { title: 'packing alone', rows: await sideBySide(alone, { rounds: ROUNDS, warmups: 3 }) },
      { title: 'fusion to packing', rows: await sideBySide(BUDGETS.map(everyStep), { rounds: ROUNDS, warmups: 3 }) },
    ],
    notes: [
      `Each round packs for ${QUERIES} queries on goldens/isharoth; the figure is the mean of the round. The chunks' counts are cached, the rendered context is new each time and counted anew.`,
      'rankAndPack is the measured plan without its reranker: two lists of 50, fusion with the pool’s BM25, dedupe, neighbours from memory, packing, trace of the stages.',
    ],
  }
}

async function microsecondsEach(works: (() => unknown)[]): Promise<Record<string, number>> {
  let total = 0
  for (const work of works) total += await millisecondsOf(work)
  return { 'µs a context': (1000 * total) / works.length }
}

function poolOf(query: string, chunks: readonly Chunk[]): Pool {
  const documents = chunks.map(({ docTitle, sectionPath, text }) => `${docTitle}\n${sectionPath}\n${text}`)
  const scores = finish(candidateBm25(query, documents))
  const best = rankingOf(scores).slice(0, CANDIDATES)
  const top = scores[best[0] ?? 0] || 1
  return {
    query,
    chunks: best.flatMap(place => chunks[place] ?? []),
    values: best.map(place => (scores[place] ?? 0) / top),
  }
}

function packing(
  { query, chunks, values }: Pool,
  shaken: (value: number) => number,
  budgetTokens: number,
  repetition: RepetitionScope,
) {
  const candidates = chunks
    .map((chunk, at): Candidate => createCandidate(chunk, 'retrieved', shaken(values[at] ?? 0)))
    .sort(byValue)
  const { packing: rules, format, order, maxChunks } = NAMED_PLANS.measured
  const options = { ...rules, repetition, budgetTokens, format, order, maxChunks }
  return () => finish(pack(candidates, query, options, tokenizer.countInSteps))
}

function ranking(pool: Pool, shaken: (value: number) => number, budgetTokens: number, chunks: readonly Chunk[]) {
  const lists = (['dense', 'keyword'] as const).map((source): RetrievedList => {
    const hits = pool.chunks.map((chunk, at) => ({ chunk, score: shaken(pool.values[at] ?? 0) }))
    return { source, kind: source, hits: hits.sort((left, right) => right.score - left.score) }
  })
  const plan = overridePlan(NAMED_PLANS.measured, { budgetTokens, rerank: { method: 'off' } })
  const input = {
    query: pool.query,
    intent: detectIntent(pool.query).label,
    lists,
    plan,
    reranker: null,
    fetchNeighbours: async (places: { docId: string; orderIndex: number }[]) =>
      chunks.filter(chunk =>
        places.some(({ docId, orderIndex }) => docId === chunk.docId && orderIndex === chunk.orderIndex),
      ),
    count: tokenizer.countInSteps,
    signal: new AbortController().signal,
    tenant: null,
    fetchParents: null,
  }
  return () => rankAndPack(input, new RunRecord(() => performance.now()))
}
