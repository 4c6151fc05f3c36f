import { z } from 'zod'
import { type Trace, traceSchema } from './schema.ts'

const { trace_id, endpoint, started_at, shadow_of, assignment, collections, query, cache, plan_fingerprint } =
  traceSchema.shape
const { duration_ms, degraded, counts, budget, answerable } = traceSchema.shape

/** A line in a list of traces. */
export const traceSummarySchema = z.object({
  ...{ trace_id, endpoint, started_at, shadow_of, assignment, collections, query, cache, plan_fingerprint },
  plan: z.string(),
  ...{ duration_ms, degraded, counts, budget, answerable },
})

export type TraceSummary = z.infer<typeof traceSummarySchema>

/** Bounds the summary: a request can name long collections, and Qdrant's texts can be long. In UTF-16 code units. */
const LONGEST_DETAIL = 500

export function summaryOf(trace: Trace): TraceSummary {
  const degraded = trace.degraded.map(({ code, detail }) => ({ code, detail: detail.slice(0, LONGEST_DETAIL) }))
  return traceSummarySchema.parse({ ...trace, degraded, plan: trace.plan.name })
}
