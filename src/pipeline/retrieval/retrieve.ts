import { groupBy } from '../../core/collections.ts'
import { StowageError } from '../../core/errors.ts'
import type { ClusterRead, SearchRequest, SearchResult } from '../../core/ports.ts'
import type { JsonObject, RetrievalMode, RetrievedHit, RetrievedList } from '../../core/types.ts'
import { minmax } from '../../rank/fuse.ts'
import { encodeKeywordQuery } from '../../text/terms/keyword-vectors.ts'
import type { TimedCaller } from '../caller.ts'
import type { Background } from '../pacing/background.ts'
import { mmrAlpha } from '../plan/derived.ts'
import type { ListWeights, Plan } from '../plan/plan.ts'
import type { RunRecord } from '../run-record.ts'
import type { PipelinePorts } from '../services.ts'
import type { UsedMode } from '../trace/schema.ts'
import {
  type CollectionAnswer,
  fallbackReason,
  faultsOf,
  hitsOf,
  modeOf,
  OTHER_MODE,
  type SingleMode,
  unanswered,
} from './fallback.ts'
import { type QueryVector, queryVector } from './query-vector.ts'

/** A question, where it is asked, and by which plan. */
export interface SearchInput {
  query: string
  collections: string[]
  filter: JsonObject | null
  cluster?: ClusterRead | null | undefined
  /** The query vector; null means that the embedder computes it. */
  vector: number[] | null
  plan: Plan
  /** Collections with contexts that are searched instead, by the collection that they stand for. */
  contextual?: ReadonlyMap<string, string>
  /** Given for a run that nobody waits for. */
  background?: Background
}

export interface WeightedSearch extends SearchInput {
  weights: ListWeights
}

/** The lists of a request, and the mode that they amount to. */
export interface Retrieved {
  lists: RetrievedList[]
  mode: UsedMode
  answers: CollectionAnswer[]
  /** Searches documents of a collection by the same vectors. */
  searchWithin(
    among: { collection: string; mode: RetrievalMode; documents: readonly string[] },
    signal: AbortSignal,
  ): Promise<SearchResult>
}

/**
 * Searches the lists of the plan's mode in every collection and merges lists of the same source. The keyword list is
 * searched while the query is embedded. A mode whose list is not there, or finds nothing, falls back to the other list. A missing
 * list is a degradation, but for the keyword list of a collection that has none.
 * @throws StowageError when a collection cannot be searched, when the deadline passes, or when no list can be searched because of
 * the collections, the settings or the embedder
 */
export async function retrieve(
  input: WeightedSearch,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<Retrieved> {
  caller.deadline.signal.throwIfAborted()
  const search = searcher(input, ports, caller, record)
  const { mode } = input.plan.retrieval
  if (input.vector === null && input.query.trim() === '') {
    // An embedder gives a vector to white space too, and any passage is near it.
    record.degrade('no_search_terms', 'the query is white space, and there is no query vector')
    return { ...foundBy([], mode), searchWithin: search.within }
  }
  const asked = await search.lists(input.collections, mode)
  const answers = mode === 'hybrid' ? asked : await withOtherLists(mode, asked, search, record)
  const lists = answers.flatMap(answer => answer.lists)
  if (lists.length === 0) explainNothing([...asked, ...answers], search.failure(), record)
  for (const detail of answers.flatMap(faultsOf)) record.degrade('list_missing', detail)
  for (const { collection, isUnsearched } of answers)
    if (isUnsearched) record.degrade('collection_unsearched', collection)
  for (const collection of withoutAnyText(answers)) record.degrade('no_passage_text', collection)
  return { ...foundBy(answers, mode), searchWithin: search.within }
}

/** What the answers of all collections amount to. @param asked the mode that was asked */
export function foundBy(answers: CollectionAnswer[], asked: RetrievalMode): Omit<Retrieved, 'searchWithin'> {
  const lists = answers.flatMap(answer => answer.lists)
  return {
    answers,
    lists: [...groupBy(lists, ({ source }) => source).values()].flatMap(merge),
    mode: { asked, used: modeOf(lists) },
  }
}

/** The collections that found points, none of which has text: their text is under a field that stowage does not know. */
function withoutAnyText(answers: readonly CollectionAnswer[]): string[] {
  const found = groupBy(answers, ({ collection }) => collection)
  return [...found].flatMap(([collection, own]) => {
    const hits = own.flatMap(({ lists }) => lists.flatMap(list => list.hits))
    return hits.length > 0 && hits.every(({ chunk }) => chunk.text.trim() === '') ? [collection] : []
  })
}

/** Searches collections by one mode. The query is embedded once, when the first mode needs it. */
interface Searcher {
  within: Retrieved['searchWithin']
  lists(collections: readonly string[], mode: RetrievalMode): Promise<CollectionAnswer[]>
  /** Why the query has no vector or no terms; null while neither is so. */
  problem(mode: RetrievalMode): string | null
  failure(): StowageError | null
}

function searcher(input: WeightedSearch, ports: PipelinePorts, caller: TimedCaller, record: RunRecord): Searcher {
  const { apiKey, condition, deadline } = caller
  const sparse = encodeKeywordQuery(input.query)
  const hasTerms = sparse.indices.length > 0
  let dense: QueryVector | null = null
  const search = async (
    collection: string,
    mode: RetrievalMode,
    { documents, signal = deadline.signal }: { documents?: readonly string[]; signal?: AbortSignal } = {},
  ): Promise<SearchResult> => {
    const request: SearchRequest = {
      collection,
      filter: input.filter,
      dense: mode === 'lexical' ? null : (dense?.vector ?? null),
      sparse: mode === 'semantic' || !hasTerms ? null : sparse,
      limit: input.weights.k,
      foreignLimit: Math.max(input.weights.k, input.plan.retrieval.foreignK ?? 0),
      ...(documents && { documents }),
      withVectors: mmrAlpha(input.plan) !== null,
    }
    return ports.store.search(request, { apiKey, condition, cluster: input.cluster, signal })
  }
  const searchPlainOrContextual = (collection: string, of: (name: string) => Promise<SearchResult>) =>
    searchContextual(collection, input.contextual?.get(collection), of, record)
  return {
    lists: (collections, mode) => {
      if (mode !== 'lexical') dense ??= queryVector(input, ports, caller, record)
      return Promise.all(
        collections.map(async collection => {
          const answer = await searchPlainOrContextual(collection, name => search(name, mode))
          return { collection, ...answer }
        }),
      )
    },
    within: ({ collection, mode, documents }, signal) =>
      searchPlainOrContextual(collection, name => search(name, mode, { documents, signal })),
    problem: mode => {
      if (mode === 'lexical') return hasTerms ? null : 'the query has no words but stop words'
      const failed = dense?.failure()?.message ?? null
      return failed ?? (dense?.vector === null ? 'there is no embedder, and the request has no vector' : null)
    },
    failure: () => dense?.failure() ?? null,
  }
}

/** The answers of a mode, with those of the other list where this one is not there, or when it finds nothing. */
async function withOtherLists(
  mode: SingleMode,
  asked: CollectionAnswer[],
  search: Searcher,
  record: RunRecord,
): Promise<CollectionAnswer[]> {
  const other = OTHER_MODE[mode]
  const without = unanswered(asked)
  if (without.length === 0) return asked
  const more = await search.lists(without, other)
  const lists = more.flatMap(answer => answer.lists)
  const nothingMore = hitsOf(lists) === 0 && asked.some(answer => answer.lists.length > 0)
  if (nothingMore || lists.length === 0) return asked
  const reason = fallbackReason(mode, asked, search.problem(mode))
  record.degrade('mode_unavailable', `${mode} was asked, ${other} was used: ${reason}`)
  return [...asked.filter(({ collection }) => !without.includes(collection)), ...more]
}

/** Searches the collection with contexts when there is one, and the plain one when it is gone. */
async function searchContextual(
  collection: string,
  twin: string | undefined,
  search: (collection: string) => Promise<SearchResult>,
  record: RunRecord,
): Promise<SearchResult> {
  if (twin === undefined) return search(collection)
  return search(twin).catch(error => {
    if (!(error instanceof StowageError) || error.code !== 'collection_not_found') throw error
    record.degrade('contexts_missing', `${twin} does not exist; ${collection} was searched`)
    return search(collection)
  })
}

/** No list was searched. A query of stop words alone is a degradation. Every other reason is an error, not an empty context. */
function explainNothing(answers: CollectionAnswer[], failure: StowageError | null, record: RunRecord): void {
  const reasons = answers.flatMap(({ collection, missing }) => missing.map(reason => `${collection}: ${reason}`))
  if (reasons.length === 0) {
    record.degrade('no_search_terms', 'the query has no words but stop words, and there is no query vector')
    return
  }
  const remedy = 'Set EMBEDDER and EMBEDDING_MODEL to the embedder that wrote the vectors, or send `vector`'
  const named = [...new Set(reasons)].join('; ')
  throw failure ?? new StowageError('unprocessable', `No list can be searched. ${named}. ${remedy}`)
}

/** Merges the lists of one source by score. Scores of different metrics cannot be compared: where there are several, those of each are scaled to [0,1] first. */
function merge(lists: RetrievedList[]): RetrievedList[] {
  const [first] = lists
  if (first === undefined || lists.length === 1) return lists
  const found = lists.filter(list => list.hits.length > 0)
  const byMetric = [...groupBy(found, ({ metric }) => metric).values()].map(of => of.flatMap(list => list.hits))
  const hits = (byMetric.length > 1 ? byMetric.map(scaled) : byMetric).flat()
  return [{ ...first, hits: hits.sort((a, b) => b.score - a.score) }]
}

function scaled(hits: readonly RetrievedHit[]): RetrievedHit[] {
  const scores = minmax(hits.map(({ score }) => score))
  return hits.map((hit, at) => ({ ...hit, score: scores[at] ?? 0 }))
}
