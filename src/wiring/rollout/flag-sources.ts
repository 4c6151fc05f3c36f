import { type FlagsFile, openFlagsFile } from '../../adapters/flags/file.ts'
import { openPlanFolder, type PlanFiles } from '../../adapters/flags/plan-folder.ts'
import { openUnleash } from '../../adapters/flags/unleash.ts'
import type { AcceptedContent, Reloaded } from '../../adapters/reload.ts'
import { type Config, ConfigError } from '../../config.ts'
import { checkFlags, type FlagCatalogue } from '../../flags/catalogue.ts'
import type { FlagProvider } from '../../flags/provider.ts'
import type { Reporter } from '../../observe/events.ts'

/** For `/readyz`: null for a source that is not configured, else what is wrong with it. */
export interface FlagsState {
  /** Whether the files of flags and plans are used as they are now. */
  files: 'used' | 'refused' | null
  unleash: UnleashState | null
}

interface UnleashState {
  error: string | null
  /** What decides while Unleash is away. */
  instead: 'the last known flags are used' | 'the file of flags is used' | 'no flags are known, and the plan is used'
}

const NO_FLAGS = 'no flags are known, and the plan is used'
const NO_PLANS: PlanFiles = new Map()

/** Where flags come from: Unleash, else the file of flags, and the plan files that they can name. */
export class FlagSources {
  readonly #config: Config
  readonly #reporter: Pick<Reporter, 'flagsRefreshed' | 'flagsChecked'>
  readonly #checked: () => FlagCatalogue | null
  #folder: Reloaded<PlanFiles> | null = null
  #file: FlagsFile | null = null
  #unleash: FlagProvider | null = null
  #unleashState: UnleashState | null
  #reported: readonly string[] = []

  constructor(config: Config, reporter: Pick<Reporter, 'flagsRefreshed' | 'flagsChecked'>) {
    this.#config = config
    this.#reporter = reporter
    this.#unleashState = config.settings.UNLEASH_URL === undefined ? null : { error: null, instead: NO_FLAGS }
    this.#checked = keepChecked(
      () => this.#unleash?.current ?? this.#file?.current ?? null,
      () => this.#folder?.current ?? NO_PLANS,
      config,
    )
  }

  /**
   * Opens what the settings name. Call it once.
   * @throws ConfigError with every fault of the file of flags, or of the plan files
   */
  async open(accepted: ((variable: string) => AcceptedContent) | undefined): Promise<void> {
    await this.#openFolder(accepted?.('PLANS_FOLDER'))
    await this.#openFile(accepted?.('FLAGS_FILE') ?? null)
    await this.#openUnleash()
    this.#check()
  }

  /** The flags as they are now; null while no source has any. */
  catalogue(): FlagCatalogue | null {
    return this.#checked()
  }

  /** What is wrong with flags, their file and the plan files, one sentence each. */
  faults(): readonly string[] {
    return [...this.#refusals(), ...(this.catalogue()?.faults ?? [])]
  }

  state(): FlagsState {
    return { files: this.#stateOfFiles(), unleash: this.#unleashState }
  }

  async reload(): Promise<void> {
    await Promise.all([this.#file?.reload(), this.#folder?.reload()])
  }

  async close(): Promise<void> {
    this.#folder?.close()
    await Promise.all([this.#unleash?.close(), this.#file?.close()])
  }

  async #openFolder(accepted: AcceptedContent | undefined): Promise<void> {
    const { plan, settings } = this.#config
    const { PLANS_FOLDER: folder } = settings
    if (folder === undefined) return
    const opened = await openPlanFolder(folder, plan.rerank.method, () => this.#check(), accepted)
    if ('faults' in opened) throw configError('PLANS_FOLDER', folder, opened.faults)
    this.#folder = opened
  }

  async #openFile(accepted: AcceptedContent | null): Promise<void> {
    const { FLAGS_FILE: path } = this.#config.settings
    if (path === undefined) return
    const opened = await openFlagsFile({ ...this.#identity(), path, onChange: () => this.#check(), accepted })
    if ('faults' in opened) {
      this.#folder?.close()
      throw configError('FLAGS_FILE', path, opened.faults)
    }
    this.#file = opened
  }

  async #openUnleash(): Promise<void> {
    const { settings } = this.#config
    const { UNLEASH_URL: url } = settings
    if (url === undefined) return
    this.#unleash = await openUnleash({
      ...this.#identity(),
      url,
      token: settings.UNLEASH_API_TOKEN ?? null,
      refreshMs: settings.UNLEASH_REFRESH_MS,
      backupFile: settings.UNLEASH_BACKUP_FILE ?? null,
      onRefresh: ({ error, hasFlags }) => {
        this.#unleashState = { error, instead: this.#insteadOfUnleash(hasFlags) }
        this.#reporter.flagsRefreshed({ source: 'unleash', ...this.#unleashState })
      },
      onChange: () => this.#check(),
    })
  }

  /** As whom stowage asks for flags. */
  #identity(): { appName: string; environment: string } {
    const { UNLEASH_APP_NAME: appName, UNLEASH_ENVIRONMENT: environment } = this.#config.settings
    return { appName, environment }
  }

  #insteadOfUnleash(hasFlags: boolean): UnleashState['instead'] {
    if (hasFlags) return 'the last known flags are used'
    return this.#file === null ? NO_FLAGS : 'the file of flags is used'
  }

  #stateOfFiles(): FlagsState['files'] {
    if (this.#file === null && this.#folder === null) return null
    return this.#file?.refusal || this.#folder?.refusal ? 'refused' : 'used'
  }

  /** Reports what is wrong, once per change. */
  #check(): void {
    const all = this.faults()
    if (all.join('\n') === this.#reported.join('\n')) return
    this.#reported = all
    this.#reporter.flagsChecked({ faults: this.catalogue()?.faults ?? [], refusals: this.#refusals() })
  }

  #refusals(): string[] {
    const { FLAGS_FILE: path, PLANS_FOLDER: folder } = this.#config.settings
    return [...refusalOf('FLAGS_FILE', path, this.#file), ...refusalOf('PLANS_FOLDER', folder, this.#folder)]
  }
}

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
