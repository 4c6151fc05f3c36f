import { readAtMost } from '../adapters/read-at-most.ts'
import { keepReloading, type Reloaded } from '../adapters/reload.ts'
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
}

/**
 * Reads the tenants of the configuration once; null without `TENANTS_FILE`.
 * @throws ConfigError with every fault of the file
 */
export async function readTenants(config: Config) {
  const { TENANTS_FILE: path } = config.settings
  if (path === undefined) return null
  const readBytes = () => readAtMost(path, MOST_BYTES[formatOf(path)] + 1)
  const parse = (bytes: Uint8Array) => readTenantsFile(bytes, formatOf(path), config)
  const refuse = (faults: readonly string[]): never => {
    throw new ConfigError(faults.map(fault => `TENANTS_FILE=${path}: ${fault}`))
  }
  const bytes = await readBytes().catch((error: Error) => refuse([`cannot be read: ${error.message}`]))
  const { directory, faults } = parse(bytes)
  return { directory: directory ?? refuse(faults), bytes, readBytes, parse }
}

/**
 * Opens the tenants of the configuration, and keeps them current; null without `TENANTS_FILE`.
 * @throws ConfigError with every fault of the file
 */
export async function openTenants(
  config: Config,
  { reporter, declare }: TenantsOptions,
): Promise<ReloadedTenants | null> {
  const read = await readTenants(config)
  if (read === null) return null
  const declareAll = ({ tenants }: TenantDirectory) => declare(new Set(tenants.map(({ name }) => name)))
  declareAll(read.directory)
  const reloaded = keepReloading<TenantDirectory>({
    start: { value: read.directory, bytes: read.bytes },
    readBytes: read.readBytes,
    read: bytes => {
      const { directory, faults } = read.parse(bytes)
      return directory === null ? { value: null, faults } : { value: directory, faults: null }
    },
    onChange: ({ value: directory, faults }) => {
      if (faults === null) declareAll(directory)
      reporter.tenantsReloaded({ tenants: directory.tenants.length, faults })
    },
  })
  return tenantsNow(reloaded)
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
