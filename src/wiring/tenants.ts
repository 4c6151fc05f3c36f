import { createReadStream } from 'node:fs'
import { type Config, ConfigError } from '../config.ts'
import type { Reporter } from '../observe/events.ts'
import { formatOf, MOST_BYTES } from '../tenants/file/parse.ts'
import { readTenantsFile } from '../tenants/file/read.ts'
import { keepReloading, type ReloadedTenants } from '../tenants/reload.ts'
import type { TenantDirectory } from '../tenants/tenant.ts'

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
  return keepReloading({
    start: read,
    readBytes: read.readBytes,
    readTenants: read.parse,
    onChange: ({ directory, faults }) => {
      if (faults === null) declareAll(directory)
      reporter.tenantsReloaded({ tenants: directory.tenants.length, faults })
    },
  })
}

/** The file may be a device without an end. */
async function readAtMost(path: string, bytes: number): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of createReadStream(path, { end: bytes - 1 })) parts.push(part)
  return Buffer.concat(parts)
}
