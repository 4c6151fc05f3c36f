import type { FlagDecision } from '../../pipeline/plan/decision.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics.ts'

/** The reports about flags and their sources. */
export interface FlagReports {
  /** The flags that a source set for one request. */
  flagsDecided(event: { flags: readonly FlagDecision[] }): void
  /** The Unleash server answered, or did not. `error` is null when it did; `instead` is what is used after an error, as a clause. */
  flagsRefreshed(event: { source: 'unleash'; error: string | null; instead: string }): void
  /**
   * What is wrong with the flags of the source, and why a file of flags or plans is refused as a whole, one sentence each. Called when it
   * changes.
   */
  flagsChecked(event: { faults: readonly string[]; refusals: readonly string[] }): void
}

export function createFlagReports(metrics: Metrics, logger: Logger): FlagReports {
  return {
    flagsDecided: ({ flags }) => {
      for (const { flag, enabled, source } of flags)
        metrics.flagDecisions.inc({ flag, value: enabled ? 'on' : 'off', source })
    },
    flagsRefreshed: ({ source, error, instead }) => {
      metrics.flagsSourceUp.set({ source }, error === null ? 1 : 0)
      if (error === null) metrics.flagsRefreshed.setToCurrentTime({ source })
      else logger.warn({ source, detail: error }, `flags cannot be refreshed; ${instead}`)
    },
    flagsChecked: ({ faults, refusals }) => {
      metrics.flagsUnknown.set(faults.length)
      metrics.flagsFileRefused.set(refusals.length > 0 ? 1 : 0)
      for (const fault of refusals) logger.error({ fault }, 'a file of flags or plans is refused')
      for (const fault of faults) logger.warn({ fault }, 'flags have a fault')
    },
  }
}
