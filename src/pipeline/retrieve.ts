import { groupBy } from '../core/collections.ts'
import { StowageError } from '../core/errors.ts'
import type { SearchResult } from '../core/ports.ts'
import type { JsonObject, RetrievedList } from '../core/types.ts'
import { encodeBm25Query } from '../text/qdrant-bm25.ts'
import type { TimedCaller } from './context-request.ts'
import { mmrAlpha } from './plan/derived.ts'
import type { ListWeights, Plan } from './plan/plan.ts'
import { type QueryVector, queryVector } from './query-vector.ts'
import type { RunRecord } from './run-record.ts'
import type { PipelinePorts } from './services.ts'

interface RetrieveInput {
  query: string
  collections: string[]
  filter: JsonObject | null
  /** The query vector; null means that the embedder computes it. */
  vector: number[] | null
  weights: ListWeights
  plan: Plan
}

/**
 * Searches the dense and the keyword list of every collection and merges lists of the same source by score. The keyword list is
 * searched while the query is embedded. A missing list is a degradation.
 * @throws StowageError when a collection cannot be searched, when the deadline passes, or when no list can be searched because of
 * the collections, the settings or the embedder
 */
export async function retrieve(
  input: RetrieveInput,
  ports: PipelinePorts,
  caller: TimedCaller,
  record: RunRecord,
): Promise<RetrievedList[]> {
  caller.deadline.signal.throwIfAborted()
  const dense = queryVector(input, ports, caller.deadline, record)
  const sparse = encodeBm25Query(input.query)
  const answers = await Promise.all(
    input.collections.map(collection =>
      ports.store.search(
        {
          collection,
          filter: input.filter,
          dense: dense.vector,
          sparse: sparse.indices.length > 0 ? sparse : null,
          limit: input.weights.k,
          withVectors: mmrAlpha(input.plan) !== null,
        },
        { apiKey: caller.apiKey, condition: caller.condition, signal: caller.deadline.signal },
      ),
    ),
  )
  const lists = answers.flatMap(answer => answer.lists)
  if (lists.length === 0) explainNothing(input.collections, answers, dense, record)
  for (const { missing } of answers) for (const detail of missing) record.degrade('list_missing', detail)
  return [...groupBy(lists, ({ source }) => source).values()].flatMap(merge)
}

/** No list was searched. A query of stop words alone is a degradation. Every other reason is an error, not an empty context. */
function explainNothing(collections: string[], answers: SearchResult[], dense: QueryVector, record: RunRecord): void {
  const reasons = answers.flatMap(({ missing }, at) => missing.map(reason => `${collections[at]}: ${reason}`))
  if (reasons.length === 0) {
    record.degrade('no_search_terms', 'the query has only stop words, and there is no query vector')
    return
  }
  const remedy = 'Set EMBEDDER and EMBEDDING_MODEL to the embedder that wrote the vectors, or send `vector`'
  throw (
    dense.failure() ?? new StowageError('unprocessable', `No list can be searched. ${reasons.join('; ')}. ${remedy}`)
  )
}

/** Merges the lists of one source. */
function merge(lists: RetrievedList[]): RetrievedList[] {
  const [first] = lists
  if (first === undefined || lists.length === 1) return lists
  return [{ ...first, hits: lists.flatMap(({ hits }) => hits).sort((a, b) => b.score - a.score) }]
}
