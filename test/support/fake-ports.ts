import type { Embedder, PassageStore, Reranker } from '../../src/core/ports.ts'
import type { Chunk, RetrievedList } from '../../src/core/types.ts'
import type { PackContextDependencies } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import type { PipelinePorts } from '../../src/pipeline/services.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { countWords, inSteps } from './candidates.ts'
import { notImplemented } from './not-implemented.ts'

/** Ports that fail loudly when asked unasked; a test gives those that it means to be used. */
export function fakePorts(
  over: {
    store?: Partial<PassageStore>
    embedder?: Partial<Embedder> | null
    reranker?: Partial<Reranker> | null
  } = {},
): PipelinePorts {
  const embedder =
    over.embedder === null
      ? null
      : {
          version: 'fake:3:mean',
          dimensions: 3,
          embedQuery: notImplemented('embedQuery'),
          embedPassages: notImplemented('embedPassages'),
          close: async () => {},
          ...over.embedder,
        }
  const reranker =
    over.reranker === null || over.reranker === undefined
      ? null
      : { model: 'fake', rerank: notImplemented('rerank'), close: async () => {}, ...over.reranker }
  return {
    store: {
      search: notImplemented('search'),
      fetchPlaces: async () => [],
      fetchParents: async () => [],
      ...over.store,
    },
    tokenizer: model => ({
      model,
      encoding: 'words',
      mapped: false,
      count: countWords,
      countInSteps: inSteps(countWords),
    }),
    embedder,
    reranker,
    isWord: () => true,
    unavailable: {
      embedder: embedder ? null : 'no embedder in this test',
      reranker: reranker ? null : 'no reranker in this test',
    },
  }
}

/** A store that answers every search with the same lists and knows the given neighbours and parents. */
export function scriptedStore(lists: RetrievedList[], neighbours: Chunk[] = [], parents: Chunk[] = []): PassageStore {
  return {
    search: async ({ collection }) => ({
      lists: lists.map(list => ({
        ...list,
        hits: list.hits.map(hit => ({ ...hit, chunk: { ...hit.chunk, collection } })),
      })),
      missing: [],
    }),
    fetchParents: async (collection, ids) =>
      parents.map(chunk => ({ ...chunk, collection })).filter(({ id }) => ids.includes(id)),
    fetchPlaces: async (collection, places) =>
      neighbours
        .map(chunk => ({ ...chunk, collection }))
        .filter(chunk =>
          places.some(({ docId, orderIndex }) => docId === chunk.docId && orderIndex === chunk.orderIndex),
        ),
  }
}

export function dependencies(
  ports: PipelinePorts,
  { plan = NAMED_PLANS.measured, ...over }: Partial<PackContextDependencies> & { plan?: Plan } = {},
): PackContextDependencies & { recorded: Trace[] } {
  const recorded: Trace[] = []
  let ids = 0
  let clock = 0
  return {
    ports,
    decide: decideByConfiguration(plan),
    traces: { record: trace => recorded.push(trace), find: () => null, list: () => [], close: async () => {} },
    deadlineMs: 5000,
    alwaysTrace: false,
    newId: () => `trace-${++ids}`,
    now: () => ++clock,
    wallClock: () => new Date(0),
    recorded,
    ...over,
  }
}

export const CALLER = { apiKey: null, tenant: null, signal: new AbortController().signal }
