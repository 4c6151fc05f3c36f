import { elements } from '../../../qdrant/raw-json.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import { memberOf, readResult, replaceResult } from './envelope.ts'

/** The answer to `GET /collections` without the collections that the tenant does not reach. */
export function reachableCollections(answer: string, tenant: Tenant): string {
  return keepElements(answer, 'collections', collection => tenant.reaches(nameIn(collection, 'name')))
}

/** The answer to `GET /aliases` without the aliases of which the tenant does not reach both names. */
export function reachableAliases(answer: string, tenant: Tenant): string {
  const reached = (alias: string) =>
    ['alias_name', 'collection_name'].every(member => tenant.reaches(nameIn(alias, member)))
  return keepElements(answer, 'aliases', reached)
}

function keepElements(answer: string, list: string, keep: (element: string) => boolean): string {
  const kept = readResult(answer, result => elements(memberOf(result, list)).filter(keep))
  return replaceResult(answer, `{${JSON.stringify(list)}:[${kept.join(',')}]}`)
}

function nameIn(raw: string, member: string): string {
  return String(JSON.parse(memberOf(raw, member)))
}
