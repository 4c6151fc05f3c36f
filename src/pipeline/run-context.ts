import type { Chunk } from '../core/types.ts'
import { detectIntent } from '../intent/detect.ts'
import type { Packed } from '../pack/pack.ts'
import type { NeighbourPlace } from '../rank/reunify.ts'
import type { Caller, ContextRequest } from './context-request.ts'
import { listWeights } from './plan/override-plan.ts'
import type { Plan } from './plan/plan.ts'
import { rankAndPack } from './rank-and-pack.ts'
import { retrieve } from './retrieve.ts'
import type { PipelinePorts } from './services.ts'
import type { TraceRecorder } from './trace/recorder.ts'
import type { Trace } from './trace/schema.ts'

/**
 * One request for a context, from its words to the packed result and its trace, under the plan of the trace's subject. What a
 * door adds (deadline, cache, sessions, the shape of its answer) is the door's.
 * @param previous what the session has seen packed, by turn
 */
export async function runContext(
  request: Pick<ContextRequest, 'query' | 'filter' | 'vector'>,
  caller: Caller,
  ports: PipelinePorts,
  trace: TraceRecorder,
  previous: ReadonlyMap<string, number> = new Map(),
): Promise<{ packed: Packed; finished: Trace }> {
  const { plan, collections } = trace.subject
  const tokenizer = ports.tokenizer(plan.tokenizerModel)
  if (tokenizer.mapped)
    trace.degrade(
      'tokenizer_mapped',
      `no tokenizer is known for ${plan.tokenizerModel}; counted with ${tokenizer.encoding}`,
    )
  if (needsReranker(plan) && ports.absent.reranker !== null)
    trace.degrade('reranker_unavailable', ports.absent.reranker)

  const intent = await trace.step(
    'intent',
    1,
    () => detectIntent(request.query),
    () => 1,
  )
  trace.found(intent)
  const weights = listWeights(plan, intent.label)
  const filter = request.filter ?? null
  const lists = await trace.step(
    'retrieve',
    0,
    () =>
      retrieve(
        { query: request.query, collections, filter, vector: request.vector ?? null, weights, plan },
        ports,
        caller,
        trace,
      ),
    found => found.reduce((sum, { hits }) => sum + hits.length, 0),
  )
  const packed = await rankAndPack(
    {
      query: request.query,
      intent: intent.label,
      lists,
      plan,
      reranker: ports.reranker,
      fetchNeighbours: places => fetchNeighbours(places, request, ports, caller),
      count: text => tokenizer.count(text),
      signal: caller.signal,
      previous,
      needsText: true,
    },
    trace,
  )
  if (packed.packed.length === 0 && packed.dropped.length > 0)
    trace.degrade('nothing_fits', `no chunk fits ${plan.budgetTokens} tokens`)
  const finished = trace.finish({
    packed: packed.packed,
    dropped: packed.dropped,
    tokensUsed: packed.tokens,
    encoding: tokenizer.encoding,
  })
  return { packed, finished }
}

async function fetchNeighbours(
  places: NeighbourPlace[],
  { filter }: Pick<ContextRequest, 'filter'>,
  { store }: PipelinePorts,
  caller: Caller,
): Promise<Chunk[]> {
  const collections = [...new Set(places.map(({ collection }) => collection))]
  const call = { apiKey: caller.apiKey, signal: caller.signal }
  const fetched = await Promise.all(
    collections.map(collection =>
      store.fetchPlaces(
        collection,
        places.filter(place => place.collection === collection),
        filter ?? null,
        call,
      ),
    ),
  )
  return fetched.flat()
}

/** Whether the plan asks for a reranker that is a model or a service, so that its absence is worth telling. */
export function needsReranker({ rerank }: Plan): boolean {
  return rerank.method === 'crossencoder' || rerank.method === 'http'
}
