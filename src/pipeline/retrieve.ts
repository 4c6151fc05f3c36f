import { groupBy } from '../core/collections.ts'
import { StowageError } from '../core/errors.ts'
import type { JsonObject, RetrievedList } from '../core/types.ts'
import { encodeBm25Query } from '../text/qdrant-bm25.ts'
import type { Caller } from './context-request.ts'
import { mmrAlpha } from './plan/derived.ts'
import type { ListWeights, Plan } from './plan/plan.ts'
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
 * Searches the dense and the keyword list of every collection, one round trip per collection, and merges lists of the same source
 * by score. A missing list is a degradation.
 * @throws StowageError when a collection cannot be searched or the deadline passes
 */
export async function retrieve(
  input: RetrieveInput,
  ports: PipelinePorts,
  caller: Caller,
  record: RunRecord,
): Promise<RetrievedList[]> {
  const dense = input.vector ?? (await embed(input.query, ports, caller, record))
  const sparse = encodeBm25Query(input.query)
  const answers = await Promise.all(
    input.collections.map(collection =>
      ports.store.search(
        {
          collection,
          filter: input.filter,
          dense,
          sparse: sparse.indices.length > 0 ? sparse : null,
          limit: input.weights.k,
          withVectors: mmrAlpha(input.plan) !== null,
        },
        { apiKey: caller.apiKey, signal: caller.signal },
      ),
    ),
  )
  for (const { missing } of answers) for (const detail of missing) record.degrade('list_missing', detail)
  const lists = answers.flatMap(answer => answer.lists)
  return [...groupBy(lists, ({ source }) => source).values()].flatMap(merge)
}

async function embed(
  query: string,
  { embedder, unavailable }: PipelinePorts,
  caller: Caller,
  record: RunRecord,
): Promise<Float32Array | null> {
  if (!embedder) {
    if (unavailable.embedder !== null) record.degrade('embedder_unavailable', unavailable.embedder)
    return null
  }
  try {
    return await embedder.embedQuery(query, caller.signal)
  } catch (error) {
    if (caller.signal.aborted)
      throw new StowageError('upstream_timeout', 'the deadline passed before the query was embedded', { cause: error })
    record.degrade('embedder_failed', error instanceof Error ? error.message : String(error))
    return null
  }
}

/** Merges the lists of one source. */
function merge(lists: RetrievedList[]): RetrievedList[] {
  const [first] = lists
  if (first === undefined || lists.length === 1) return lists
  return [{ ...first, hits: lists.flatMap(({ hits }) => hits).sort((a, b) => b.score - a.score) }]
}
