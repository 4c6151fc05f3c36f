import { type Fields, keep, objectOf, type ReadValue, readString, withFields } from './fields.ts'
import { filter, searchParameters } from './filter.ts'
import { forbidden } from './refusals.ts'

export const shardKey = withFields(['target', 'fallback'], 'shard_key')
export const orderBy = withFields(['key', 'direction', 'start_from'], 'order_by')
const withPayload = withFields(['include', 'exclude'], 'with_payload')

/** What the answer shows of each point. Qdrant takes both names. */
export const SHOWN_FIELDS: Fields = { with_payload: withPayload, with_vector: keep, with_vectors: keep }

/** Fields of every search, in the newer and in the older routes. */
export const SEARCH_FIELDS: Fields = {
  ...SHOWN_FIELDS,
  filter,
  params: searchParameters,
  limit: keep,
  shard_key: shardKey,
}

/** `with_lookup` reads points of a collection by the values of the groups, without a filter. */
const withLookup: ReadValue = (reader, scope) => {
  if (reader.kind === 'null') return reader.take()
  if (scope.condition !== null) throw forbidden('with_lookup is not allowed in a shared collection.')
  if (reader.kind === 'object') return objectOf(LOOKUP_FIELDS, 'with_lookup')(reader, scope, 0)
  return collectionName(reader, scope, 0)
}

/** The name of a collection, which must be reached. */
export const collectionName: ReadValue = (reader, scope) => {
  const name = readString(reader, 'The name of a collection')
  scope.requireReach(name)
  return JSON.stringify(name)
}

const LOOKUP_FIELDS: Fields = { ...SHOWN_FIELDS, collection: collectionName }

/** Fields of a search whose points are put into groups. */
export const GROUP_FIELDS: Fields = { group_by: keep, group_size: keep, with_lookup: withLookup }
