import { StowageError } from '../core/errors.ts'
import type { Chunk } from '../core/types.ts'
import { detectIntent } from '../intent/detect.ts'
import type { Packed, PackedChunk } from '../pack/pack.ts'
import type { NeighbourPlace } from '../rank/reunify.ts'
import { isRepeatable, keyParts, recalled } from './context-cache.ts'
import type { Caller, ContextChunk, ContextRequest, ContextResponse } from './context-request.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { listWeights, planForRequest } from './make-plan.ts'
import type { Plan } from './plan.ts'
import { rankAndPack } from './rank-and-pack.ts'
import { retrieve } from './retrieve.ts'
import type { ContextCache, PackContext, PipelinePorts, TracedContext, TraceStore } from './services.ts'
import { SessionMemory } from './session-memory.ts'
import { TraceRecorder } from './trace-recorder.ts'
import type { Trace } from './trace-schema.ts'

export interface PackContextDependencies {
  ports: PipelinePorts
  /** The plan before the request has its say. */
  plan: Plan
  traces: TraceStore
  /** Whole-request deadline when the request names none; milliseconds. */
  deadlineMs: number
  /** Whether every response carries its trace. */
  alwaysTrace: boolean
  newId: () => string
  /** Milliseconds, monotonic. */
  now: () => number
  wallClock: () => Date
  cache?: ContextCache
  door?: Trace['door']
}

/** Builds `POST /v1/context`: parse is the door's, then plan → (cache) → retrieve → rank and pack → respond. */
export function createPackContext(dependencies: PackContextDependencies): PackContext {
  const sessions = new SessionMemory()
  return async (request, caller) => {
    const plan = planForRequest(dependencies.plan, request)
    const trace = openTrace(request, caller, plan, dependencies)
    const key = dependencies.cache?.key(keyParts(request, caller, trace, dependencies)) ?? null
    const known = key === null ? null : (dependencies.cache?.get(key) ?? null)
    const answer = known ? recalled(known, trace) : await answerInTime(request, caller, trace, sessions, dependencies)
    if (key !== null && !known) {
      answer.trace.cache = 'miss'
      if (isRepeatable(request, answer)) dependencies.cache?.put(key, answer)
    }
    dependencies.traces.record(answer.trace)
    return { ...answer.response, ...((request.trace ?? dependencies.alwaysTrace) ? { trace: answer.trace } : {}) }
  }
}

async function answerInTime(
  request: ContextRequest,
  caller: Caller,
  trace: TraceRecorder,
  sessions: SessionMemory,
  dependencies: PackContextDependencies,
): Promise<TracedContext> {
  const deadline = startDeadline(caller.signal, request.deadline_ms ?? dependencies.deadlineMs)
  try {
    const timed = { ...caller, signal: deadline.signal }
    const { packed, finished } = await run(request, timed, trace.subject.plan, trace, sessions, dependencies)
    return { response: respond(packed, finished), trace: finished }
  } catch (error) {
    throw describeDeadline(error, deadline, caller)
  } finally {
    deadline.dispose()
  }
}

async function run(
  request: ContextRequest,
  caller: Caller,
  plan: Plan,
  trace: TraceRecorder,
  sessions: SessionMemory,
  { ports }: PackContextDependencies,
): Promise<{ packed: Packed; finished: Trace }> {
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
  const collections = trace.subject.collections
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
  const session = request.session_id === undefined ? null : `${caller.tenant ?? ''}/${request.session_id}`
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
      previous: sessions.recall(session),
      needsText: true,
    },
    trace,
  )
  sessions.remember(
    session,
    packed.packed.map(({ candidate }) => candidate.key),
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
  request: ContextRequest,
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
        request.filter ?? null,
        call,
      ),
    ),
  )
  return fetched.flat()
}

function openTrace(
  request: ContextRequest,
  caller: Caller,
  plan: Plan,
  dependencies: PackContextDependencies,
): TraceRecorder {
  return new TraceRecorder(
    {
      traceId: dependencies.newId(),
      startedAt: dependencies.wallClock().toISOString(),
      door: dependencies.door ?? 'context',
      tenant: caller.tenant,
      sessionId: request.session_id ?? null,
      arm: plan.name,
      collections: [...new Set([request.collection].flat())],
      query: request.query,
      plan,
    },
    dependencies.now,
  )
}

function respond({ context, tokens, packed }: Packed, trace: Trace): ContextResponse {
  return {
    context,
    tokens,
    budget_tokens: trace.budget.tokens,
    chunks: packed.map(describeChunk),
    degraded: trace.degraded,
    trace_id: trace.trace_id,
  }
}

function describeChunk({ candidate, text, tokens, citation }: PackedChunk): ContextChunk {
  const { chunk, value } = candidate
  return {
    id: chunk.id,
    collection: chunk.collection,
    doc_id: chunk.docId,
    doc_title: chunk.docTitle,
    section_path: chunk.sectionPath,
    order_index: chunk.orderIndex,
    score: Math.round(value * 1e6) / 1e6,
    tokens,
    text,
    citation: `[${citation}]`,
  }
}

function needsReranker({ rerank }: Plan): boolean {
  return rerank.method === 'crossencoder' || rerank.method === 'http'
}

/** An abort by our own deadline is a timeout the caller can act on; an abort by the caller is nobody's to hear. */
function describeDeadline(error: unknown, { signal }: Deadline, caller: Caller): unknown {
  if (!signal.aborted || caller.signal.aborted || error instanceof StowageError) return error
  return new StowageError('upstream_timeout', 'the deadline passed before passages were retrieved', { cause: error })
}
