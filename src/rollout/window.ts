import { z } from 'zod'
import { groupBy } from '../core/collections.ts'
import type { ExperimentOutcome } from '../pipeline/plan/outcome.ts'
import { meanOrNull, percentileOfSorted } from '../statistics/sample.ts'

/** An outcome with the time at which its request began, in milliseconds since 1970. */
export interface TimedOutcome extends ExperimentOutcome {
  startedAt: number
}

/** The last outcomes of one experiment, in bounded memory. */
export interface OutcomeWindow {
  /** Adds an outcome. @returns false for a variant beyond the limit, which is not kept */
  add(outcome: TimedOutcome): boolean
  /** In the order of their arrival. */
  outcomes(): TimedOutcome[]
  /** The outcomes of each variant that has some, in the order of their arrival. */
  variants(): Map<string, TimedOutcome[]>
}

interface WindowLimits {
  /** Variants that are ever kept. */
  variants: number
  /** Outcomes of all variants together. */
  outcomes: number
}

/**
 * Creates an empty window. All variants share one ring, so what it holds is the traffic of one span of time. With a ring for each, that of
 * the control would reach less far back than that of a small treatment, and the numbers of units would not show the shares.
 */
export function createWindow({ variants: mostVariants, outcomes: most }: WindowLimits): OutcomeWindow {
  const names = new Set<string>()
  const ring: TimedOutcome[] = []
  let next = 0
  const outcomes = () => [...ring.slice(next), ...ring.slice(0, next)]
  return {
    add(outcome) {
      const { variant } = outcome.assignment
      if (!names.has(variant) && names.size >= mostVariants) return false
      names.add(variant)
      ring[next] = outcome
      next = (next + 1) % most
      return true
    },
    outcomes,
    variants: () => groupBy(outcomes(), ({ assignment }) => assignment.variant),
  }
}

const measured = z.number().nullable()

/** What the window of one variant holds, for operators. Times in seconds; null when nothing was measured. */
export const variantSummarySchema = z.object({
  variant: z.string(),
  /** Share of the units that the flags give this variant, in (0,1]; null when they do not tell. */
  share: z.number().nullable(),
  units: z.int(),
  requests: z.int(),
  failed: z.int(),
  seconds: z.object({ mean: measured, p50: measured, p95: measured }),
  /** Mean tokens of an answer. */
  tokens: measured,
  /** Mean, in [0,1]. */
  recall_proxy: measured,
})
type VariantSummary = z.infer<typeof variantSummarySchema>

/** Failed requests count in the times, too: a failure is often late. Answers from the cache have none. */
export function summarize(variant: string, outcomes: readonly ExperimentOutcome[]): VariantSummary {
  const seconds = Float64Array.from(outcomes.flatMap(outcome => outcome.seconds ?? [])).sort()
  return {
    variant,
    share: outcomes.at(-1)?.assignment.share ?? null,
    units: new Set(outcomes.map(({ unitId }) => unitId)).size,
    requests: outcomes.length,
    failed: outcomes.filter(({ failed }) => failed).length,
    seconds: {
      mean: meanOrNull(seconds),
      p50: percentileOfSorted(seconds, 0.5),
      p95: percentileOfSorted(seconds, 0.95),
    },
    tokens: meanOrNull(outcomes.flatMap(({ tokens }) => tokens ?? [])),
    recall_proxy: meanOrNull(outcomes.flatMap(({ recallProxy }) => recallProxy ?? [])),
  }
}
