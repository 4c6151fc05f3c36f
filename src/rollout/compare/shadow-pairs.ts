import { getOrInsert, keepLatest } from '../../core/collections.ts'
import { CONTROL } from '../../pipeline/plan/assignment.ts'
import { studentQuantile, studentTwoSided } from '../../statistics/distributions.ts'
import { jaccard } from '../../text/similarity.ts'
import { addValue, emptySums, meanOf, type Unit } from '../statistics/unit-sums.ts'
import type { PairedRun, TraceLine } from './observed-request.ts'

const PAIR_MEASURES = ['tokens', 'recall_proxy', 'seconds', 'overlap'] as const
type PairMeasure = (typeof PAIR_MEASURES)[number]

/** Mean of the differences within pairs: the shadow run less the answer. For `overlap` it is the mean Jaccard index of the packed chunks. */
export interface PairedDifference {
  measure: PairMeasure
  /** Means of the answers and of the shadow runs; null for `overlap`. */
  control: number | null
  treatment: number | null
  mean: number
  low: number
  high: number
  /** Two-sided p value of no difference; null for `overlap`. */
  p: number | null
}

export interface PairReport {
  experiment: string
  variant: string
  pairs: number
  /** Pairs whose runs have different degradations. */
  unlikeDegraded: number
  /** Pairs whose answer had the treatment of an experiment. The shadow run adds its values to those of the treatment. */
  treated: number
  differences: PairedDifference[]
}

export interface ShadowPairs {
  add(trace: TraceLine): void
  /** Shadow runs whose answer was not found among the last ones that were read. */
  readonly single: number
  reports(): PairReport[]
}

type Sums = ReturnType<typeof emptySums>
interface Group {
  experiment: string
  variant: string
  pairs: number
  unlikeDegraded: number
  treated: number
  differences: Record<PairMeasure, Sums>
  control: Record<Exclude<PairMeasure, 'overlap'>, Sums>
  units: Map<string, Record<PairMeasure, Unit>>
}

/**
 * Joins each shadow run with its answer, in whichever order they are read, and sums the differences. Pairs of one session, or of one batch, are one unit.
 * @param mostWaiting runs, and units, that are remembered until their partner comes
 */
export function createShadowPairs(mostWaiting: number): ShadowPairs {
  const answers = new Map<string, PairedRun>()
  const shadows = new Map<string, PairedRun>()
  const groups = new Map<string, Group>()
  let forgotten = 0

  const pair = (answer: PairedRun, shadow: PairedRun) => {
    const [experiment, variant] = [shadow.experiment ?? '', shadow.variant ?? '']
    const key = JSON.stringify([experiment, variant])
    const group = getOrInsert(groups, key, () => newGroup(experiment, variant))
    addPair(group, answer, shadow, mostWaiting)
  }

  return {
    add({ traceId, run, shadowOf }) {
      if (shadowOf === null) {
        const shadow = take(shadows, traceId)
        if (shadow) pair(run, shadow)
        else keepLatest(answers, traceId, run, mostWaiting)
        return
      }
      const answer = take(answers, shadowOf)
      if (answer) pair(answer, run)
      else if (keepLatest(shadows, shadowOf, run, mostWaiting)) forgotten += 1
    },
    get single() {
      return shadows.size + forgotten
    },
    reports: () =>
      [...groups.values()].map(group => ({
        experiment: group.experiment,
        variant: group.variant,
        pairs: group.pairs,
        unlikeDegraded: group.unlikeDegraded,
        treated: group.treated,
        differences: PAIR_MEASURES.flatMap(measure => differenceOf(measure, group) ?? []),
      })),
  }
}

function addPair(group: Group, answer: PairedRun, shadow: PairedRun, mostUnits: number): void {
  const unit = (answer.unit !== null && group.units.get(answer.unit)) || newUnit()
  if (answer.unit !== null) keepLatest(group.units, answer.unit, unit, mostUnits)
  group.pairs += 1
  if (answer.degraded !== shadow.degraded) group.unlikeDegraded += 1
  if (answer.variant !== null && answer.variant !== CONTROL) group.treated += 1
  const measured = {
    tokens: [answer.tokens, shadow.tokens],
    recall_proxy: [answer.recallProxy, shadow.recallProxy],
    seconds: [answer.seconds, shadow.seconds],
  } as const
  for (const measure of ['tokens', 'recall_proxy', 'seconds'] as const) {
    const [control, treatment] = measured[measure]
    if (control === null || treatment === null) continue
    addValue(group.control[measure], { n: 0, s: 0 }, control)
    addValue(group.differences[measure], unit[measure], treatment - control)
  }
  addValue(group.differences.overlap, unit.overlap, jaccard(new Set(answer.packed), new Set(shadow.packed)) ?? 1)
}

function differenceOf(measure: PairMeasure, group: Group): PairedDifference | null {
  const { value, variance, effectiveUnits } = meanOf(group.differences[measure])
  if (variance === null) return null
  const error = Math.sqrt(variance)
  const freedom = Math.max(effectiveUnits - 1, 1)
  const half = error === 0 ? 0 : error * studentQuantile(0.975, freedom)
  const ends = { measure, mean: value, low: value - half, high: value + half }
  if (measure === 'overlap') return { ...ends, control: null, treatment: null, p: null }
  const control = meanOf(group.control[measure]).value
  const p = error === 0 ? Number(value === 0) : studentTwoSided(value / error, freedom)
  return { ...ends, control, treatment: control + value, p }
}

const newUnit = (): Record<PairMeasure, Unit> => ({
  tokens: { n: 0, s: 0 },
  recall_proxy: { n: 0, s: 0 },
  seconds: { n: 0, s: 0 },
  overlap: { n: 0, s: 0 },
})

const newGroup = (experiment: string, variant: string): Group => ({
  experiment,
  variant,
  pairs: 0,
  unlikeDegraded: 0,
  treated: 0,
  differences: { tokens: emptySums(), recall_proxy: emptySums(), seconds: emptySums(), overlap: emptySums() },
  control: { tokens: emptySums(), recall_proxy: emptySums(), seconds: emptySums() },
  units: new Map(),
})

function take<Value>(map: Map<string, Value>, key: string): Value | undefined {
  const value = map.get(key)
  map.delete(key)
  return value
}
