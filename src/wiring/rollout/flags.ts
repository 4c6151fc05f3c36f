import { randomUUID } from 'node:crypto'
import type { AcceptedContent } from '../../adapters/reload.ts'
import type { Config } from '../../config.ts'
import type { FlagCatalogue } from '../../flags/catalogue.ts'
import { createDecide } from '../../flags/decide.ts'
import type { Reporter } from '../../observe/events.ts'
import type { DecidePlan } from '../../pipeline/plan/decision.ts'
import { FlagSources, type FlagsState } from './flag-sources.ts'

export interface Flags {
  decide: DecidePlan
  /** The flags as they are now; null while no source has any. */
  catalogue(): FlagCatalogue | null
  /** What is wrong with flags, their file and the plan files, one sentence each. */
  faults(): readonly string[]
  /** For `/readyz`: null for a source that is not configured, else what is wrong with it. */
  state(): FlagsState
  /** Reads the files again. */
  reload(): Promise<void>
  close(): Promise<void>
}

interface FlagsOptions {
  reporter: Pick<Reporter, 'flagsDecided' | 'flagsRefreshed' | 'flagsChecked'>
  /** Whether everyone gets the control of an experiment. */
  isRolledBack(experiment: string): boolean
  /** Of a file or folder, by its variable. */
  accepted?(variable: string): AcceptedContent
}

/**
 * Opens the sources of flags. A server that is away does not block the start for more than two seconds.
 * @throws ConfigError with every fault of the file of flags, or of the plan files
 */
export async function openFlags(config: Config, { reporter, isRolledBack, accepted }: FlagsOptions): Promise<Flags> {
  const sources = new FlagSources(config, reporter)
  await sources.open(accepted)
  const decide = createDecide({
    configured: config.plan,
    off: config.settings.STOWAGE_FLAGS_OFF ?? new Set(),
    catalogue: () => sources.catalogue(),
    isRolledBack,
    newSessionId: randomUUID,
  })
  return {
    decide: subject => {
      const decision = decide(subject)
      if (decision.flags.length > 0) reporter.flagsDecided({ flags: decision.flags })
      return decision
    },
    catalogue: () => sources.catalogue(),
    faults: () => sources.faults(),
    state: () => sources.state(),
    reload: () => sources.reload(),
    close: () => sources.close(),
  }
}
