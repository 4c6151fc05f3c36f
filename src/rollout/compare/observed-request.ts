import { z } from 'zod'
import type { PassthroughReason } from '../../core/vocabulary.ts'
import { assignmentSchema } from '../../pipeline/plan/assignment.ts'
import { OF_THE_PLAN } from '../../pipeline/plan/outcome.ts'
import { isLostTraces, type LostTraces, lostTracesSchema } from '../../pipeline/trace/lost-traces.ts'
import { traceSchema } from '../../pipeline/trace/schema.ts'
import { printable } from '../../text/printable.ts'

/** One finished request of an experiment, from a trace or from the server. */
export interface ObservedRequest {
  experiment: string
  variant: string
  /** Identity of the assigned unit; see `ExperimentOutcome`. */
  unitId: string
  share: number | null
  /** When it began, in milliseconds since 1970; null when the source does not tell. */
  startedAt: number | null
  /** Null when the source does not tell: a failed request of `/v1/context` leaves no trace. */
  failed: boolean | null
  /** Null for an answer from the cache: it took the plan no time, and the variant with more traffic has more of them. */
  seconds: number | null
  recallProxy: number | null
  tokens: number | null
  /** Equal for equal requests, so that one that is read twice counts once; null when the source does not tell. */
  id: string | null
}

/** One of the two runs of a shadow pair. */
export interface PairedRun {
  experiment: string | null
  variant: string | null
  /** Its session, else its batch; pairs of one are not independent. */
  unit: string | null
  seconds: number
  recallProxy: number | null
  tokens: number
  /** Codes of its degradations, each once, in one order. */
  degraded: string
  /** Keys of the packed chunks. */
  packed: string[]
}

export interface TraceLine {
  traceId: string
  startedAt: number
  /** Null outside of experiments, and for shadow runs. */
  request: ObservedRequest | null
  run: PairedRun
  /** The trace that this one shadows. */
  shadowOf: string | null
}

/** Names of flags come from outside, and are printed on terminals. */
const name = z.string().transform(text => printable(text))
const share = z.number().min(0).max(1).nullable()
const assignment = assignmentSchema.extend({ experiment: name, variant: name, share })
const { version, trace_id, endpoint, tenant, session_id, batch_id, shadow_of, cache } = traceSchema.shape

/** The part of a trace that is compared. Other keys are not looked at. */
const traceLineSchema = z.object({
  ...{ version, trace_id, endpoint },
  started_at: z.iso.datetime({ offset: true }),
  ...{ tenant, session_id, batch_id },
  passthrough: z.string().optional(),
  assignment: assignment.nullable(),
  shadow_of,
  duration_ms: z.number().min(0),
  recall_proxy: share,
  cache,
  degraded: z.array(z.object({ code: z.string() })),
  budget: z.object({ used: z.number().min(0) }),
  candidates: z.array(
    z.object({ id: z.union([z.string(), z.number()]), collection: z.string(), decision: z.string() }),
  ),
})

const outcomeLineSchema = z.object({
  assignment,
  unit_id: z.string(),
  failed: z.boolean().nullable(),
  seconds: z.number().min(0).nullable(),
  recall_proxy: share,
  tokens: z.number().min(0).nullable(),
  started_at: z.iso.datetime({ offset: true }).nullish(),
})

/**
 * Reads one line of TRACE_FILE.
 * @returns null for traces of replays
 * @throws Error that names what is wrong
 */
export function parseTraceLine(line: string): TraceLine | LostTraces | null {
  const value = parseLine(line)
  if (isLostTraces(value)) return checked(lostTracesSchema, value)
  const trace = checked(traceLineSchema, value)
  if (trace.endpoint === 'replay') return null
  const { trace_id: traceId, shadow_of: shadowOf, assignment, batch_id: batch = null, passthrough = null } = trace
  const startedAt = Date.parse(trace.started_at)
  const owner = trace.tenant ?? ''
  // Two tenants may use the same id of a session.
  const session = trace.session_id === null ? null : `${owner}/${trace.session_id}`
  const run: PairedRun = {
    experiment: assignment?.experiment ?? null,
    variant: assignment?.variant ?? null,
    unit: session ?? batch,
    seconds: trace.duration_ms / 1_000,
    recallProxy: trace.recall_proxy,
    tokens: trace.budget.used,
    degraded: [...new Set(trace.degraded.map(({ code }) => code))].sort().join(),
    packed: trace.candidates
      .filter(({ decision }) => decision === 'packed')
      .map(({ collection, id }) => `${collection}/${id}`),
  }
  const { recallProxy, tokens } = run
  const seconds = trace.cache === 'hit' ? null : run.seconds
  // The searches of a batch got their variant together.
  const ofRequest = batch ?? traceId
  const unitId = assignment?.unit === 'tenant' ? owner : (assignment?.unit === 'session' && session) || ofRequest
  const isOutcome = assignment !== null && shadowOf === null && (passthrough === null || isOfPlan(passthrough))
  const failed = trace.endpoint === 'points' ? passthrough !== null : null
  const content = failed ? { recallProxy: null, tokens: null } : { recallProxy, tokens }
  const request = isOutcome ? { ...assignment, ...content, unitId, startedAt, failed, seconds, id: traceId } : null
  return { traceId, startedAt, request, run, shadowOf }
}

const isOfPlan = (reason: string) => OF_THE_PLAN.has(reason as PassthroughReason)

/**
 * Reads one line of the outcomes of a server.
 * @throws Error that names what is wrong
 */
export function parseOutcomeLine(line: string): ObservedRequest {
  const {
    assignment,
    unit_id: unitId,
    recall_proxy: recallProxy,
    ...outcome
  } = checked(outcomeLineSchema, parseLine(line))
  const startedAt = outcome.started_at ? Date.parse(outcome.started_at) : null
  return { ...assignment, ...outcome, unitId, recallProxy, startedAt, id: null }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new Error('is not JSON')
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { data, error } = schema.safeParse(value)
  if (!error) return data
  const [issue] = error.issues
  throw new Error(`${issue?.path.join('.') || 'the line'}: ${issue?.message}`)
}
