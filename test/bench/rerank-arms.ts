import type { Embedder, Reranker } from '../../src/core/ports.ts'
import { blend } from '../../src/rank/blend.ts'
import { minmax } from '../../src/rank/fuse.ts'
import { type Interval, pairedInterval } from '../../src/statistics/bootstrap.ts'
import { type Comparison, compareTogether } from '../../src/statistics/comparison.ts'
import { cosine } from '../../src/text/similarity.ts'
import { candidate } from '../support/candidates.ts'
import type { CandidateRow } from './candidates-file.ts'
import { type Gain, ndcgAt, rankingOf } from './ranking.ts'
import { millisecondsOf } from './side-by-side.ts'

const CUT = 10
const BLENDS = [0.3, 0.5, 0.7]
/** Passages of one request: what the product asks at once. */
const REQUEST = 50

/** nDCG@10 of one way of ordering the candidates, over all queries. */
export interface ArmResult {
  arm: string
  ndcg: Record<Gain, Interval>
  /** To the first stage, linear gain, query by query; null for the first stage itself. */
  comparison: Comparison | null
}

export interface RerankResult {
  queries: number
  pairs: number
  arms: ArmResult[]
  /** Median over requests of 50 passages, beside the embedder's for the same passages; null where the model is absent. */
  milliseconds: { reranker: number[]; embedder: number[] }
}

/**
 * Orders every query's candidates by the first stage, the embedder's cosine, the reranker, and the product's blend of
 * minmax(first stage) with the relevance, and measures the orders. Models that are null leave their arms out.
 */
export async function measureArms(
  rows: readonly CandidateRow[],
  models: { embedder: Embedder | null; reranker: Reranker | null },
  onProgress: (done: number, total: number) => void,
): Promise<RerankResult> {
  const orders = new Map<string, Record<Gain, number[]>>()
  const milliseconds: RerankResult['milliseconds'] = { reranker: [], embedder: [] }
  for (const [at, row] of rows.entries()) {
    for (const [arm, scores] of await scoresOfRow(row, models, milliseconds)) {
      const figures = orders.get(arm) ?? { linear: [], exponential: [] }
      const grades = rankingOf(scores).map(place => row.passages[place]?.grade ?? 0)
      const judged = Object.values(row.judged_relevant)
      for (const gain of ['linear', 'exponential'] as const) figures[gain].push(ndcgAt(CUT, grades, judged, gain))
      orders.set(arm, figures)
    }
    onProgress(at + 1, rows.length)
  }
  const first = orders.get('first stage')?.linear ?? []
  const differences = [...orders]
    .filter(([arm]) => arm !== 'first stage')
    .map(([arm, { linear }]) => [arm, [linear.map((value, at) => value - (first[at] ?? 0))]] as const)
  const compared = compareTogether(new Map(differences))
  return {
    queries: rows.length,
    pairs: rows.reduce((sum, { passages }) => sum + passages.length, 0),
    arms: [...orders].map(([arm, { linear, exponential }]) => ({
      arm,
      ndcg: { linear: pairedInterval([linear]), exponential: pairedInterval([exponential]) },
      comparison: compared.get(arm) ?? null,
    })),
    milliseconds,
  }
}

async function scoresOfRow(
  { query, passages }: CandidateRow,
  { embedder, reranker }: { embedder: Embedder | null; reranker: Reranker | null },
  milliseconds: RerankResult['milliseconds'],
): Promise<[arm: string, scores: (number | null)[]][]> {
  const texts = passages.map(({ text }) => text)
  const first = minmax(passages.map(({ score }) => score))
  const arms: [string, (number | null)[]][] = [['first stage', passages.map((_, place) => -place)]]
  if (embedder) {
    const asked = await embedder.embedQuery(query)
    const vectors = await inRequests(texts, milliseconds.embedder, part => embedder.embedPassages(part))
    const cosines = vectors.map(vector => cosine(asked, vector))
    arms.push(['embedder (cosine)', cosines])
  }
  if (reranker) {
    const relevance = await inRequests(texts, milliseconds.reranker, async part => {
      const { scores } = await reranker.rerank({ query, passages: part, signal: new AbortController().signal })
      return scores
    })
    for (const weight of BLENDS) arms.push([`blend ${weight}`, blended(first, relevance, weight)])
    arms.push(['reranker', relevance])
  }
  return arms
}

async function inRequests<T>(
  texts: readonly string[],
  milliseconds: number[],
  ask: (part: string[]) => Promise<T[]>,
): Promise<T[]> {
  const answers: T[] = []
  for (let from = 0; from < texts.length; from += REQUEST) {
    const part = texts.slice(from, from + REQUEST)
    const took = await millisecondsOf(async () => answers.push(...(await ask(part))))
    if (part.length === REQUEST) milliseconds.push(took)
  }
  return answers
}

/** Scores that stand for the order in which the product's own blend leaves the passages. */
function blended(first: readonly number[], relevance: readonly (number | null)[], weight: number): number[] {
  const candidates = first.map((value, at) => candidate({ id: at }, value))
  const order = blend(candidates, relevance, weight).map(({ chunk }) => Number(chunk.id))
  return first.map((_, at) => -order.indexOf(at))
}
