import { type Losses, lossText, UNEQUAL_LOSS_BELOW } from './losses.ts'
import { MEASURE_TABLE, type MeasuredLift, type MeasureName } from './measures.ts'
import { MISMATCH_BELOW } from './sample-ratio.ts'
import { TRIGGER_HARM } from './triggers.ts'

/** The field's usual level for a difference. */
const SIGNIFICANT_BELOW = 0.05
/** Effective units of each variant below which no interval is trusted. */
const LEAST_UNITS = 20

/** What to do with a treatment. */
export type VerdictCode =
  /**
   * The numbers of units do not fit the declared shares, or the variants lost different shares of their traces (p < .001), so they are not
   * comparable.
   */
  | 'do not trust'
  /** For a trigger, the harm is at or beyond its limit, and the Holm-adjusted p value is below .05. */
  | 'roll back'
  /** None of the others can be said yet. */
  | 'not enough data'
  /** It is safe to continue; a measure is better and none is worse, each with a Holm-adjusted p value below .05. */
  | 'better'
  /** The 95 % interval of each trigger that was measured ends before the limit. */
  | 'safe to continue'

export interface Verdict {
  verdict: VerdictCode
  /** One sentence. */
  reason: string
}

/** A lift with its p value adjusted for all measures and treatments of the experiment. */
export interface AdjustedLift extends MeasuredLift {
  adjustedP: number
}

export interface VerdictFacts {
  /** p value of the sample ratio; null when it could not be tested. */
  sampleRatioP: number | null
  /** Requests whose traces were lost. */
  losses: Losses
  lifts: readonly AdjustedLift[]
  /** Units of the treatment. */
  units: number
  /** The smaller effective number of units of the two variants. */
  effectiveUnits: number
}

/** Judges one treatment. The first `VerdictCode` that holds is taken, with `not enough data` last. */
export function verdictOf(facts: VerdictFacts): Verdict {
  const { sampleRatioP, losses, lifts, effectiveUnits } = facts
  if (sampleRatioP !== null && sampleRatioP < MISMATCH_BELOW) {
    return {
      verdict: 'do not trust',
      reason: `the numbers of units do not fit the declared shares (sample-ratio mismatch, p ${pText(sampleRatioP)}): find out which requests are lost before you read the figures`,
    }
  }
  if (losses.p !== null && losses.p < UNEQUAL_LOSS_BELOW) {
    return {
      verdict: 'do not trust',
      reason: `the variants lost different shares of their traces (${lossText(losses)}; p ${pText(losses.p)}), so what is left of them is not comparable`,
    }
  }
  const judged = lifts.filter(({ measure }) => MEASURE_TABLE[measure].trigger !== null)
  if (effectiveUnits < LEAST_UNITS || judged.length === 0) {
    return {
      verdict: 'not enough data',
      reason: `each variant needs at least ${LEAST_UNITS} units that send requests in like numbers; the smaller one counts as ${Math.floor(effectiveUnits)}`,
    }
  }
  const harmed = judged.find(lift => harmOf(lift) >= limitOf(lift.measure) && lift.adjustedP < SIGNIFICANT_BELOW)
  if (harmed) {
    return {
      verdict: 'roll back',
      reason: `${liftText(harmed)}, beyond the trigger of ${limitText(harmed.measure)}, p ${pText(harmed.adjustedP)}`,
    }
  }
  const open = judged.filter(lift => !(worstOf(lift) < limitOf(lift.measure)))
  return open.length > 0 ? notYet(open, facts) : safe(judged, lifts)
}

function notYet(open: readonly AdjustedLift[], { units }: VerdictFacts): Verdict {
  const names = open.map(({ measure }) => NAMES[measure]).join(' and ')
  const needs = open.map(({ needed }) => needed ?? Number.POSITIVE_INFINITY)
  const needed = Math.max(...needs)
  const still = `${names}: the interval still contains the harm of the trigger`
  const advice =
    needed > units
      ? `${Number.isFinite(needed) ? `about ${needed - units} more units` : 'several times as many units'} of the treatment are needed`
      : 'the planned sample is reached, so the harm is close to the trigger: decide by hand, or go on'
  return { verdict: 'not enough data', reason: `${still}; ${advice}` }
}

function safe(judged: readonly AdjustedLift[], lifts: readonly AdjustedLift[]): Verdict {
  const shown = lifts.filter(
    ({ measure, adjustedP }) => MEASURE_TABLE[measure].harm !== 0 && adjustedP < SIGNIFICANT_BELOW,
  )
  const better = shown.filter(lift => harmOf(lift) < 0)
  const worse = shown.filter(lift => harmOf(lift) > 0)
  const excluded = `the intervals exclude harm beyond the trigger in ${judged.map(({ measure }) => NAMES[measure]).join(', ')}`
  if (better.length > 0 && worse.length === 0)
    return { verdict: 'better', reason: `${better.map(liftText).join(', ')}, and ${excluded}` }
  const but = worse.length > 0 ? `; worse, but by less than a trigger: ${worse.map(liftText).join(', ')}` : ''
  return { verdict: 'safe to continue', reason: `${excluded}${but}` }
}

/** The lift, with more as worse. */
function harmOf({ measure, lift }: AdjustedLift): number {
  return MEASURE_TABLE[measure].harm * lift
}

/** The end of the interval at which the harm is largest. */
function worstOf({ measure, low, high }: AdjustedLift): number {
  return MEASURE_TABLE[measure].harm === -1 ? -low : high
}

function limitOf(measure: MeasureName): number {
  const { trigger } = MEASURE_TABLE[measure]
  return trigger === null ? Number.POSITIVE_INFINITY : TRIGGER_HARM[trigger]
}

export const NAMES: Readonly<Record<MeasureName, string>> = {
  failed_share: 'failed share',
  p50_seconds: 'p50 seconds',
  p95_seconds: 'p95 seconds',
  recall_proxy: 'recall proxy',
  tokens: 'tokens',
}

/** `p95 seconds +31.2 %`, or `recall proxy -6.1 points`. */
function liftText({ measure, lift }: AdjustedLift): string {
  return `${NAMES[measure]} ${signed(lift)} ${unitOf(measure)}`
}

function limitText(measure: MeasureName): string {
  return `${signed(MEASURE_TABLE[measure].harm * limitOf(measure)).replace('.0', '')} ${unitOf(measure)}`
}

export const unitOf = (measure: MeasureName) => (MEASURE_TABLE[measure].scale === 'relative' ? '%' : 'points')

/** A share in per cent or percentage points, with its sign. */
export function signed(share: number): string {
  if (!Number.isFinite(share)) return share > 0 ? '+∞' : '-∞'
  return `${share < 0 ? '-' : '+'}${(100 * Math.abs(share)).toFixed(1)}`
}

export function pText(p: number): string {
  return p < 0.001 ? '< .001' : p.toFixed(3).replace(/^0/u, '')
}
