import { inOneStep } from '../../../core/steps.ts'
import { JsonReader } from '../../../qdrant/json-reader.ts'
import { type Fields, given, keep, type Members, printMembers, type ReadInSteps, readMembers } from '../body/fields.ts'
import { readFilter } from '../body/filter.ts'
import { parsePayloadPath, relationTo } from '../body/payload-path.ts'
import { readPointIds } from '../body/point-id.ts'
import { badRequest } from '../body/refusals.ts'
import { hasId, type Scope } from '../body/scope.ts'
import { shardKey } from '../body/search-fields.ts'
import { type Stamp, stampAlone, stampOf, stampPayload, tenantField } from '../body/stamp.ts'

/** The points that a write changes, by ids or by a filter. */
const SELECTION_FIELDS: Fields = {
  points: reader => (reader.kind === 'null' ? reader.take() : hasId(readPointIds(reader))),
  filter: reader => readFilter(reader) ?? 'null',
  shard_key: shardKey,
}

export const deletePoints = change({}, () => undefined)
export const deleteVectors = change({ vector: keep, vectors: keep }, () => undefined)
export const setPayload = change({ payload: keep, key: keep }, keepStamp)
export const overwritePayload = change({ payload: keep, key: keep }, writeStamp)
export const deletePayload = change({ keys: keep }, keepField)

/** Clearing leaves the tenant field, so it is sent as an overwriting. */
export const clearPayload = change({}, (members, scope) => {
  members.set('payload', stampAlone(stampOf(scope.tenant)))
})

/** A write to points of the tenant among those that are selected. @param guard changes what else the body holds */
function change(fields: Fields, guard: (members: Members, scope: Scope) => void): ReadInSteps {
  const known = { ...SELECTION_FIELDS, ...fields }
  return (reader, scope) =>
    inOneStep(() => {
      const members = readMembers(reader, scope, known, 'the body')
      guard(members, scope)
      selectOwn(members, scope)
      return printMembers(members)
    })
}

/** Ids become a filter. Qdrant would take the ids and not look at a filter beside them. */
function selectOwn(members: Members, scope: Scope): void {
  const [ids, filter] = [given(members, 'points'), given(members, 'filter')]
  if (ids !== null && filter !== null) throw badRequest('Points are selected by ids or by a filter, not by both.')
  if (ids === null && filter === null) throw badRequest('Either point ids or a filter must be given.')
  members.delete('points')
  members.set('filter', scope.must(ids ?? filter))
}

/** The new members must not change the tenant field, wherever `key` puts them. */
function keepStamp(members: Members, scope: Scope): void {
  const stamp = stampOf(scope.tenant)
  const inner = innerStamp(stamp, given(members, 'key'))
  if (inner !== null) restamp(members, inner, 'leave')
}

/** The part of the stamp below a path; null when the path leads elsewhere. */
function innerStamp(stamp: Stamp, key: string | null): Stamp | null {
  if (key === null) return stamp
  const path = parsePayloadPath(readText(key, 'key'))
  const relation = relationTo(stamp.path, path)
  if (relation === 'within') throw tenantField('key')
  return relation === 'apart' ? null : { ...stamp, path: stamp.path.slice(path.length) }
}

/** Qdrant overwrites the whole payload, and does not look at `key`. */
function writeStamp(members: Members, scope: Scope): void {
  const stamp = stampOf(scope.tenant)
  if (innerStamp(stamp, given(members, 'key')) !== null && given(members, 'key') !== null) throw tenantField('key')
  restamp(members, stamp, 'write')
}

function restamp(members: Members, stamp: Stamp, whenAbsent: 'write' | 'leave'): void {
  const payload = members.get('payload')
  if (payload === undefined) throw badRequest('Missing field `payload`.')
  members.set('payload', stampPayload(new JsonReader(payload), stamp, whenAbsent, 'payload'))
}

function keepField(members: Members, scope: Scope): void {
  const { path } = stampOf(scope.tenant)
  const keys = new JsonReader(members.get('keys') ?? 'null')
  if (keys.kind !== 'array') throw badRequest('keys must be a list.')
  for (const _ of keys.elements()) {
    const key = parsePayloadPath(readText(keys.take(), 'keys'))
    if (relationTo(path, key) !== 'apart') throw tenantField('keys')
  }
}

function readText(raw: string, where: string): string {
  if (!raw.startsWith('"')) throw badRequest(`${where} must be a string.`)
  return JSON.parse(raw)
}
