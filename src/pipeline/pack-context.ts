import { StowageError } from '../core/errors.ts'
import { refuseOthers } from '../qdrant/condition.ts'
import { withoutUpstreamKey } from '../qdrant/errors.ts'
import { sha256 } from '../text/fingerprint.ts'
import type { Caller } from './caller.ts'
import { respond } from './confidence/response.ts'
import { fromCache, isRepeatable, keyParts } from './context-cache.ts'
import type { ContextRequest } from './context-request.ts'
import { type Deadline, SLOW_SHARE, startDeadline } from './deadline.ts'
import { type Admission, createAdmission } from './load/admission.ts'
import { createLimit } from './load/limit.ts'
import type { DecidePlan, PlanDecision, ShadowPlan } from './plan/decision.ts'
import { planForRequest } from './plan/derived.ts'
import { canBlamePlan, failedAfter, type ObserveOutcome, tellOutcome } from './plan/outcome.ts'
import type { Plan } from './plan/plan.ts'
import { type FindRequestProject, projectOf } from './plan/project.ts'
import { type ContextInput, runContext } from './run-context.ts'
import { RunRecord } from './run-record.ts'
import type {
  ContextCache,
  OfferShadow,
  PackContext,
  PipelinePorts,
  ShadowRun,
  TracedContext,
  TraceStore,
} from './services.ts'
import { SessionMemory, type Sessions } from './session-memory.ts'
import { buildTrace, type TraceSubject } from './trace/build-trace.ts'
import type { Trace } from './trace/schema.ts'
import { shadowSubject } from './trace/shadow-subject.ts'

export interface PackContextDependencies {
  ports: PipelinePorts
  /** Decides the plan of each request. A request can override some values. */
  decide: DecidePlan
  traces: TraceStore
  /** Finds the projects that requests name; absent: there are none. */
  findProject?: FindRequestProject
  /** Default deadline of a request, in milliseconds. */
  deadlineMs: number
  /** Whether every response includes its trace. */
  alwaysTrace: boolean
  newId: () => string
  /** Milliseconds of a monotonic clock. */
  now: () => number
  wallClock: () => Date
  cache?: ContextCache
  /** What sessions have seen. Default: the memory of this process. */
  sessions?: Sessions
  /** Collections with contexts, by the collection that they stand for: plans with `retrieval.contextual` search them. */
  contextualTwins?: ReadonlyMap<string, string>
  /** Called with the number of requests that wait for a place, whenever it changes. */
  onWaiting?: (length: number) => void
  /** Called with each new context, before it is sent. */
  onPacked?: (context: string) => void
  /** Takes the outcomes of requests that are part of an experiment. */
  observeOutcome?: ObserveOutcome
  /** Takes the second runs of requests with a shadow. */
  offerShadow?: OfferShadow
}

/** Builds the pipeline of `POST /v1/context`: choose the plan, look into the cache, retrieve, rank and pack. */
export function createPackContext(dependencies: PackContextDependencies): PackContext {
  const { ports, cache, traces, alwaysTrace, observeOutcome, onPacked, offerShadow } = dependencies
  const sessions = dependencies.sessions ?? new SessionMemory()
  const limit = createLimit({ slowMs: dependencies.deadlineMs * SLOW_SHARE })
  const running = { ...dependencies, sessions, admission: createAdmission(limit, dependencies.onWaiting) }
  return async (request, caller) => {
    const job = await jobOf(request, caller, running)
    const { subject, decision, input } = job
    const key = (await cache?.key(keyParts(request, caller, subject, ports, input.contextual))) ?? null
    const cached = key === null ? null : ((await cache?.get(key)) ?? null)
    const answer = cached ? fromCache(cached, subject) : await answerInTime(job, key === null ? 'off' : 'miss', running)
    if (key !== null && !cached && isRepeatable(request, answer)) cache?.put(key, answer)
    if (cached) tellOutcome(observeOutcome, outcomeSubject(subject), fromMemory(answer.trace))
    traces.record(answer.trace, caller)
    if (!cached) onPacked?.(answer.response.context)
    const { shadow } = decision
    if (shadow !== null && !cached) {
      const run = shadowRun(job, planForRequest(shadow.plan, request), shadow, dependencies)
      offerShadow?.({ control: answer.trace, owner: caller, run })
    }
    return { ...answer.response, ...((request.trace ?? alwaysTrace) ? { trace: answer.trace } : {}) }
  }
}

/** One request, ready to run. */
interface Job {
  subject: TraceSubject
  decision: PlanDecision
  input: ContextInput & Required<Pick<ContextInput, 'contextual'>>
  caller: Caller
  /** The session in the memory of sessions; null without one. */
  session: string | null
  deadlineMs: number
}

/**
 * Finds where to search, and decides the plan.
 * @throws StowageError when the caller does not reach the project or a collection
 */
async function jobOf(
  request: ContextRequest,
  caller: Caller,
  dependencies: PackContextDependencies & { sessions: Sessions },
): Promise<Job> {
  const { decide, findProject = async () => null, sessions, newId, wallClock } = dependencies
  const project = request.project === undefined ? null : await projectOf(request.project, caller, findProject)
  const collections = [...new Set([project?.collection ?? request.collection ?? []].flat())]
  refuseOthers(collections, caller)
  const { tenant, isReplay = false } = caller
  const sessionId = request.session_id ?? null
  const decision = decide({ tenant, sessionId, changes: project?.changes ?? null, isReplay })
  if (decision.assignment !== null) caller.onAssigned?.(decision.assignment)
  const plan = planForRequest(decision.plan, request)
  const subject: TraceSubject = {
    traceId: newId(),
    startedAt: wallClock().toISOString(),
    endpoint: isReplay ? 'replay' : 'context',
    tenant: tenant?.name ?? null,
    sessionId,
    collections,
    query: request.query,
    plan,
    decision,
  }
  const session = sessionOf(request, caller)
  const input: Job['input'] = {
    query: request.query,
    collections,
    filter: request.filter ?? null,
    cluster: { consistency: request.consistency, shardKey: request.shard_key, timeout: request.timeout },
    vector: request.vector ?? null,
    plan,
    contextual: twinsOf(collections, plan, caller, dependencies),
    previous: await sessions.turnsOf(session),
  }
  return { subject, decision, input, caller, session, deadlineMs: request.deadline_ms ?? dependencies.deadlineMs }
}

/** The session of a client, which no other one has: hashed, so that no key of a client stays in memory. Null without one. */
function sessionOf({ session_id }: ContextRequest, { tenant, apiKey }: Caller): string | null {
  if (session_id === undefined) return null
  return sha256(JSON.stringify(tenant === null ? ['key', apiKey, session_id] : ['tenant', tenant.name, session_id]))
}

/** The collections with contexts that the plan searches instead of these, as far as the tenant reaches them. */
function twinsOf(
  collections: readonly string[],
  { retrieval }: Plan,
  { tenant }: Caller,
  { contextualTwins = new Map() }: Pick<PackContextDependencies, 'contextualTwins'>,
): ReadonlyMap<string, string> {
  if (!retrieval.contextual) return new Map()
  return new Map(
    collections.flatMap(name => {
      const twin = contextualTwins.get(name)
      return twin !== undefined && (tenant === null || tenant.reaches(twin)) ? [[name, twin]] : []
    }),
  )
}

async function answerInTime(
  { subject, input, caller, session, deadlineMs }: Job,
  cache: 'off' | 'miss',
  dependencies: PackContextDependencies & { sessions: Sessions; admission: Admission },
): Promise<TracedContext> {
  const { ports, sessions, admission, now, observeOutcome } = dependencies
  const deadline = startDeadline(caller.signal, deadlineMs)
  const record = new RunRecord(now)
  try {
    const tenant = caller.tenant?.name ?? null
    const crowded = () => admission.isCrowded(tenant)
    const run = await admission.run(tenant, deadline, rest =>
      runContext(input, ports, { ...readsAs(caller), deadline: rest, crowded }, record),
    )
    const packed = run.packed.packed.map(({ candidate }) => candidate.key)
    sessions.remember(session, packed)
    const trace = buildTrace(subject, record, { ...run, cache })
    tellOutcome(observeOutcome, outcomeSubject(subject), succeeded(trace))
    return { response: respond(run, subject, record), trace }
  } catch (error) {
    const failure = describeFailure(error, deadline, caller)
    if (!caller.signal.aborted && canBlamePlan(failure))
      tellOutcome(observeOutcome, outcomeSubject(subject), failedAfter(record.elapsedMs / 1_000))
    throw failure
  } finally {
    deadline.dispose()
  }
}

/** The same request once more, by the plan of its shadow: without a place, a session and a cache of its own. */
function shadowRun(
  { subject, input, caller, deadlineMs }: Job,
  plan: Plan,
  shadow: ShadowPlan,
  dependencies: PackContextDependencies,
): ShadowRun['run'] {
  const { ports, wallClock } = dependencies
  const contextual = twinsOf(input.collections, plan, caller, dependencies)
  return async background => {
    const record = new RunRecord(background.now)
    const deadline = background.deadline(deadlineMs)
    try {
      const reads = { ...readsAs(caller), deadline, crowded: () => false }
      const run = await runContext({ ...input, plan, contextual, background }, ports, reads, record)
      const again = shadowSubject(subject, shadow, plan, wallClock().toISOString())
      return buildTrace(again, record, { ...run, cache: 'off' })
    } finally {
      deadline.dispose()
    }
  }
}

/** What the caller may read, as its key and its tenant were when it asked. */
function readsAs({ apiKey, tenant }: Caller) {
  return { apiKey, tenant: tenant?.name ?? null, condition: tenant?.condition ?? null }
}

const outcomeSubject = (subject: TraceSubject) => ({ ...subject, requestId: subject.traceId })
const contentOf = ({ recall_proxy, budget }: Trace) => ({ recallProxy: recall_proxy, tokens: budget.used })
const succeeded = (trace: Trace) => ({ failed: false, seconds: trace.duration_ms / 1_000, ...contentOf(trace) })
const fromMemory = (trace: Trace) => ({ failed: null, seconds: null, ...contentOf(trace) })

/**
 * Converts an abort by the deadline to `upstream_timeout`, and a refusal of the upstream key, which a tenant does not know, to
 * `upstream_error`. When the client disconnected, the error has no reader.
 */
function describeFailure(error: unknown, { signal }: Deadline, caller: Caller): unknown {
  const known = withoutUpstreamKey(error, caller)
  if (!signal.aborted || caller.signal.aborted || known instanceof StowageError) return known
  return new StowageError('upstream_timeout', 'the deadline passed before passages were retrieved', { cause: error })
}
