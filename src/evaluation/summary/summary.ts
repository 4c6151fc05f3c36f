import type { BootstrapOptions, Interval } from '../../statistics/bootstrap.ts'
import type { Comparison } from '../../statistics/comparison.ts'
import type { MeasureName } from '../metrics/measures.ts'
import type { SetResult } from '../replay/results.ts'

/** A budget in tokens as text, or `average`: the mean over the budgets. */
type At = string
export const AVERAGE: At = 'average'

/** One measure of one arm at one budget or on average. Plain data, as everything below. */
export interface Figure {
  /** Mean over the sets of the mean over the queries. */
  mean: number
  /** Number of queries that have a value. */
  n: number
  /** 95 % interval of the mean; null where the summary was not asked for it. */
  interval: Interval | null
  /** Against the reference arm; null for the reference arm itself, and where the summary was not asked for it. */
  against: Comparison | null
}

/** Milliseconds, nearest-rank percentiles over runs. */
export interface Latency {
  p50: number
  p95: number
  p99: number
}

export interface ArmSummary {
  arm: string
  /** By measure, then by budget and `average`. A measure without values is left out. */
  figures: Partial<Record<MeasureName, Record<At, Figure>>>
  /** The budget from which more tokens add little answer recall; null when the curve has none. */
  knee: number | null
  /** `total`, and each stage, over all runs. */
  latency: Record<string, Latency>
  /** Share of runs with a degradation, and of runs whose context exceeded its budget before the cut; in [0,1]. */
  degradedShare: number
  overrunShare: number
  /** Words reported as packed and not found in the context, sum over all runs. */
  lost: number
}

/** A part of the queries. Slices by intent and grade hold the queries of all sets. */
export interface SliceSummary {
  by: SliceBy
  /** The set, intent or grade; empty for `all`. */
  value: string
  /** Number of queries, and of those of each set. Every set has the same weight in means. */
  n: number
  queries: Record<string, number>
  /** By measure, the pairs of a query and a budget at which some arms have a value and others have none. Measures without one are left out. */
  unpaired: Partial<Record<MeasureName, number>>
  arms: ArmSummary[]
}

export type SliceBy = 'all' | 'set' | 'intent' | 'grade'

interface SetFacts extends Omit<SetResult, 'queries'> {
  /** Number of queries. */
  n: number
}

export interface ReplaySummary {
  /** The arm that the others are compared with. */
  against: string
  /** The measure whose figures have intervals and comparisons in every slice and at every budget. */
  measure: MeasureName
  /** The measures that have values, in the order of reports. */
  measures: MeasureName[]
  budgets: number[]
  arms: string[]
  chunkTokens: number
  /** Queries in flight. Latencies depend on it. */
  parallel: number
  sets: SetFacts[]
  bootstrap: BootstrapOptions
  /** `all` first. Slices by set are left out for a single set, and by intent or grade when no query has one. */
  slices: SliceSummary[]
}
