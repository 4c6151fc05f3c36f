import { StowageError } from '../core/errors.ts'
import type { Packed, PackedChunk } from '../pack/pack.ts'
import { fromCache, isRepeatable, keyParts } from './context-cache.ts'
import type { Caller, ContextChunk, ContextRequest, ContextResponse } from './context-request.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { planForRequest } from './plan/derived.ts'
import type { Plan } from './plan/plan.ts'
import { runContext } from './run-context.ts'
import { RunRecord } from './run-record.ts'
import type { ContextCache, PackContext, PipelinePorts, TracedContext, TraceStore } from './services.ts'
import { SessionMemory } from './session-memory.ts'
import { buildTrace, type TraceSubject } from './trace/build-trace.ts'
import type { Trace } from './trace/schema.ts'

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
  endpoint?: Trace['endpoint']
}

/** Builds what `POST /v1/context` calls: plan, cache, then retrieve, rank and pack before the deadline. */
export function createPackContext(dependencies: PackContextDependencies): PackContext {
  const sessions = new SessionMemory()
  const { cache } = dependencies
  return async (request, caller) => {
    const plan = planForRequest(dependencies.plan, request)
    const subject = subjectOf(request, caller, plan, dependencies)
    const key = cache?.key(keyParts(request, caller, subject.collections, plan, dependencies.ports)) ?? null
    const cached = key === null ? null : (cache?.get(key) ?? null)
    const answer = cached
      ? fromCache(cached, subject)
      : await answerInTime(request, caller, subject, key === null ? 'off' : 'miss', sessions, dependencies)
    if (key !== null && !cached && isRepeatable(request, answer)) cache?.put(key, answer)
    dependencies.traces.record(answer.trace)
    return { ...answer.response, ...((request.trace ?? dependencies.alwaysTrace) ? { trace: answer.trace } : {}) }
  }
}

async function answerInTime(
  request: ContextRequest,
  caller: Caller,
  subject: TraceSubject,
  cache: Trace['cache'],
  sessions: SessionMemory,
  dependencies: PackContextDependencies,
): Promise<TracedContext> {
  const deadline = startDeadline(caller.signal, request.deadline_ms ?? dependencies.deadlineMs)
  const session = request.session_id === undefined ? null : `${caller.tenant ?? ''}/${request.session_id}`
  const record = new RunRecord(dependencies.now)
  try {
    const input = {
      query: request.query,
      collections: subject.collections,
      filter: request.filter ?? null,
      vector: request.vector ?? null,
      plan: subject.plan,
      previous: sessions.turnsOf(session),
    }
    const run = await runContext(input, dependencies.ports, { ...caller, signal: deadline.signal }, record)
    sessions.remember(
      session,
      run.packed.packed.map(({ candidate }) => candidate.key),
    )
    return { response: respond(run.packed, subject, record), trace: buildTrace(subject, record, { ...run, cache }) }
  } catch (error) {
    throw describeDeadline(error, deadline, caller)
  } finally {
    deadline.dispose()
  }
}

function subjectOf(
  request: ContextRequest,
  caller: Caller,
  plan: Plan,
  { newId, wallClock, endpoint }: PackContextDependencies,
): TraceSubject {
  return {
    traceId: newId(),
    startedAt: wallClock().toISOString(),
    endpoint: endpoint ?? 'context',
    tenant: caller.tenant,
    sessionId: request.session_id ?? null,
    collections: [...new Set([request.collection].flat())],
    query: request.query,
    plan,
  }
}

function respond(
  { context, tokens, packed }: Packed,
  { plan, traceId }: TraceSubject,
  { degraded }: RunRecord,
): ContextResponse {
  return {
    context,
    tokens,
    budget_tokens: plan.budgetTokens,
    chunks: packed.map(describeChunk),
    degraded,
    trace_id: traceId,
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

/** An abort by our own deadline is a timeout the caller can act on; an abort by the caller is nobody's to hear. */
function describeDeadline(error: unknown, { signal }: Deadline, caller: Caller): unknown {
  if (!signal.aborted || caller.signal.aborted || error instanceof StowageError) return error
  return new StowageError('upstream_timeout', 'the deadline passed before passages were retrieved', { cause: error })
}
