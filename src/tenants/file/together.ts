import { compareText } from '../../core/collections.ts'
import { fixedStart, patternsOverlap } from '../patterns.ts'
import { fieldOf } from './build.ts'
import type { Declarations } from './declarations.ts'
import type { TenantDeclaration } from './schema.ts'

/** Faults of tenants that do not fit together: a key of two, and collections that they cannot share. */
export function faultsTogether(declarations: Declarations): string[] {
  return [...sharedKeys(declarations), ...sharedCollections(declarations.tenants)]
}

function sharedKeys({ operators, tenants }: Declarations): string[] {
  const faults: string[] = []
  const places = new Map<string, string>()
  const note = (sha256: string, place: string) => {
    const first = places.get(sha256.toLowerCase())
    if (first === undefined) places.set(sha256.toLowerCase(), place)
    else faults.push(`${place}.sha256: the same key as ${first}`)
  }
  operators.forEach(({ sha256 }, index) => {
    note(sha256, `operators[${index}]`)
  })
  for (const [name, { keys }] of tenants) {
    keys.forEach(({ sha256 }, index) => {
      note(sha256, `tenants.${name}.keys[${index}]`)
    })
  }
  return faults
}

/** A pattern with what decides whether others may have its collections too. Tenants that are alike in all of it are one claim. */
interface Claim {
  tenant: string
  pattern: string
  /** Whether the collections are the tenant's alone. */
  whole: boolean
  field: string | null
  writes: boolean
}

function sharedCollections(tenants: ReadonlyMap<string, TenantDeclaration>): string[] {
  const claims = claimsOf(tenants)
  const faults = new Map<string, string>()
  // Patterns overlap only if the start of one begins with the start of the other. In this order, these stand side by side.
  claims.forEach((claim, index) => {
    const start = fixedStart(claim.pattern)
    for (let at = index + 1; at < claims.length; at++) {
      const other = claims[at]
      if (other === undefined || !fixedStart(other.pattern).startsWith(start)) break
      if (excludeEachOther(claim, other) && patternsOverlap(claim.pattern, other.pattern))
        faults.set(`${claim.tenant} ${other.tenant}`, faultBetween(claim, other))
    }
  })
  return [...faults.values()]
}

function claimsOf(tenants: ReadonlyMap<string, TenantDeclaration>): Claim[] {
  const claims = new Map<string, Claim>()
  for (const [tenant, declaration] of tenants) {
    const { whole_collections: whole, read_only: readOnly, collections } = declaration
    for (const pattern of collections) {
      const claim = { tenant, pattern, whole, field: fieldOf(declaration), writes: !readOnly }
      const key = JSON.stringify([pattern, whole ? tenant : '', claim.field, claim.writes])
      if (!claims.has(key)) claims.set(key, claim)
    }
  }
  return [...claims.values()].sort((a, b) => compareText(fixedStart(a.pattern), fixedStart(b.pattern)))
}

/** Whether two tenants must not have a collection in common. */
function excludeEachOther(one: Claim, two: Claim): boolean {
  if (one.tenant === two.tenant) return false
  if (one.whole || two.whole) return true
  // A writer stamps its own field only, so it could write the field of the other as it likes.
  return one.field !== null && two.field !== null && one.field !== two.field && (one.writes || two.writes)
}

function faultBetween(one: Claim, two: Claim): string {
  const [first, second] = one.whole || (!two.whole && one.writes) ? [one, two] : [two, one]
  const patterns = `${JSON.stringify(first.pattern)} and ${JSON.stringify(second.pattern)}`
  if (first.whole)
    return `tenants.${first.tenant}.whole_collections=true: ${second.tenant} reaches the same collections (${patterns})`
  return (
    `tenants.${second.tenant}.field=${JSON.stringify(second.field)}: ${first.tenant} writes to the same collections (${patterns}) ` +
    `and marks its points by ${first.field}; tenants who share a collection need one field`
  )
}
