import type { RollbackTrigger } from '../../../core/vocabulary.ts'
import type { ExperimentOutcome } from '../../../pipeline/plan/outcome.ts'

export interface RollbackJudgeOptions {
  /** Probability, over the whole life of an experiment, that a treatment without harm is rolled back. Default .01. */
  falseAlarm?: number
  /** Least effective number of units that the control and a treatment each need before a verdict. Default 50. */
  leastUnits?: number
  /** Units whose requests are joined. The unit that was quiet for the longest time is forgotten first. Default 20,000. */
  mostUnits?: number
}

/** Harm that is shown: which variant, by which trigger, and the figures in one sentence. */
export interface Harm {
  variant: string
  trigger: RollbackTrigger
  detail: string
}

/** Judges one experiment while its outcomes come in. */
export interface RollbackJudge {
  /** Takes one outcome of the experiment. It never throws. */
  add(outcome: ExperimentOutcome): void
  /** The first harm that was shown, or null. It stays until the judge is replaced by a new one. */
  verdict(): Harm | null
}

/** Creates a judge without evidence. */
export function createRollbackJudge(_options: RollbackJudgeOptions = {}): RollbackJudge {
  return { add: () => {}, verdict: () => null }
}
