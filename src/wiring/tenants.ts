import { readAtMost } from '../adapters/read-at-most.ts'
import { type AcceptedContent, openReloading, type Reloaded, type ReloadOptions } from '../adapters/reload.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Reporter } from '../observe/events.ts'
import { formatOf, MOST_BYTES } from '../tenants/file/parse.ts'
import { readTenantsFile } from '../tenants/file/read.ts'
import type { TenantDirectory } from '../tenants/tenant.ts'

/** A file of tenants that is read again when it changes. */
export interface ReloadedTenants extends TenantDirectory, Omit<Reloaded<TenantDirectory>, 'current'> {}

interface TenantsOptions {
  reporter: Reporter
  /** Called with the names of all tenants at the start, and after each change. */
  declare(names: ReadonlySet<string>): void
  accepted?: AcceptedContent | null
}

/**
 * Reads the tenants of the configuration once; null without `TENANTS_FILE`.
 * @throws ConfigError with every fault of the file
 */
export async function readTenants(config: Config): Promise<TenantDirectory | null> {
  const { TENANTS_FILE: path } = config.settings
  if (path === undefined) return null
  const reloaded = await openFile(path, config, { onChange() {} })
  reloaded.close()
  return reloaded.current
}

/**
 * Opens the tenants of the configuration, and keeps them current; null without `TENANTS_FILE`.
 * @throws ConfigError with every fault of the file
 */
export async function openTenants(
  config: Config,
  { reporter, declare, accepted = null }: TenantsOptions,
): Promise<ReloadedTenants | null> {
  const { TENANTS_FILE: path } = config.settings
  if (path === undefined) return null
  const declareAll = ({ tenants }: TenantDirectory) => declare(new Set(tenants.map(({ name }) => name)))
  const reloaded = await openFile(path, config, {
    onChange: ({ value: directory, faults }) => {
      if (faults === null) declareAll(directory)
      reporter.tenantsReloaded({ tenants: directory.tenants.length, faults })
    },
    accepted,
  })
  declareAll(reloaded.current)
  return tenantsNow(reloaded)
}

/** @throws ConfigError with every fault of the file */
async function openFile(
  path: string,
  config: Config,
  more: Pick<ReloadOptions<TenantDirectory>, 'onChange' | 'accepted'>,
): Promise<Reloaded<TenantDirectory>> {
  const opened = await openReloading<TenantDirectory>({
    readBytes: () => readAtMost(path, MOST_BYTES[formatOf(path)] + 1),
    read: bytes => {
      const { directory, faults } = readTenantsFile(bytes, formatOf(path), config)
      return directory === null ? { value: null, faults } : { value: directory, faults: null }
    },
    ...more,
  })
  if (!('faults' in opened)) return opened
  throw new ConfigError(opened.faults.map(fault => `TENANTS_FILE=${path}: ${fault}`))
}

/** The tenants of a file as they are at each call. */
export function tenantsNow(reloaded: Reloaded<TenantDirectory>): ReloadedTenants {
  return {
    get tenants() {
      return reloaded.current.tenants
    },
    get operators() {
      return reloaded.current.operators
    },
    get refusal() {
      return reloaded.refusal
    },
    find: apiKey => reloaded.current.find(apiKey),
    isOperator: apiKey => reloaded.current.isOperator(apiKey),
    reload: () => reloaded.reload(),
    close: () => reloaded.close(),
  }
}
