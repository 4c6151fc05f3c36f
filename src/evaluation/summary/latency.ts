import { percentileOfSorted } from '../../statistics/sample.ts'
import type { RunFigures } from '../metrics/measure-run.ts'
import type { Latency } from './summary.ts'

/** The latency of runs: `total`, and each stage that any of them has. */
export function latencyOf(runs: readonly RunFigures[]): Record<string, Latency> {
  const stages = new Set(runs.flatMap(({ stageMs }) => Object.keys(stageMs)))
  const ofStages = Array.from(stages, stage => [stage, percentiles(runs.flatMap(run => run.stageMs[stage] ?? []))])
  return { total: percentiles(runs.map(({ ms }) => ms)), ...Object.fromEntries(ofStages) }
}

function percentiles(values: readonly number[]): Latency {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => percentileOfSorted(sorted, share) ?? 0
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}
