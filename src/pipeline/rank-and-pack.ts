import type { Reranker } from '../core/ports.ts'
import type { Candidate, FilterResult, Intent, RetrievedList } from '../core/types.ts'
import { type Packed, pack } from '../pack/pack.ts'
import { addAnswerability } from '../rank/answerability.ts'
import { collect, dropWithoutText } from '../rank/collect.ts'
import { cutTo } from '../rank/cut.ts'
import { dedupe } from '../rank/dedupe.ts'
import { diversify } from '../rank/diversify.ts'
import { fuse } from '../rank/fuse.ts'
import { scaleToBest } from '../rank/scale.ts'
import { listWeights, mmrAlpha } from './plan/derived.ts'
import { rerank } from './rerank.ts'
import { type ReunifyInput, reunify } from './reunify.ts'
import { differ, type RunRecord } from './run-record.ts'

/** What both endpoints bring: lists that are already retrieved, and the two ports that later steps need. */
export interface RankAndPackInput extends ReunifyInput {
  query: string | null
  /** Null when there is no query text to detect one from. */
  intent: Intent | null
  lists: RetrievedList[]
  reranker: Reranker | null
  signal: AbortSignal
  /** For the `stable` order: the turn in which this session first packed a candidate, by its key. */
  previous?: ReadonlyMap<string, number>
  /** Whether candidates without text are dropped: a context needs text, a list of points does not. */
  needsText: boolean
}

/** The pipeline after retrieval. Every candidate leaves it either packed or dropped with one reason. */
export async function rankAndPack(input: RankAndPackInput, record: RunRecord): Promise<Packed> {
  const { query, intent, lists, plan, signal } = input
  const weights = listWeights(plan, intent)
  const found = collect(lists)
  const readable = input.needsText ? dropWithoutText(found) : { kept: found, dropped: [] }
  const fused = await record.stage(
    'fuse',
    lists.reduce((sum, { hits }) => sum + hits.length, 0),
    () => fuse(readable.kept, query, { ...plan.fusion, weights }),
    after => ({ out: after.length, changed: isFused(readable.kept, after) }),
  )
  const distinct = await record.stage('dedupe', fused.length, () => dedupe(fused, plan.dedupe.containment), from(fused))
  const pool = cutTo(distinct.kept, plan.retrieval.pool, 'below_pool')
  const scaled = scaleToBest(pool.kept)
  const reranked = await record.stage(
    'rerank',
    scaled.length,
    () => rerank(scaled, query, plan, input.reranker, signal, record),
    after => ({ out: after.length, changed: differ(scaled, after) }),
  )
  const answering = await record.stage(
    'answerability',
    reranked.length,
    () => addAnswerability(reranked, query, intent, plan.answerability.bonus),
    after => ({ out: after.length, changed: differ(reranked, after) }),
  )
  const cut = [...readable.dropped, ...distinct.dropped, ...pool.dropped]
  const reunified = await record.stage(
    'reunify',
    answering.length,
    () => reunify(answering, cut, input, record),
    from(answering),
  )
  const values = scaleToBest(reunified.kept)
  const diverse = await record.stage(
    'diversify',
    values.length,
    () => diversify(values, mmrAlpha(plan), plan.rerank.topK),
    from(values),
  )
  const packed = await record.stage(
    'pack',
    diverse.kept.length,
    () => pack(diverse.kept, query, packOptions(input), input.count),
    after => ({ out: after.packed.length, changed: after.dropped.length > 0 }),
  )
  return { ...packed, dropped: [...reunified.dropped, ...diverse.dropped, ...packed.dropped] }
}

/** Fusion changed something when it joined several signals of one candidate, or the order of a single list. */
function isFused(before: readonly Candidate[], after: readonly Candidate[]): boolean {
  return after.some(({ signals, key }, index) => signals.length > 1 || key !== before[index]?.key)
}

const from = (before: readonly Candidate[]) => (after: FilterResult) => ({
  out: after.kept.length,
  changed: differ(before, after.kept),
})

function packOptions({ plan, previous }: RankAndPackInput) {
  const { budgetTokens, format, order, maxChunks } = plan
  return { ...plan.packing, budgetTokens, format, order, maxChunks, ...(previous ? { previous } : {}) }
}
