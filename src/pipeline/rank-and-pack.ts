import type { Reranker } from '../core/ports.ts'
import type { Candidate, Chunk, Dropped, Intent, RetrievedList, Sieved } from '../core/types.ts'
import { type Packed, pack } from '../pack/pack.ts'
import { addAnswerability } from '../rank/answerability.ts'
import { scaleToOne } from '../rank/blend.ts'
import { collect, withText } from '../rank/collect.ts'
import { cutTo } from '../rank/cut.ts'
import { dedupe } from '../rank/dedupe.ts'
import { diversify } from '../rank/diversify.ts'
import { fuse } from '../rank/fuse.ts'
import { grow, missingNeighbours, type NeighbourPlace, smooth } from '../rank/reunify.ts'
import { listWeights } from './plan/override-plan.ts'
import type { Plan } from './plan/plan.ts'
import { rerank } from './rerank.ts'
import type { TraceRecorder } from './trace/recorder.ts'

/** What both doors bring: lists that are retrieved already, and how to reach the world for the two steps that need it. */
export interface RankAndPackInput {
  query: string | null
  /** Null when there is no query text to detect one from. */
  intent: Intent | null
  lists: RetrievedList[]
  plan: Plan
  reranker: Reranker | null
  fetchNeighbours: ((places: NeighbourPlace[]) => Promise<Chunk[]>) | null
  count: (text: string) => number
  signal: AbortSignal
  previous?: ReadonlyMap<string, number>
  /** Whether candidates without text are out (a context needs text, a list of points does not). */
  needsText: boolean
}

/**
 * The pipeline after retrieval. Every candidate that comes in leaves either packed or dropped with one reason.
 */
export async function rankAndPack(input: RankAndPackInput, trace: TraceRecorder): Promise<Packed> {
  const { query, intent, lists, plan, signal } = input
  const weights = listWeights(plan, intent)
  const found = await trace.step('collect', hits(lists), () => collect(lists), many)
  const readable = input.needsText ? withText(found) : { kept: found, dropped: [] }
  const fused = await trace.step(
    'fuse',
    readable.kept.length,
    () => fuse(readable.kept, query, { ...plan.fusion, weights }),
    many,
  )
  const distinct = await trace.step('dedupe', fused.length, () => dedupe(fused, plan.dedupe.containment), kept)
  const pool = cutTo(distinct.kept, plan.retrieval.pool, 'fused_cut')
  const reranked = await trace.step(
    'rerank',
    pool.kept.length,
    () => rerank(pool.kept, query, plan.rerank, input.reranker, signal, trace),
    many,
  )
  const answering = await trace.step('answerability', reranked.length, () => answerable(reranked, input), many)
  const cut = [...readable.dropped, ...distinct.dropped, ...pool.dropped]
  const grown = await trace.step('reunify', answering.length, () => reunify(answering, cut, input, trace), kept)
  const diverse = await trace.step(
    'diversify',
    grown.kept.length,
    () => diversify(grown.kept, plan.diversity.mmrAlpha, plan.rerank.keep),
    kept,
  )
  const packed = await trace.step(
    'pack',
    diverse.kept.length,
    () => pack(diverse.kept, query, packOptions(input), input.count),
    size,
  )
  return { ...packed, dropped: [...grown.dropped, ...diverse.dropped, ...packed.dropped] }
}

function answerable(candidates: Candidate[], { query, intent, plan }: RankAndPackInput): Candidate[] {
  return query === null || intent === null
    ? candidates
    : addAnswerability(candidates, query, intent, plan.answerability.bonus)
}

/** Smooths, fetches the neighbours worth having, grows, and drops what that brought twice. */
async function reunify(
  candidates: Candidate[],
  dropped: Dropped[],
  input: RankAndPackInput,
  trace: TraceRecorder,
): Promise<Sieved> {
  const { smoothing, documentShare, growth, scope, fetch } = input.plan.reunification
  if (growth === 0) return { kept: smooth(candidates, smoothing, documentShare), dropped }
  const smoothed = scaleToOne(smooth(candidates, smoothing, documentShare))
  const reachable = withinBudget(smoothed, input)
  const places = fetch ? missingNeighbours(reachable, [...smoothed, ...dropped.map(({ candidate }) => candidate)]) : []
  const fetched = places.length > 0 ? await fetchOrDegrade(places, input, trace) : []
  const grown = grow(smoothed, dropped, fetched, growth, scope)
  const distinct = dedupe(grown.candidates, input.plan.dedupe.containment)
  return { kept: distinct.kept, dropped: [...grown.dropped, ...distinct.dropped] }
}

/** A neighbour ranks below the candidate that brings it, so only candidates that the budget can hold bring any. */
function withinBudget(candidates: Candidate[], { plan, count }: RankAndPackInput): Candidate[] {
  let used = 0
  return candidates.filter(({ chunk }) => {
    if (used > plan.budgetTokens) return false
    used += count(chunk.text)
    return true
  })
}

async function fetchOrDegrade(
  places: NeighbourPlace[],
  { fetchNeighbours }: RankAndPackInput,
  trace: TraceRecorder,
): Promise<Chunk[]> {
  if (!fetchNeighbours) return []
  try {
    return await fetchNeighbours(places)
  } catch (error) {
    trace.degrade('neighbours_unavailable', error instanceof Error ? error.message : String(error))
    return []
  }
}

function packOptions({ plan, previous }: RankAndPackInput) {
  const { budgetTokens, format, order, maxChunks } = plan
  return { ...plan.packing, budgetTokens, format, order, maxChunks, ...(previous ? { previous } : {}) }
}

const hits = (lists: RetrievedList[]) => lists.reduce((sum, list) => sum + list.hits.length, 0)
const many = (candidates: unknown[]) => candidates.length
const kept = (sieved: Sieved) => sieved.kept.length
const size = (result: Packed) => result.packed.length
