import { StowageError } from '../core/errors.ts'
import type { Packed, PackedChunk } from '../pack/pack.ts'
import { statusOf } from '../qdrant/errors.ts'
import { fromCache, isRepeatable, keyParts } from './context-cache.ts'
import type { Caller, ContextChunk, ContextRequest, ContextResponse } from './context-request.ts'
import { type Deadline, SLOW_SHARE, startDeadline } from './deadline.ts'
import { type Admission, createAdmission } from './load/admission.ts'
import { createLimit } from './load/limit.ts'
import type { DecidePlan } from './plan/decision.ts'
import { planForRequest } from './plan/derived.ts'
import { runContext } from './run-context.ts'
import { RunRecord } from './run-record.ts'
import type { ContextCache, PackContext, PipelinePorts, TracedContext, TraceStore } from './services.ts'
import { SessionMemory } from './session-memory.ts'
import { buildTrace, type TraceSubject } from './trace/build-trace.ts'

export interface PackContextDependencies {
  ports: PipelinePorts
  /** Decides the plan of each request. A request can override some values. */
  decide: DecidePlan
  traces: TraceStore
  /** Default deadline of a request, in milliseconds. */
  deadlineMs: number
  /** Whether every response includes its trace. */
  alwaysTrace: boolean
  newId: () => string
  /** Milliseconds of a monotonic clock. */
  now: () => number
  wallClock: () => Date
  cache?: ContextCache
  /** Called with the number of requests that wait for a place, whenever it changes. */
  onWaiting?: (length: number) => void
  /** Called with each new context, before it is sent. */
  onPacked?: (context: string) => void
}

/** Builds the pipeline of `POST /v1/context`: choose the plan, look into the cache, retrieve, rank and pack. */
export function createPackContext(dependencies: PackContextDependencies): PackContext {
  const { ports, cache, decide, traces, alwaysTrace, newId, wallClock } = dependencies
  const sessions = new SessionMemory()
  const limit = createLimit({ slowMs: dependencies.deadlineMs * SLOW_SHARE })
  const admission = createAdmission(limit, dependencies.onWaiting)
  return async (request, caller) => {
    const collections = [...new Set([request.collection].flat())]
    refuseOthers(collections, caller)
    const decision = decide({ tenant: caller.tenant, sessionId: request.session_id ?? null })
    const subject: TraceSubject = {
      traceId: newId(),
      startedAt: wallClock().toISOString(),
      endpoint: 'context',
      tenant: caller.tenant?.name ?? null,
      sessionId: request.session_id ?? null,
      collections,
      query: request.query,
      plan: planForRequest(decision.plan, request),
      decision,
    }
    const key = cache?.key(keyParts(request, caller, subject, ports)) ?? null
    const cached = key === null ? null : (cache?.get(key) ?? null)
    const answer = cached
      ? fromCache(cached, subject)
      : await answerInTime(request, caller, subject, key === null ? 'off' : 'miss', {
          ...dependencies,
          sessions,
          admission,
        })
    if (key !== null && !cached && isRepeatable(request, answer)) cache?.put(key, answer)
    traces.record(answer.trace, caller)
    if (!cached) dependencies.onPacked?.(answer.response.context)
    return { ...answer.response, ...((request.trace ?? alwaysTrace) ? { trace: answer.trace } : {}) }
  }
}

/** Says nothing of whether such a collection exists. @throws StowageError `forbidden` for a collection that the tenant does not reach */
function refuseOthers(collections: readonly string[], { tenant }: Caller): void {
  if (tenant === null || collections.every(collection => tenant.reaches(collection))) return
  throw new StowageError('forbidden', 'This collection is not allowed.')
}

async function answerInTime(
  request: ContextRequest,
  caller: Caller,
  subject: TraceSubject,
  cache: 'off' | 'miss',
  {
    ports,
    sessions,
    admission,
    now,
    deadlineMs,
  }: PackContextDependencies & { sessions: SessionMemory; admission: Admission },
): Promise<TracedContext> {
  const deadline = startDeadline(caller.signal, request.deadline_ms ?? deadlineMs)
  const session = request.session_id === undefined ? null : `${caller.tenant?.name ?? ''}/${request.session_id}`
  const record = new RunRecord(now)
  try {
    const input = {
      query: request.query,
      collections: subject.collections,
      filter: request.filter ?? null,
      vector: request.vector ?? null,
      plan: subject.plan,
      previous: sessions.turnsOf(session),
    }
    const tenant = caller.tenant?.name ?? null
    const run = await admission.run(tenant, deadline, rest =>
      runContext(
        input,
        ports,
        {
          apiKey: caller.apiKey,
          tenant,
          condition: caller.tenant?.condition ?? null,
          deadline: rest,
          crowded: () => admission.isCrowded(tenant),
        },
        record,
      ),
    )
    sessions.remember(
      session,
      run.packed.packed.map(({ candidate }) => candidate.key),
    )
    return { response: respond(run.packed, subject, record), trace: buildTrace(subject, record, { ...run, cache }) }
  } catch (error) {
    throw describeFailure(error, deadline, caller)
  } finally {
    deadline.dispose()
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

/**
 * Converts an abort by the deadline to `upstream_timeout`, and a refusal of the upstream key, which a tenant does not know, to
 * `upstream_error`. When the client disconnected, the error has no reader.
 */
function describeFailure(error: unknown, { signal }: Deadline, caller: Caller): unknown {
  if (caller.tenant !== null && (statusOf(error) === 401 || statusOf(error) === 403))
    return new StowageError('upstream_error', 'Qdrant refused the key of stowage', { cause: error })
  if (!signal.aborted || caller.signal.aborted || error instanceof StowageError) return error
  return new StowageError('upstream_timeout', 'the deadline passed before passages were retrieved', { cause: error })
}
