import { groupBy } from '../core/collections.ts'
import { eitherSignal } from '../core/either-signal.ts'
import type { Reranker } from '../core/ports.ts'
import { TimeUp } from '../core/steps.ts'
import type { Chunk, RetrievedList } from '../core/types.ts'
import { type DetectedIntent, detectIntent } from '../intent/detect.ts'
import type { Packed } from '../pack/pack.ts'
import type { TimedCaller } from './caller.ts'
import { answerableBy } from './confidence/answerable.ts'
import { type Evidence, evidenceOf } from './confidence/evidence.ts'
import { relevancesBy } from './confidence/relevance.ts'
import { type Deadline, NEIGHBOUR_SHARE, PACKING_SHARE, RERANKING_SHARE } from './deadline.ts'
import { RANKING_GRACE_MS } from './pacing/pace.ts'
import { listWeights, planForLists, reranks } from './plan/derived.ts'
import { packRanked, type RankAndPackInput, rankCandidates } from './rank-and-pack.ts'
import { searchCorrected } from './retrieval/corrected.ts'
import { hitsOf } from './retrieval/fallback.ts'
import { retrieve, type SearchInput } from './retrieval/retrieve.ts'
import { searchNamedDocuments } from './retrieval/search-named-documents.ts'
import type { RunRecord } from './run-record.ts'
import type { PipelinePorts } from './services.ts'
import type { Answerable, UsedMode } from './trace/schema.ts'

/** A question and the plan for its context. */
export interface ContextInput extends SearchInput {
  /** For the order `stable`: the turn of the session that first packed a candidate, by its key. */
  previous?: ReadonlyMap<string, number>
}

/** What a run of the pipeline gave. */
export interface ContextRun {
  packed: Packed
  intent: DetectedIntent
  /** What is known of the ranked candidates, at every budget. */
  evidence: Evidence
  answerable: Answerable
  /** The encoding that counted the tokens. */
  encoding: string
  mode: UsedMode
}

/** A question whose candidates are ranked, and which can be packed at any budget. */
interface RankedContext {
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
  const { plan } = input
  const tokenizer = ports.tokenizer(plan.tokenizerModel)
  if (tokenizer.mapped)
    record.degrade('tokenizer_mapped', `${plan.tokenizerModel} is unknown; counted with ${tokenizer.encoding}`)
  if (reranks(plan) && ports.unavailable.reranker !== null)
    record.degrade('reranker_unavailable', ports.unavailable.reranker)
  const found = await findPassages(input, ports, caller, record)
  const { query, intent, mode } = found
  const parts = partsOf(caller.deadline)
  const ranking = { ...rankingOf(input, found, { ports, caller, parts }), count: tokenizer.countInSteps }
  try {
    const ranked = await rankCandidates(ranking, record)
    const evidence = await ranked.pace.run(evidenceOf(query, ranked.candidates), RANKING_GRACE_MS)
    const relevanceOf = relevancesBy(evidence)
    if (evidence.isPartial) record.degrade('ranking_partial', 'left out: relevance')
    return {
      packAt: async (budgetTokens, at) => {
        const within = { ...ranking, relevanceOf, plan: { ...ranking.plan, budgetTokens } }
        const packed = await packRanked(ranked, within, at)
        if (packed.packed.length === 0 && packed.dropped.some(({ reason }) => reason === 'over_budget'))
          at.degrade('nothing_fits', `no chunk fits ${budgetTokens} tokens`)
        const answerable = answerableBy(evidence.passages, at.degraded, plan.verdict, evidence.hasTerms)
        return { packed, evidence, answerable, intent, encoding: tokenizer.encoding, mode }
      },
      release: () => {
        ranked.release()
        parts.dispose()
      },
    }
  } catch (error) {
    parts.dispose()
    throw error
  }
}

interface FoundPassages {
  /** As it was asked, or with its spelling corrected. */
  query: string
  intent: DetectedIntent
  lists: RetrievedList[]
  mode: UsedMode
}

/** Detects the intent and searches; once more when the spelling is corrected, and in the documents that the question names. */
async function findPassages(
  input: ContextInput,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<FoundPassages> {
  const { plan, background } = input
  const asked = await record.stage(
    'intent',
    1,
    () => detectIntent(input.query),
    () => ({ out: 1, changed: false }),
  )
  if (reranks(plan) && !background) ports.reranker?.prepare?.(input.query, caller.tenant)
  const search = { ...input, weights: listWeights(plan, asked.label, input.collections.length) }
  const found = await record.stage(
    'retrieve',
    0,
    () => retrieve(search, ports, caller, record),
    ({ lists }) => ({ out: hitsOf(lists), changed: true }),
  )
  const corrected = await searchCorrected(search, found, ports, caller, record)
  const { query, mode } = corrected
  const { lists } = await searchNamedDocuments({ query, plan, found: corrected, background }, caller, record)
  return { query, intent: query === input.query ? asked : detectIntent(query), lists, mode }
}

/** The shares of the deadline of the steps behind retrieval. */
function partsOf(deadline: Deadline) {
  const reranking = deadline.part(RERANKING_SHARE)
  const expanding = deadline.part(NEIGHBOUR_SHARE)
  const packing = deadline.part(PACKING_SHARE)
  const dispose = () => {
    for (const part of [reranking, expanding, packing]) part.dispose()
  }
  return { reranking, expanding, packing, dispose }
}

/** What ranking and packing get, but for the tokenizer. */
function rankingOf(
  { filter, plan, background, cluster, vector, previous }: ContextInput,
  { query, intent, lists, mode }: FoundPassages,
  { ports, caller, parts }: { ports: PipelinePorts; caller: TimedCaller; parts: ReturnType<typeof partsOf> },
): Omit<RankAndPackInput, 'count'> {
  const { store, embedder } = ports
  const { apiKey, condition, tenant, crowded } = caller
  const reads = { apiKey, condition, cluster, signal: parts.expanding.signal }
  const reranker = ports.reranker && (background?.rerankerOf(ports.reranker) ?? ports.reranker)
  return {
    query,
    intent: intent.label,
    lists,
    plan: planForLists(plan, mode.used),
    reranker: reranker && limitReranker(reranker, parts.reranking.signal, crowded),
    denseLanguages: vector === null ? embedder?.languages : undefined,
    fetchNeighbours: places =>
      fetchFromEach(places, (collection, own) => store.fetchPlaces(collection, own, filter, reads)),
    fetchParents: parents =>
      fetchFromEach(parents, (collection, own) => {
        const ids = own.map(({ id }) => id)
        return store.fetchParents(collection, ids, filter, reads)
      }),
    tenant,
    signal: parts.packing.signal,
    previous,
    background,
  }
}

/**
 * A reranker that also stops at this signal, because its own deadline is a setting and may be later than the end of the request. While
 * other requests of the tenant wait, its queue counts as endless: an answer without reranking comes before a refusal.
 */
function limitReranker(reranker: Reranker, end: AbortSignal, crowded: () => boolean): Reranker {
  async function inTime<Request extends { signal: AbortSignal }, Result>(
    request: Request,
    ask: (request: Request) => Promise<Result>,
  ): Promise<Result> {
    const { signal, dispose } = eitherSignal(request.signal, end)
    return ask({ ...request, signal }).finally(dispose)
  }
  return {
    ...reranker,
    expectedWaitMs: tenant => (crowded() ? Number.POSITIVE_INFINITY : (reranker.expectedWaitMs?.(tenant) ?? 0)),
    rerank: request => inTime(request, limited => reranker.rerank(limited)),
    ...(reranker.matchParts && {
      matchParts: async request => {
        const matches = await inTime(request, async limited => reranker.matchParts?.(limited) ?? [])
        if (end.aborted) throw new TimeUp()
        return matches
      },
    }),
  }
}

/** Fetches chunks with one call for each collection. */
async function fetchFromEach<Place extends { collection: string }>(
  places: readonly Place[],
  fetch: (collection: string, own: Place[]) => Promise<Chunk[]>,
): Promise<Chunk[]> {
  const byCollection = [...groupBy(places, ({ collection }) => collection)]
  return (await Promise.all(byCollection.map(([collection, own]) => fetch(collection, own)))).flat()
}
