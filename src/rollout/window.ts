import type { ExperimentOutcome } from '../pipeline/plan/outcome.ts'

/** The last outcomes of one experiment, by variant, in bounded memory. */
export interface OutcomeWindow {
  /** Adds an outcome. @returns false for a variant beyond the limit, which is not kept */
  add(outcome: ExperimentOutcome): boolean
  /** The variants with outcomes, and the outcomes from the oldest to the latest. */
  variants(): [variant: string, outcomes: ExperimentOutcome[]][]
}

export interface WindowLimits {
  variants: number
  /** Outcomes of each variant. */
  outcomes: number
}

export function createWindow({ variants: mostVariants, outcomes: most }: WindowLimits): OutcomeWindow {
  const rings = new Map<string, { kept: ExperimentOutcome[]; next: number }>()
  return {
    add(outcome) {
      const { variant } = outcome.assignment
      let ring = rings.get(variant)
      if (ring === undefined) {
        if (rings.size >= mostVariants) return false
        ring = { kept: [], next: 0 }
        rings.set(variant, ring)
      }
      ring.kept[ring.next] = outcome
      ring.next = (ring.next + 1) % most
      return true
    },
    variants: () =>
      [...rings].map(([variant, { kept, next }]) => [variant, [...kept.slice(next), ...kept.slice(0, next)]]),
  }
}

/** What the window of one variant holds, for operators. Times in seconds; null when nothing was measured. */
export interface VariantSummary {
  variant: string
  /** Share of the units that the flags give this variant, in (0,1]; null when they do not tell. */
  share: number | null
  units: number
  requests: number
  failed: number
  seconds: { mean: number | null; p50: number | null; p95: number | null }
  /** Mean tokens of an answer. */
  tokens: number | null
  /** Mean, in [0,1]. */
  recall_proxy: number | null
}

/** Failed requests count in the times, too: a failure is often late. */
export function summarize(variant: string, outcomes: readonly ExperimentOutcome[]): VariantSummary {
  const seconds = outcomes.map(outcome => outcome.seconds).sort((a, b) => a - b)
  return {
    variant,
    share: outcomes.at(-1)?.assignment.share ?? null,
    units: new Set(outcomes.map(({ unitId }) => unitId)).size,
    requests: outcomes.length,
    failed: outcomes.filter(({ failed }) => failed).length,
    seconds: { mean: meanOf(seconds), p50: quantile(seconds, 0.5), p95: quantile(seconds, 0.95) },
    tokens: meanOf(outcomes.flatMap(({ tokens }) => tokens ?? [])),
    recall_proxy: meanOf(outcomes.flatMap(({ recallProxy }) => recallProxy ?? [])),
  }
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The nearest rank of sorted values. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
