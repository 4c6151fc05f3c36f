import { TokenBucket } from 'limiter'
import { LRUCache } from 'lru-cache'
import type { Trace } from '../pipeline/trace/schema.ts'
import type { Logger } from './logger.ts'
import type { Endpoint, Outcome } from './metrics/requests.ts'
import type { TenantLimit } from './metrics/tenants.ts'
import type { Metrics } from './metrics.ts'
import { type QueryTextMode, shownQuery } from './query-text.ts'
import type { TenantLabels } from './tenant-labels.ts'

/** A request at its end, for one line of the log. It holds no text of a query and no key. */
export interface FinishedRequest {
  endpoint: Endpoint
  outcome: Outcome
  /** Method and path, without the query string. */
  route: string
  /** Null when the client left before an answer began. */
  status: number | null
  seconds: number
  requestId: string
  /** Null without tenants, and when the key is not that of a tenant. */
  tenant: string | null
  /** Id of the trace, when there is one. A batch has several, separated by commas. */
  traceId: string | null
  /** Id of the trace of OpenTelemetry; null while it is off. */
  otelTraceId: string | null
  /** Codes of the steps that could not do their work, or of the reason why a search passed through. */
  degraded: string[]
  /** Why it failed, when Qdrant or another server is the reason; else null. */
  cause: string | null
  /** Null when no limit of a tenant refused it. */
  limited: LimitedRequest | null
}

/** The tenant of a refused request, and the limit that it has reached. */
export interface LimitedRequest {
  tenant: string
  limit: TenantLimit
}

interface RequestReporting {
  metrics: Metrics
  logger: Logger
  labels: TenantLabels
  /** A request that takes longer is slow, in milliseconds; 0 switches it off. */
  slowMs: number
  queryText: QueryTextMode
}

/** What the line of a request tells of its trace. */
interface Traced {
  stages: Trace['stages']
  variant: string | null
  query: string | null
}

/** Traces of requests that have not ended yet. Those of shadow runs and of lost requests go when more come. */
const MOST_TRACED = 2_000
/** Slow requests that are warned of: some at once, then one in a second. All of them are counted. */
const SLOW_LINES = { bucketSize: 20, tokensPerInterval: 1, interval: 1_000 }

/** Reports requests at their end, with what their traces have told before. */
export function createRequestReports({ metrics, logger, labels, slowMs, queryText }: RequestReporting) {
  const traced = new LRUCache<string, Traced>({ max: MOST_TRACED })
  let lines: Logger | null = null
  const slowLines = new TokenBucket(SLOW_LINES)
  slowLines.content = SLOW_LINES.bucketSize

  function tracesOf({ traceId }: FinishedRequest): Traced[] {
    return (traceId?.split(',') ?? []).flatMap(id => {
      const found = traced.get(id)
      traced.delete(id)
      return found ?? []
    })
  }

  function count(event: FinishedRequest): void {
    const { endpoint, outcome, seconds, tenant, traceId, degraded, limited } = event
    metrics.requests.inc({ endpoint, outcome })
    metrics.requestSeconds.observe({ labels: { endpoint }, value: seconds, exemplarLabels: exemplarOf(event) })
    const limitedLabel = labels.of(limited?.tenant ?? null)
    if (limited !== null && limitedLabel !== null)
      metrics.tenantLimited.inc({ tenant: limitedLabel, limit: limited.limit })
    const label = labels.of(tenant)
    if (label === null) return
    metrics.tenantRequests.inc({ tenant: label, outcome })
    if (traceId === null || endpoint === 'operations') return
    metrics.tenantSeconds.observe({ tenant: label }, seconds)
    if (degraded.length > 0) metrics.tenantDegraded.inc({ tenant: label })
  }

  return {
    traced(trace: Trace): void {
      const { assignment } = trace
      traced.set(trace.trace_id, {
        stages: trace.stages,
        variant: assignment && `${assignment.experiment}=${assignment.variant}`,
        query: shownQuery(trace.query, queryText),
      })
    },
    finished(event: FinishedRequest): void {
      count(event)
      const traces = tracesOf(event)
      const { seconds, tenant, limited, otelTraceId, cause, ...line } = event
      const isSlow = slowMs > 0 && seconds * 1_000 > slowMs && event.endpoint !== 'operations' && limited === null
      if (isSlow) metrics.slowRequests.inc({ endpoint: event.endpoint })
      // Probes and scrapes come every few seconds and say nothing. A flood of refused requests must not become a flood of lines.
      const isQuiet = limited !== null || (event.endpoint === 'operations' && event.outcome === 'ok')
      const isWarned = isSlow && slowLines.tryRemoveTokens(1)
      const [variant] = traces.flatMap(known => known.variant ?? [])
      const queries = traces.flatMap(({ query }) => query ?? [])
      // The fields of these lines are known and hold no keys. Looking for keys in them takes a third of the time of a line.
      lines ??= logger.child({}, { redact: [] })
      lines[isQuiet ? 'debug' : isWarned ? 'warn' : 'info'](
        {
          ...line,
          ...(otelTraceId && { otelTraceId }),
          ...(tenant !== null && { tenant }),
          ...(cause !== null && { cause }),
          ...(variant !== undefined && { variant }),
          ...(queries.length > 0 && { queries }),
          ...limited,
          ms: Math.round(seconds * 1_000),
          ...(isSlow && { stageMs: stageTimes(traces) }),
        },
        isSlow ? 'slow request' : 'request finished',
      )
    },
  }
}

/** The last request of a bucket, by the ids under which its trace and its spans are found. */
function exemplarOf({ traceId, otelTraceId }: FinishedRequest): Record<string, string> {
  const [first] = traceId?.split(',') ?? []
  return { ...(first && { trace_id: first }), ...(otelTraceId && { otel_trace_id: otelTraceId }) }
}

/** Milliseconds by stage. The searches of a batch run beside each other, and their times are added. */
function stageTimes(traces: readonly Traced[]): Record<string, number> {
  const times: Record<string, number> = {}
  for (const { name, ms } of traces.flatMap(({ stages }) => stages)) {
    times[name] = Math.round(((times[name] ?? 0) + ms) * 1_000) / 1_000
  }
  return times
}
