import { groupBy } from '../core/collections.ts'
import { eitherSignal } from '../core/either-signal.ts'
import type { Reranker, StoreCall } from '../core/ports.ts'
import type { Chunk, JsonObject } from '../core/types.ts'
import { type DetectedIntent, detectIntent } from '../intent/detect.ts'
import type { Packed } from '../pack/pack.ts'
import type { NeighbourPlace } from '../rank/reunify.ts'
import type { TimedCaller } from './context-request.ts'
import { NEIGHBOUR_SHARE, PACKING_SHARE, RERANKING_SHARE } from './deadline.ts'
import type { Background } from './pacing/background.ts'
import { listWeights, reranks } from './plan/derived.ts'
import type { Plan } from './plan/plan.ts'
import { packRanked, type RankAndPackInput, rankCandidates } from './rank-and-pack.ts'
import { retrieve } from './retrieve.ts'
import type { RunRecord } from './run-record.ts'
import type { PipelinePorts } from './services.ts'

/** A question and the plan for its context. */
export interface ContextInput {
  query: string
  collections: string[]
  filter: JsonObject | null
  /** The query vector; null means that the embedder computes it. */
  vector: number[] | null
  plan: Plan
  /** For the order `stable`: the turn of the session that first packed a candidate, by its key. */
  previous?: ReadonlyMap<string, number>
  /** Given for a run that nobody waits for. */
  background?: Background
}

interface ContextRun {
  packed: Packed
  intent: DetectedIntent
  /** The encoding that counted the tokens. */
  encoding: string
}

/** A question whose candidates are ranked, and which can be packed at any budget. */
export interface RankedContext {
  /** Packs the ranked candidates. @param record of the ranking, or a branch of it when it is packed more than once */
  packAt(budgetTokens: number, record: RunRecord): Promise<ContextRun>
  /** Ends the deadlines of the steps. */
  release(): void
}

/** Runs the whole pipeline for one question, without cache and sessions. Each step has its share of the deadline. */
export async function runContext(
  input: ContextInput,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<ContextRun> {
  const ranked = await rankContext(input, ports, caller, record)
  return ranked.packAt(input.plan.budgetTokens, record).finally(ranked.release)
}

/** Runs the part of the pipeline that does not depend on the budget. The caller releases the result. */
export async function rankContext(
  input: ContextInput,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<RankedContext> {
  const { query, plan, background } = input
  const tokenizer = ports.tokenizer(plan.tokenizerModel)
  if (tokenizer.mapped)
    record.degrade('tokenizer_mapped', `${plan.tokenizerModel} is unknown; counted with ${tokenizer.encoding}`)
  if (reranks(plan) && ports.unavailable.reranker !== null)
    record.degrade('reranker_unavailable', ports.unavailable.reranker)

  const intent = await record.stage(
    'intent',
    1,
    () => detectIntent(query),
    () => ({ out: 1, changed: false }),
  )
  const lists = await record.stage(
    'retrieve',
    0,
    () => retrieve({ ...input, weights: listWeights(plan, intent.label) }, ports, caller, record),
    found => ({ out: found.reduce((sum, { hits }) => sum + hits.length, 0), changed: true }),
  )
  const reranking = caller.deadline.part(RERANKING_SHARE)
  const expanding = caller.deadline.part(NEIGHBOUR_SHARE)
  const packing = caller.deadline.part(PACKING_SHARE)
  const endParts = () => {
    for (const part of [reranking, expanding, packing]) part.dispose()
  }
  const { apiKey, condition, tenant } = caller
  const ranking: RankAndPackInput = {
    query,
    intent: intent.label,
    lists,
    plan,
    reranker:
      ports.reranker &&
      limitReranker(background?.rerankerOf(ports.reranker) ?? ports.reranker, reranking.signal, caller.crowded),
    fetchNeighbours: places => fetchNeighbours(places, input, ports, { apiKey, condition, signal: expanding.signal }),
    count: tokenizer.countInSteps,
    tenant,
    signal: packing.signal,
    needsText: true,
    ...(input.previous ? { previous: input.previous } : {}),
    ...(background && { background }),
  }
  try {
    const ranked = await rankCandidates(ranking, record)
    return {
      packAt: async (budgetTokens, at) => {
        const packed = await packRanked(ranked, { ...ranking, plan: { ...plan, budgetTokens } }, at)
        if (packed.packed.length === 0 && packed.dropped.length > 0)
          at.degrade('nothing_fits', `no chunk fits ${budgetTokens} tokens`)
        return { packed, intent, encoding: tokenizer.encoding }
      },
      release: () => {
        ranked.release()
        endParts()
      },
    }
  } catch (error) {
    endParts()
    throw error
  }
}

/**
 * A reranker that also stops at this signal, because its own deadline is a setting and may be later than the end of the request. While
 * other requests of the tenant wait, its queue counts as endless: an answer without reranking comes before a refusal.
 */
function limitReranker(reranker: Reranker, end: AbortSignal, crowded: () => boolean): Reranker {
  return {
    ...reranker,
    expectedWaitMs: tenant => (crowded() ? Number.POSITIVE_INFINITY : (reranker.expectedWaitMs?.(tenant) ?? 0)),
    rerank: request => {
      const { signal, dispose } = eitherSignal(request.signal, end)
      return reranker.rerank({ ...request, signal }).finally(dispose)
    },
  }
}

async function fetchNeighbours(
  places: NeighbourPlace[],
  { filter }: ContextInput,
  { store }: PipelinePorts,
  call: StoreCall,
): Promise<Chunk[]> {
  const byCollection = [...groupBy(places, ({ collection }) => collection)]
  const fetched = byCollection.map(([collection, ofOne]) => store.fetchPlaces(collection, ofOne, filter, call))
  return (await Promise.all(fetched)).flat()
}
