import { getOrInsert } from '../../../core/collections.ts'
import type { RollbackTrigger } from '../../../core/vocabulary.ts'
import { CONTROL } from '../../../pipeline/plan/assignment.ts'
import { counted } from '../../../text/printable.ts'
import type { TimedOutcome } from '../../window.ts'
import { TRIGGER_HARM, UNIT_DEVIATION } from '../triggers.ts'
import { type Estimate, meanOf, type UnitSums } from '../unit-sums.ts'
import { createVariantEvidence, type VariantEvidence } from './evidence.ts'
import { evidenceOfMore } from './mixture.ts'

/** Harm that is shown: which variant, by which trigger, and the figures in one sentence. */
export interface Harm {
  variant: string
  trigger: RollbackTrigger
  detail: string
}

/** Judges one experiment while its outcomes come in. */
export interface RollbackJudge {
  /** Takes one outcome of the experiment. It never throws. */
  add(outcome: TimedOutcome): void
  /** The first harm that was shown, or null. It stays until the judge is replaced by a new one. */
  verdict(): Harm | null
}

/** Probability, over the whole life of an experiment, that a treatment without harm is rolled back. */
const FALSE_ALARM = 0.01
/** Units of each variant whose requests are joined; see `createVariantEvidence`. */
const MOST_UNITS = 20_000
/** Effective units that the control and a treatment each need before a verdict. */
export const LEAST_UNITS = 25
const QUANTILE = 0.95
/**
 * The difference between the shares of slow requests for which the test is fastest. When the 95th percentile grows by 20 %, between 2 and
 * 5 % more of the requests are slower than that of the control was, for log-normal durations with a sigma of .5 to 1.
 */
const SLOW_EFFECT = 0.04
const TRIGGERS = 3

/**
 * Creates a judge without evidence. Harm is shown when the estimate is at or beyond the trigger, and a sequential test excludes that
 * the treatment is no worse than the control (`evidenceOfMore`). The test holds under looks at any time, so `verdict` may be asked after
 * every outcome. The probability of a false alarm is divided equally among the triggers and the treatments (Bonferroni).
 *
 * For the 95th percentile the test compares the shares of requests above a threshold: the 95th percentile of the control's durations so
 * far. The threshold is fixed before the requests that it judges, and both variants are held against the same one. So an error of the
 * estimated percentile, or a percentile that moves during the day, costs power and causes no false alarm. The threshold is estimated
 * again whenever the number of the control's requests has doubled.
 *
 * When the share of a variant changes, the evidence begins anew, and requests that began before are left out: pooled over both times, the
 * variants would have different parts of each (Simpson's paradox). The k-th evidence that was large enough for a test may use
 * 1 / (k · (k + 1)) of the probability of a false alarm. These parts sum to 1 for any number of changes.
 *
 * It keeps the evidence of every variant that comes in: the caller limits their number.
 */
export function createRollbackJudge(): RollbackJudge {
  const variants = new Map<string, VariantEvidence>()
  /** The share of each of them. */
  const shares = new Map<string, number | null>()
  /** When the first request with the present shares began, in milliseconds since 1970. */
  let since = Number.NEGATIVE_INFINITY
  let slowFrom: number | null = null
  let nextThreshold = 0
  /** One more than the evidence of before that was large enough for a test. Its size tells nothing of harm, so it may decide. */
  let number = 1
  let isTested = false
  let shown: Harm | null = null

  const beginAnew = (startedAt: number) => {
    variants.clear()
    shares.clear()
    since = startedAt
    slowFrom = null
    nextThreshold = 0
    if (isTested) number += 1
    isTested = false
  }

  const enough = (...estimates: Estimate[]) => estimates.every(({ effectiveUnits }) => effectiveUnits >= LEAST_UNITS)

  const updateThreshold = ({ failed, seconds }: VariantEvidence) => {
    if (seconds.count < nextThreshold || !enough(meanOf(failed))) return
    slowFrom = seconds.quantile(QUANTILE)
    nextThreshold = 2 * seconds.count
  }

  const isShown = (treatment: Estimate, control: Estimate, effect: number) => {
    const share = FALSE_ALARM / (number * (number + 1)) / TRIGGERS / Math.max(1, variants.size - 1)
    return enough(treatment, control) && evidenceOfMore(treatment, control, effect) >= Math.log(1 / share)
  }

  const harmOf = (treatment: VariantEvidence, control: VariantEvidence): Omit<Harm, 'variant'> | null => {
    if (!enough(meanOf(treatment.failed), meanOf(control.failed))) return null
    isTested = true
    for (const trigger of [errorRate, latency, recallProxy]) {
      const harm = trigger(treatment, control, isShown)
      if (harm) return harm
    }
    return null
  }

  return {
    add(outcome) {
      const { variant, share } = outcome.assignment
      if (outcome.startedAt < since) return
      if (shares.has(variant) && shares.get(variant) !== share) beginAnew(outcome.startedAt)
      const evidence = getOrInsert(variants, variant, () => createVariantEvidence(MOST_UNITS))
      shares.set(variant, share)
      evidence.add(outcome, slowFrom)
      if (variant === CONTROL) updateThreshold(evidence)
    },
    verdict() {
      const control = variants.get(CONTROL)
      if (shown || !control) return shown
      for (const [variant, evidence] of variants) {
        const harm = variant === CONTROL ? null : harmOf(evidence, control)
        if (harm) {
          shown = { variant, ...harm }
          break
        }
      }
      return shown
    },
  }
}

type IsShown = (treatment: Estimate, control: Estimate, effect: number) => boolean
type Trigger = (treatment: VariantEvidence, control: VariantEvidence, isShown: IsShown) => Omit<Harm, 'variant'> | null

const errorRate: Trigger = (treatment, control, isShown) => {
  const [ours, theirs] = [treatment, control].map(({ failed }) => meanOf(failed, UNIT_DEVIATION.failed)) as Two
  const limit = TRIGGER_HARM.error_rate
  if (ours.value - theirs.value < limit || !isShown(ours, theirs, limit)) return null
  return { trigger: 'error_rate', detail: `${percent(ours)} failed, against ${percent(theirs)} of the control` }
}

const latency: Trigger = (treatment, control, isShown) => {
  const [ours, theirs] = [treatment, control].map(({ slow }) => meanOf(slow, UNIT_DEVIATION.failed)) as Two
  if (!isShown(ours, theirs, SLOW_EFFECT)) return null
  const [slower, usual] = [treatment.seconds.quantile(QUANTILE), control.seconds.quantile(QUANTILE)]
  if (slower / usual - 1 < TRIGGER_HARM.latency) return null
  const seconds = `95 % within ${slower.toPrecision(3)} s, against ${usual.toPrecision(3)} s of the control`
  return {
    trigger: 'latency',
    detail: `${seconds}; ${percent(ours)} slower than its threshold, against ${percent(theirs)}`,
  }
}

const recallProxy: Trigger = (treatment, control, isShown) => {
  const [ours, theirs] = [treatment, control].map(evidence => lossOf(evidence.recallProxy)) as Two
  const limit = TRIGGER_HARM.recall_proxy
  if (ours.value - theirs.value < limit || !isShown(ours, theirs, limit)) return null
  const [mean, usual] = [1 - ours.value, 1 - theirs.value]
  const found = `mean recall proxy ${mean.toFixed(3)} over ${countText(ours)}`
  return { trigger: 'recall_proxy', detail: `${found}, against ${usual.toFixed(3)} of the control` }
}

type Two = [Estimate, Estimate]

/** 1 - recall proxy, so that more is worse as in the other triggers. */
function lossOf(sums: UnitSums): Estimate {
  const found = meanOf(sums, UNIT_DEVIATION.recallProxy)
  return { ...found, value: 1 - found.value }
}

const percent = (estimate: Estimate) => `${(100 * estimate.value).toFixed(1)} % of ${countText(estimate)}`
const countText = ({ requests, units }: Estimate) =>
  units === requests ? counted(requests, 'request') : `${counted(requests, 'request')} (${counted(units, 'unit')})`
