import type { RollbackTrigger, ShadowOutcome } from '../../core/vocabulary.ts'
import type { ExperimentOutcome } from '../../pipeline/plan/outcome.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'

/** The reports about experiments and shadow runs. */
export interface RolloutReports {
  /** A request of an experiment ended. */
  experimentObserved(event: { outcome: ExperimentOutcome }): void
  /** The rollback breaker of an experiment opened. */
  rolledBack(event: { experiment: string; variant: string; trigger: RollbackTrigger; detail: string }): void
  /** The rollback of an earlier process is still open at the start. */
  rollbackKept(event: { experiment: string; since: string; detail: string }): void
  /** The rollback breaker of an experiment was closed by hand. */
  rollbackReset(event: { experiment: string }): void
  /** A shadow run ended. `overlap` is the Jaccard index of the chunks of both runs; null when it was not compared. */
  shadowRan(event: { outcome: ShadowOutcome; overlap: number | null; detail: string }): void
  /** Number of shadow runs that wait or run. */
  shadowQueued(event: { length: number }): void
}

export function createRolloutReports(metrics: Metrics, logger: Logger): RolloutReports {
  return {
    experimentObserved: ({ outcome: { assignment, failed, seconds, tokens, recallProxy } }) => {
      const labels = { experiment: assignment.experiment, variant: assignment.variant }
      metrics.experimentRequests.inc({ ...labels, outcome: 'ok' }, failed === false ? 1 : 0)
      metrics.experimentRequests.inc({ ...labels, outcome: 'failed' }, failed ? 1 : 0)
      if (seconds !== null) metrics.experimentSeconds.observe(labels, seconds)
      if (tokens !== null) metrics.experimentTokens.observe(labels, tokens)
      if (recallProxy !== null) metrics.experimentRecallProxy.observe(labels, recallProxy)
      // An experiment is known by its first request only: from here on, its series is there.
      metrics.experimentRolledBack.inc({ experiment: assignment.experiment }, 0)
    },
    rolledBack: event => {
      metrics.experimentRolledBack.set({ experiment: event.experiment }, 1)
      metrics.experimentRollbacks.inc({ experiment: event.experiment, trigger: event.trigger })
      logger.error(event, 'the experiment is rolled back: everyone gets the control until it is reset')
    },
    rollbackKept: event => {
      metrics.experimentRolledBack.set({ experiment: event.experiment }, 1)
      logger.warn(event, 'the experiment is still rolled back: everyone gets the control until it is reset')
    },
    rollbackReset: ({ experiment }) => {
      metrics.experimentRolledBack.set({ experiment }, 0)
      logger.info({ experiment }, 'the rollback of the experiment was reset')
    },
    shadowRan: ({ outcome, overlap, detail }) => {
      metrics.shadowRuns.inc({ outcome })
      if (overlap !== null) metrics.shadowOverlap.observe(overlap)
      if (outcome === 'failed') logger.debug({ detail }, 'a shadow run failed')
    },
    shadowQueued: ({ length }) => metrics.shadowQueue.set(length),
  }
}
