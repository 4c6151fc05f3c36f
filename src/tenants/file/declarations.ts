import { describeIssues, unknownName } from '../../core/schema-faults.ts'
import { isObject } from '../../qdrant/json.ts'
import { operatorsSchema, TENANT_NAME, type TenantDeclaration, TOP_KEYS, tenantSchema } from './schema.ts'

/** What the file declares, before it is known whether the tenants fit together. */
export interface Declarations {
  operators: { sha256: string }[]
  /** Those without a fault, by name. */
  tenants: ReadonlyMap<string, TenantDeclaration>
  /** One line per fault: the place, the value, and what is wrong. */
  faults: string[]
}

/** Checks each part of a parsed file by itself. */
export function readDeclarations(file: unknown): Declarations {
  const faults: string[] = []
  const tenants = new Map<string, TenantDeclaration>()
  if (!isObject(file)) return { operators: [], tenants, faults: ['must be a mapping with the key tenants'] }
  const unknown = Object.keys(file).filter(key => !TOP_KEYS.includes(key))
  faults.push(...unknown.map(key => unknownName(key, 'key', TOP_KEYS)))

  const operators = operatorsSchema.safeParse(file.operators ?? [])
  faults.push(...describeIssues(operators.error, 'operators', file.operators, isSecret))
  if (!isObject(file.tenants))
    faults.push(`tenants${file.tenants === undefined ? ': is missing' : ': must be a mapping'}`)
  for (const [name, declared] of Object.entries(isObject(file.tenants) ? file.tenants : {})) {
    if (!TENANT_NAME.test(name))
      faults.push(`tenants.${name.slice(0, 100)}: a name has up to 64 letters, digits, dots, dashes and underscores`)
    const parsed = tenantSchema.safeParse(declared)
    faults.push(...describeIssues(parsed.error, `tenants.${name}`, declared, isSecret))
    // zod removes the key `__proto__` from a filter. Qdrant must see all of its keys.
    if (parsed.success && isObject(declared))
      tenants.set(name, { ...parsed.data, ...(isObject(declared.filter) ? { filter: declared.filter } : {}) })
  }
  return { operators: operators.data ?? [], tenants, faults }
}

/** Someone may have put the key itself where its hash belongs. */
const SECRET = /\.(?:sha256|upstream_key)$|\.keys(?:\[\d+\])?$|^operators(?:\[\d+\])?$/u
const isSecret = (place: string) => SECRET.test(place)
