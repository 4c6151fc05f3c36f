import { keepLatest } from '../../../core/collections.ts'
import type { ExperimentOutcome } from '../../../pipeline/plan/outcome.ts'
import { addValue, emptySums, type Unit } from '../unit-sums.ts'
import { createSecondsSketch } from './seconds-sketch.ts'

/** What one unit has shown, per measure. */
interface UnitEvidence {
  failed: Unit
  slow: Unit
  recallProxy: Unit
}

/** What the outcomes of one variant have shown so far. */
export interface VariantEvidence {
  failed: ReturnType<typeof emptySums>
  /** Requests that took longer than the threshold of the time. */
  slow: ReturnType<typeof emptySums>
  recallProxy: ReturnType<typeof emptySums>
  seconds: ReturnType<typeof createSecondsSketch>
  add(outcome: ExperimentOutcome, slowFrom: number | null): void
}

/**
 * Creates the evidence of a variant. It remembers `mostUnits` units. The one that was quiet for the longest time is forgotten: what it
 * has shown stays in the sums, and if it comes back it counts as a new unit.
 */
export function createVariantEvidence(mostUnits: number): VariantEvidence {
  /** From the unit that was quiet for the longest time to the latest. */
  const units = new Map<string, UnitEvidence>()

  const unitOf = ({ assignment, unitId }: ExperimentOutcome): UnitEvidence => {
    const unit = units.get(unitId) ?? newUnit()
    if (assignment.unit === 'request') return newUnit()
    keepLatest(units, unitId, unit, mostUnits)
    return unit
  }

  return {
    failed: emptySums(),
    slow: emptySums(),
    recallProxy: emptySums(),
    seconds: createSecondsSketch(),
    add(outcome, slowFrom) {
      const { failed, seconds, recallProxy } = outcome
      const unit = unitOf(outcome)
      if (failed !== null) addValue(this.failed, unit.failed, failed ? 1 : 0)
      if (seconds !== null && seconds >= 0) {
        if (slowFrom !== null) addValue(this.slow, unit.slow, seconds > slowFrom ? 1 : 0)
        this.seconds.add(seconds)
      }
      if (recallProxy !== null && recallProxy >= 0 && recallProxy <= 1)
        addValue(this.recallProxy, unit.recallProxy, recallProxy)
    },
  }
}

const newUnit = (): UnitEvidence => ({ failed: { n: 0, s: 0 }, slow: { n: 0, s: 0 }, recallProxy: { n: 0, s: 0 } })
