import { parse, stringify } from 'lossless-json'
import { isMap, isSeq, parseDocument } from 'yaml'
import { isObject } from '../../qdrant/json.ts'
import { type FileFormat, YAML_OPTIONS } from './parse.ts'

/** A key as the file holds it. */
export interface NewKey {
  sha256: string
  note: string
}

/** A tenant as `stowage tenants new` writes it. */
interface NewTenant {
  keys: NewKey[]
  collections: string[]
}

/** A file with one tenant, as YAML. */
export function fileWith(name: string, tenant: NewTenant): string {
  return addTenant('tenants: {}\n', 'yaml', name, tenant)
}

/** Adds a tenant to the text of a file without faults. In YAML, comments and the order stay. */
export function addTenant(text: string, format: FileFormat, name: string, tenant: NewTenant): string {
  if (format === 'json') {
    return editJson(text, file => {
      if (isObject(file.tenants)) file.tenants[name] = tenant
    })
  }
  const document = parseDocument(text, YAML_OPTIONS)
  const tenants = document.get('tenants')
  // An empty mapping is written as {}; one with a tenant takes several lines.
  if (isMap(tenants) && tenants.items.length === 0) tenants.flow = false
  document.setIn(['tenants', name], document.createNode(tenant))
  return document.toString({ lineWidth: 0 })
}

/** Adds a key to a tenant in the text of a file without faults. In YAML, comments and the order stay. */
export function addKey(text: string, format: FileFormat, name: string, key: NewKey): string {
  if (format === 'json') {
    return editJson(text, file => {
      const tenant = isObject(file.tenants) ? file.tenants[name] : null
      if (isObject(tenant) && Array.isArray(tenant.keys)) tenant.keys.push(key)
    })
  }
  const document = parseDocument(text, YAML_OPTIONS)
  const keys = document.getIn(['tenants', name, 'keys'])
  if (isSeq(keys) && keys.items.length === 0) keys.flow = false
  document.addIn(['tenants', name, 'keys'], document.createNode(key))
  return document.toString({ lineWidth: 0 })
}

/** Numbers keep their spelling. */
function editJson(text: string, edit: (file: Record<string, unknown>) => void): string {
  const file = parse(text) as Record<string, unknown>
  edit(file)
  return `${stringify(file, null, 2)}\n`
}
