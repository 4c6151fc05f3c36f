import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import type { Surroundings } from '../../../src/tenants/file/build.ts'
import { readTenantsFile } from '../../../src/tenants/file/read.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import type { TenantDirectory } from '../../../src/tenants/tenant.ts'

const SURROUNDINGS: Surroundings = { plan: NAMED_PLANS.measured, environment: {} }

/** A tenant as the file holds it, with a key that is called like the tenant. */
export function declared(name: string, over: object = {}): Record<string, object> {
  return { [name]: { keys: [{ sha256: keyHash(`key of ${name}`) }], collections: ['docs'], ...over } }
}

/** Reads the tenants of a file that has no faults. @throws Error with the faults */
export function directoryOf(
  tenants: object,
  over: { operators?: object[]; surroundings?: Partial<Surroundings> } = {},
): TenantDirectory {
  const { operators = [], surroundings } = over
  const text = JSON.stringify({ operators, tenants })
  const read = readTenantsFile(Buffer.from(text), 'json', { ...SURROUNDINGS, ...surroundings })
  if (read.directory === null) throw new Error(read.faults.join('\n'))
  return read.directory
}

/** The faults of a file; empty for none. */
export function faultsOf(
  text: string | Buffer,
  format: 'yaml' | 'json' = 'yaml',
  over: Partial<Surroundings> = {},
): readonly string[] {
  return readTenantsFile(Buffer.from(text), format, { ...SURROUNDINGS, ...over }).faults ?? []
}
