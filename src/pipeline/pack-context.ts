import { StowageError } from '../core/errors.ts'
import type { Packed, PackedChunk } from '../pack/pack.ts'
import { isRepeatable, keyParts, recalled } from './context-cache.ts'
import type { Caller, ContextChunk, ContextRequest, ContextResponse } from './context-request.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { planForRequest } from './plan/override-plan.ts'
import type { Plan } from './plan/plan.ts'
import { runContext } from './run-context.ts'
import type { ContextCache, PackContext, PipelinePorts, TracedContext, TraceStore } from './services.ts'
import { SessionMemory } from './session-memory.ts'
import { TraceRecorder } from './trace/recorder.ts'
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
    const session = request.session_id === undefined ? null : `${caller.tenant ?? ''}/${request.session_id}`
    const { packed, finished } = await runContext(request, timed, dependencies.ports, trace, sessions.recall(session))
    sessions.remember(
      session,
      packed.packed.map(({ candidate }) => candidate.key),
    )
    return { response: respond(packed, finished), trace: finished }
  } catch (error) {
    throw describeDeadline(error, deadline, caller)
  } finally {
    deadline.dispose()
  }
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

/** An abort by our own deadline is a timeout the caller can act on; an abort by the caller is nobody's to hear. */
function describeDeadline(error: unknown, { signal }: Deadline, caller: Caller): unknown {
  if (!signal.aborted || caller.signal.aborted || error instanceof StowageError) return error
  return new StowageError('upstream_timeout', 'the deadline passed before passages were retrieved', { cause: error })
}
