import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { codesOf, ROLLBACK_TRIGGERS } from '../core/vocabulary.ts'
import { type StartTimer, systemTimer } from '../pipeline/deadline.ts'
import type { ExperimentOutcome, ObserveOutcome } from '../pipeline/plan/outcome.ts'
import type { RollbackJudge } from './statistics/online/judge.ts'
import { createWindow, type OutcomeWindow, summarize, type TimedOutcome, variantSummarySchema } from './window.ts'

/** An experiment of which everyone gets the control, until it is reset by hand. */
export const rollbackSchema = z.object({
  experiment: z.string(),
  /** The variant that did harm. */
  variant: z.string(),
  trigger: z.enum(codesOf(ROLLBACK_TRIGGERS)),
  /** The figures, in one sentence. */
  detail: z.string(),
  /** ISO 8601. */
  since: z.string(),
})
export type Rollback = z.infer<typeof rollbackSchema>

/** What is known of one experiment. */
export const experimentSummarySchema = z.object({
  experiment: z.string(),
  /** Null while it runs. */
  rolled_back: rollbackSchema.omit({ experiment: true }).nullable(),
  variants: z.array(variantSummarySchema),
})
type ExperimentSummary = z.infer<typeof experimentSummarySchema>

/** The experiments of this process, for operators. */
export interface Experiments {
  list(): Promise<ExperimentSummary[]>
  /** Of all known ones, sorted. */
  names(): string[]
  /** The outcomes of the window, in the order of their arrival; null for an unknown experiment. */
  outcomesOf(experiment: string): TimedOutcome[] | null
  /** Ends a rollback and forgets the evidence. @returns whether the experiment was rolled back; null for an unknown one */
  reset(experiment: string): boolean | null
}

export interface Rollout extends Experiments {
  observe: ObserveOutcome
  isRolledBack(experiment: string): boolean
  close(): void
}

export interface RolloutDependencies {
  createJudge: () => RollbackJudge
  /** The rollbacks of before this process. */
  rollbacks: readonly Rollback[]
  /** Keeps the rollbacks for the next process. It must not throw. */
  save(rollbacks: readonly Rollback[]): void
  onOutcome(outcome: ExperimentOutcome): void
  onRollback(rollback: Rollback): void
  onReset(experiment: string): void
  wallClock: () => Date
  startTimer?: StartTimer
}

interface Experiment {
  window: OutcomeWindow
  judge: RollbackJudge
}

/** Beyond these, the experiment that was quiet for the longest time is forgotten, and further variants are not kept. */
const MOST_EXPERIMENTS = 20
const LIMITS = { variants: 10, outcomes: 20_000 }
/** Milliseconds between two looks at the evidence of an experiment. */
const JUDGE_EVERY_MS = 1_000

/**
 * Collects the outcomes of experiments, and rolls an experiment back when its judge shows harm: from then on `isRolledBack` says so, and
 * further outcomes are no evidence. A rollback ends by hand only.
 */
export function createRollout(dependencies: RolloutDependencies): Rollout {
  const { createJudge, save, onOutcome, onRollback, onReset, wallClock, startTimer = systemTimer } = dependencies
  const experiments = new LRUCache<string, Experiment>({ max: MOST_EXPERIMENTS })
  const rollbacks = new Map(dependencies.rollbacks.map(rollback => [rollback.experiment, rollback]))
  /** Experiments with outcomes that the judge has not been asked about. */
  const unjudged = new Set<string>()
  let stopTimer: (() => void) | null = null

  function experimentOf(name: string): Experiment {
    const known = experiments.get(name)
    if (known !== undefined) return known
    const experiment = { window: createWindow(LIMITS), judge: createJudge() }
    experiments.set(name, experiment)
    return experiment
  }

  function judgeSoon(milliseconds: number): void {
    stopTimer ??= startTimer(milliseconds, () => {
      stopTimer = null
      const [name] = unjudged
      if (name === undefined) return
      unjudged.delete(name)
      judge(name)
      // The others get turns of the event loop of their own.
      if (unjudged.size > 0) judgeSoon(0)
    })
  }

  function judge(name: string): void {
    const harm = rollbacks.has(name) ? null : experiments.peek(name)?.judge.verdict()
    if (!harm) return
    const rollback = { experiment: name, ...harm, since: wallClock().toISOString() }
    rollbacks.set(name, rollback)
    save([...rollbacks.values()])
    onRollback(rollback)
  }

  const names = () => [...new Set([...experiments.keys(), ...rollbacks.keys()])].sort()

  return {
    observe(outcome) {
      const name = outcome.assignment.experiment
      if (rollbacks.has(name)) return
      const { window, judge } = experimentOf(name)
      const startedAt = wallClock().getTime() - 1_000 * (outcome.seconds ?? 0)
      const timed = { ...outcome, startedAt }
      if (!window.add(timed)) return
      onOutcome(outcome)
      judge.add(timed)
      unjudged.add(name)
      judgeSoon(JUDGE_EVERY_MS)
    },
    isRolledBack: experiment => rollbacks.has(experiment),
    names,
    async list() {
      const summaries: ExperimentSummary[] = []
      for (const name of names()) {
        const { experiment: _name, ...why } = rollbacks.get(name) ?? { experiment: null }
        const variants: ExperimentSummary['variants'] = []
        for (const [variant, outcomes] of experiments.peek(name)?.window.variants() ?? []) {
          variants.push(summarize(variant, outcomes))
          await new Promise(resolve => setImmediate(resolve))
        }
        summaries.push({ experiment: name, rolled_back: 'since' in why ? why : null, variants })
      }
      return summaries
    },
    outcomesOf(name) {
      const known = experiments.peek(name)
      if (known === undefined) return rollbacks.has(name) ? [] : null
      return known.window.outcomes()
    },
    reset(name) {
      const wasRolledBack = rollbacks.delete(name)
      if (!experiments.delete(name) && !wasRolledBack) return null
      unjudged.delete(name)
      if (wasRolledBack) {
        save([...rollbacks.values()])
        onReset(name)
      }
      return wasRolledBack
    },
    close() {
      stopTimer?.()
      stopTimer = null
    },
  }
}
