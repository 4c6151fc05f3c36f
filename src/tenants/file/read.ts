import { createKeyTable } from '../keys.ts'
import type { Tenant, TenantDirectory } from '../tenant.ts'
import { buildTenant, type Surroundings } from './build.ts'
import { readDeclarations } from './declarations.ts'
import { type FileFormat, parseFile } from './parse.ts'
import type { TenantDeclaration } from './schema.ts'
import { faultsTogether } from './together.ts'

/** The tenants of a file without faults, or all of its faults, one line each. */
type TenantsFile =
  | { directory: TenantDirectory; declared: ReadonlyMap<string, TenantDeclaration>; faults: null }
  | { directory: null; declared: null; faults: readonly string[] }

const MOST_FAULTS = 100

/** Reads a file of tenants. Never throws. */
export function readTenantsFile(bytes: Uint8Array, format: FileFormat, surroundings: Surroundings): TenantsFile {
  const { value, faults: malformed } = parseFile(bytes, format)
  if (malformed.length > 0) return refused(malformed)
  const declarations = readDeclarations(value)
  const built = [...declarations.tenants].map(([name, declared]) => buildTenant(name, declared, surroundings))
  const faults = [...declarations.faults, ...built.flatMap(one => one.faults), ...faultsTogether(declarations)]
  if (faults.length > 0) return refused(faults)
  const { operators, tenants: declared } = declarations
  const tenants = built.map(({ tenant }) => tenant)
  const ownerOf = createKeyTable<Tenant | 'operator'>([
    ...operators.map(({ sha256 }) => [sha256, 'operator'] as const),
    ...tenants.flatMap(tenant =>
      (declared.get(tenant.name)?.keys ?? []).map(({ sha256 }) => [sha256, tenant] as const),
    ),
  ])
  const find = (apiKey: string | null) => (apiKey === null ? null : ownerOf(apiKey))
  const directory: TenantDirectory = {
    tenants,
    operators: operators.length,
    find: apiKey => {
      const owner = find(apiKey)
      return owner === 'operator' ? null : owner
    },
    isOperator: apiKey => find(apiKey) === 'operator',
  }
  return { directory, declared, faults: null }
}

function refused(faults: readonly string[]): TenantsFile {
  const shown = faults.slice(0, MOST_FAULTS)
  if (shown.length < faults.length) shown.push(`and ${faults.length - shown.length} more faults`)
  return { directory: null, declared: null, faults: shown }
}
