import { badRequest } from '../../../core/errors.ts'
import { inOneStep, type Steps } from '../../../core/steps.ts'
import { JsonReader } from '../../../qdrant/json-reader.ts'
import { present } from '../../../qdrant/raw-json.ts'
import {
  type Fields,
  keep,
  type Members,
  printMembers,
  type ReadValue,
  readMembers,
  readString,
} from '../body/fields.ts'
import { readFilter } from '../body/filter.ts'
import { parsePayloadPath, relationTo } from '../body/payload-path.ts'
import { readPointIds } from '../body/point-id.ts'
import { hasId, type Scope } from '../body/scope.ts'
import { shardKey } from '../body/search-fields.ts'
import { type Stamp, stampAlone, stampPayload, tenantField } from '../body/stamp.ts'

/** The points that a write changes, by ids or by a filter. */
const SELECTION_FIELDS: Fields = { filter: reader => readFilter(reader) ?? 'null', shard_key: shardKey }

/** The ids as a condition. */
const points: ReadValue = function* read(reader) {
  return reader.kind === 'null' ? reader.take() : hasId(yield* readPointIds(reader))
}

export const deletePoints = change({})
export const deleteVectors = change({ vector: keep, vectors: keep })
export const setPayload = change({ payload: keep, key: keep }, keepStamp)
export const overwritePayload = change({ payload: keep, key: keep }, writeStamp)
export const deletePayload = change({ keys: keep }, keepField)

/** Clearing leaves the tenant field, so it is sent as an overwriting. */
export const clearPayload = change({}, (members, scope) =>
  inOneStep(() => void members.set('payload', stampAlone(scope.stamp))),
)

/** A write to points of the tenant among those that are selected. @param guard checks and changes what else the body holds */
function change(fields: Fields, guard?: (members: Members, scope: Scope) => Steps<void>): ReadValue {
  const known = { ...SELECTION_FIELDS, ...fields, points }
  return function* read(reader, scope) {
    const members = yield* readMembers(reader, scope, known, 'the body')
    if (guard !== undefined) yield* guard(members, scope)
    selectOwn(members, scope)
    return printMembers(members)
  }
}

/** Ids become a filter. Qdrant would take the ids and not look at a filter beside them. */
function selectOwn(members: Members, scope: Scope): void {
  const [ids, filter] = [present(members, 'points'), present(members, 'filter')]
  if (ids !== null && filter !== null) throw badRequest('Points are selected by ids or by a filter, not by both.')
  if (ids === null && filter === null) throw badRequest('Either point ids or a filter must be given.')
  members.delete('points')
  members.set('filter', scope.must(ids ?? filter))
}

/** The new members must not change the tenant field, wherever `key` puts them. */
function* keepStamp(members: Members, { stamp }: Scope): Steps<void> {
  const key = present(members, 'key')
  const inner = key === null ? stamp : stampBelow(stamp, key)
  if (inner !== null) yield* restamp(members, inner, 'leave')
}

/** Qdrant overwrites the whole payload, and does not look at `key`. */
function* writeStamp(members: Members, { stamp }: Scope): Steps<void> {
  const key = present(members, 'key')
  if (key !== null && stampBelow(stamp, key) !== null) throw tenantField('key')
  yield* restamp(members, stamp, 'write')
}

/** The part of the tenant field below a path; null when the path leads elsewhere. @throws StowageError when it leads into the field */
function stampBelow(stamp: Stamp, key: string): Stamp | null {
  const path = parsePayloadPath(readString(new JsonReader(key), 'key'))
  const relation = relationTo(stamp.path, path)
  if (relation === 'within') throw tenantField('key')
  return relation === 'apart' ? null : { ...stamp, path: stamp.path.slice(path.length) }
}

function* restamp(members: Members, stamp: Stamp, whenAbsent: 'write' | 'leave'): Steps<void> {
  const payload = members.get('payload')
  if (payload === undefined) throw badRequest('Missing field `payload`.')
  members.set('payload', yield* stampPayload(new JsonReader(payload), stamp, whenAbsent, 'payload'))
}

function* keepField(members: Members, { stamp }: Scope): Steps<void> {
  const keys = new JsonReader(members.get('keys') ?? 'null')
  if (keys.kind !== 'array') throw badRequest('keys must be a list.')
  for (const _ of keys.elements()) {
    const key = parsePayloadPath(readString(keys, 'keys'))
    if (relationTo(stamp.path, key) !== 'apart') throw tenantField('keys')
    if (keys.isPauseDue()) yield
  }
}
