import {
  type Fields,
  keep,
  listOf,
  oneOrMany,
  printMembers,
  type ReadValue,
  readMembers,
  readString,
  withFields,
} from './fields.ts'
import { readPointId } from './point-id.ts'
import { badRequest } from './refusals.ts'
import { orderBy, shardKey } from './search-fields.ts'

/** Fields of a sparse vector, and of the text, image or object that Qdrant turns into a vector. */
const VECTOR_FIELDS: Fields = {
  indices: keep,
  values: keep,
  text: keep,
  image: keep,
  object: keep,
  model: keep,
  options: keep,
}

/** A vector, or the id of a point whose vector is used. */
export const vectorOrId: ReadValue = (reader, scope) => {
  switch (reader.kind) {
    case 'object':
      return printMembers(readMembers(reader, scope, VECTOR_FIELDS, 'a vector'))
    case 'number':
    case 'string': {
      const raw = reader.take()
      scope.useVector(readPointId(raw))
      return raw
    }
    case 'boolean':
      throw badRequest('A vector must be a list, an object or a point id.')
    default:
      return reader.take()
  }
}

const object =
  (fields: Fields, where: string): ReadValue =>
  (reader, scope) =>
    printMembers(readMembers(reader, scope, fields, where))

export const vectorsOrIds = listOf(vectorOrId, 'examples')

const PAIR_FIELDS: Fields = { positive: vectorOrId, negative: vectorOrId }

/** Pairs of examples. */
export const contextPairs = oneOrMany(object(PAIR_FIELDS, 'a context pair'), 'context')

const FEEDBACK_FIELDS: Fields = {
  target: vectorOrId,
  feedback: listOf(object({ example: vectorOrId, score: keep }, 'feedback'), 'feedback'),
  strategy: object({ naive: withFields(['a', 'b', 'c'], 'strategy.naive') }, 'strategy'),
}

/** The kinds of query; each is named by one field. */
const QUERY_KINDS: Fields = {
  nearest: vectorOrId,
  recommend: object({ positive: vectorsOrIds, negative: vectorsOrIds, strategy: keep }, 'recommend'),
  discover: object({ target: vectorOrId, context: contextPairs }, 'discover'),
  context: contextPairs,
  order_by: orderBy,
  fusion: keep,
  rrf: withFields(['k', 'weights'], 'rrf'),
  formula: keep,
  sample: keep,
  relevance_feedback: object(FEEDBACK_FIELDS, 'relevance_feedback'),
}

const QUERY_FIELDS: Fields = {
  ...QUERY_KINDS,
  ...VECTOR_FIELDS,
  mmr: withFields(['diversity', 'candidates_limit'], 'mmr'),
  defaults: keep,
}

/** `query` of a search in all its forms. */
export const query: ReadValue = (reader, scope) => {
  if (reader.kind !== 'object') return vectorOrId(reader, scope)
  const members = readMembers(reader, scope, QUERY_FIELDS, 'query')
  const kinds = [...members.keys()].filter(key => Object.hasOwn(QUERY_KINDS, key))
  if (kinds.length > 1) throw badRequest(`A query cannot be ${kinds.join(' and ')} at once.`)
  return printMembers(members)
}

const LOOKUP_FIELDS: Fields = {
  collection: (reader, scope) => {
    const name = readString(reader, 'lookup_from.collection')
    scope.lookUpIn(name)
    return JSON.stringify(name)
  },
  vector: keep,
  shard_key: shardKey,
}

/** The collection that the ids of a search are looked up in. */
export const lookupFrom: ReadValue = (reader, scope) =>
  reader.kind === 'null' ? reader.take() : object(LOOKUP_FIELDS, 'lookup_from')(reader, scope)
