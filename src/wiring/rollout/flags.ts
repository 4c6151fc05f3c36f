import { randomUUID } from 'node:crypto'
import { type FlagsFile, openFlagsFile } from '../../adapters/flags/file.ts'
import { openPlanFolder, type PlanFiles } from '../../adapters/flags/plan-folder.ts'
import { openUnleash } from '../../adapters/flags/unleash.ts'
import type { AcceptedContent, Reloaded } from '../../adapters/reload.ts'
import { type Config, ConfigError } from '../../config.ts'
import { checkFlags, type FlagCatalogue } from '../../flags/catalogue.ts'
import { createDecide } from '../../flags/decide.ts'
import type { FlagProvider } from '../../flags/provider.ts'
import type { Reporter } from '../../observe/events.ts'
import type { DecidePlan } from '../../pipeline/plan/decision.ts'

/** The flags of a process. */
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

interface FlagsState {
  /** Whether the files of flags and plans are used as they are now. */
  files: 'used' | 'refused' | null
  unleash: UnleashState | null
}

interface UnleashState {
  error: string | null
  /** What decides while Unleash is away. */
  instead: 'the last known flags are used' | 'the file of flags is used' | 'no flags are known, and the plan is used'
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
 * @throws ConfigError with every fault of the file of flags and of the plan files
 */
export async function openFlags(config: Config, { reporter, isRolledBack, accepted }: FlagsOptions): Promise<Flags> {
  const { plan, settings } = config
  const { UNLEASH_URL: url, FLAGS_FILE: path, PLANS_FOLDER: folder } = settings
  const who = { appName: settings.UNLEASH_APP_NAME, environment: settings.UNLEASH_ENVIRONMENT }
  let unleashState: UnleashState | null = url === undefined ? null : { error: null, instead: NO_FLAGS }
  let reported: readonly string[] = []
  let file: FlagsFile | null = null
  let folderNow: Reloaded<PlanFiles> | null = null
  let unleash: FlagProvider | null = null

  const catalogue = keepChecked(
    () => unleash?.current ?? file?.current ?? null,
    () => folderNow?.current ?? NO_PLANS,
    config,
  )
  const refusalsNow = () => [...refusalOf('FLAGS_FILE', path, file), ...refusalOf('PLANS_FOLDER', folder, folderNow)]
  const faultsNow = () => [...refusalsNow(), ...(catalogue()?.faults ?? [])]
  /** Reports what is wrong, once per change. */
  const check = () => {
    const all = faultsNow()
    if (all.join('\n') === reported.join('\n')) return
    reported = all
    reporter.flagsChecked({ faults: catalogue()?.faults ?? [], refusals: refusalsNow() })
  }
  if (folder !== undefined) {
    const opened = await openPlanFolder(folder, plan.rerank.method, check, accepted?.('PLANS_FOLDER'))
    if ('faults' in opened) throw configError('PLANS_FOLDER', folder, opened.faults)
    folderNow = opened
  }
  if (path !== undefined) {
    const opened = await openFlagsFile({ ...who, path, onChange: check, accepted: accepted?.('FLAGS_FILE') ?? null })
    if ('faults' in opened) {
      folderNow?.close()
      throw configError('FLAGS_FILE', path, opened.faults)
    }
    file = opened
  }
  if (url !== undefined) {
    unleash = await openUnleash({
      ...who,
      url,
      token: settings.UNLEASH_API_TOKEN ?? null,
      refreshMs: settings.UNLEASH_REFRESH_MS,
      backupFile: settings.UNLEASH_BACKUP_FILE ?? null,
      onRefresh: ({ error, hasFlags }) => {
        const instead = hasFlags
          ? 'the last known flags are used'
          : file === null
            ? NO_FLAGS
            : 'the file of flags is used'
        unleashState = { error, instead }
        reporter.flagsRefreshed({ source: 'unleash', ...unleashState })
      },
      onChange: check,
    })
  }
  check()
  const decide = createDecide({
    configured: plan,
    off: settings.STOWAGE_FLAGS_OFF ?? new Set(),
    catalogue,
    isRolledBack,
    newSessionId: randomUUID,
  })
  return {
    decide: subject => {
      const decision = decide(subject)
      if (decision.flags.length > 0) reporter.flagsDecided({ flags: decision.flags })
      return decision
    },
    catalogue,
    faults: faultsNow,
    state: () => ({
      files: file === null && folderNow === null ? null : (file?.refusal ?? folderNow?.refusal) ? 'refused' : 'used',
      unleash: unleashState,
    }),
    reload: async () => {
      await Promise.all([file?.reload(), folderNow?.reload()])
    },
    close: async () => {
      folderNow?.close()
      await Promise.all([unleash?.close(), file?.close()])
    },
  }
}

const NO_FLAGS = 'no flags are known, and the plan is used'
const NO_PLANS: PlanFiles = new Map()

/** Checks the flags again when they, or the plans that they can name, are other ones than before. */
function keepChecked(
  flags: () => FlagProvider['current'],
  plans: () => PlanFiles,
  { plan }: Config,
): () => FlagCatalogue | null {
  let known: { catalogue: FlagCatalogue; plans: PlanFiles } | null = null
  let steps = 0
  const newStepId = () => `payload ${++steps}`
  return () => {
    const [flagsNow, plansNow] = [flags(), plans()]
    if (flagsNow === null) return null
    if (known?.catalogue.flags !== flagsNow || known.plans !== plansNow) {
      const reader = { loaded: plan.rerank.method, plans: plansNow, newStepId }
      known = { catalogue: checkFlags(flagsNow, reader), plans: plansNow }
    }
    return known.catalogue
  }
}

function refusalOf(variable: string, value: string | undefined, source: { refusal: readonly string[] | null } | null) {
  return (source?.refusal ?? []).map(fault => `${variable}=${value}: ${fault}; the content of before is used`)
}

function configError(variable: string, value: string, faults: readonly string[]): ConfigError {
  return new ConfigError(faults.map(fault => `${variable}=${value}: ${fault}`))
}
