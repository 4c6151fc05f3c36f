import { badRequest } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import {
  type Fields,
  keep,
  listOf,
  objectOf,
  oneOrMany,
  printMembers,
  type ReadValue,
  readMembers,
  readString,
  withFields,
} from './fields.ts'
import { readPointId } from './point-id.ts'
import type { Scope } from './scope.ts'
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

const readVector = objectOf(VECTOR_FIELDS, 'a vector')

/** A vector, or the id of a point whose vector is used. */
export const vectorOrId: ReadValue = (reader, scope) => {
  switch (reader.kind) {
    case 'object':
      return readVector(reader, scope, 0)
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

export const vectorsOrIds = listOf(vectorOrId, 'examples')

const PAIR_FIELDS: Fields = { positive: vectorOrId, negative: vectorOrId }

export const contextPairs = oneOrMany(objectOf(PAIR_FIELDS, 'a context pair'), 'context')

const FEEDBACK_FIELDS: Fields = {
  target: vectorOrId,
  feedback: listOf(objectOf({ example: vectorOrId, score: keep }, 'feedback'), 'feedback'),
  strategy: objectOf({ naive: withFields(['a', 'b', 'c'], 'strategy.naive') }, 'strategy'),
}

/** The kinds of query; each is named by one field. */
const QUERY_KINDS: Fields = {
  nearest: vectorOrId,
  recommend: objectOf({ positive: vectorsOrIds, negative: vectorsOrIds, strategy: keep }, 'recommend'),
  discover: objectOf({ target: vectorOrId, context: contextPairs }, 'discover'),
  context: contextPairs,
  order_by: orderBy,
  fusion: keep,
  rrf: withFields(['k', 'weights'], 'rrf'),
  formula: keep,
  sample: keep,
  relevance_feedback: objectOf(FEEDBACK_FIELDS, 'relevance_feedback'),
}

const QUERY_FIELDS: Fields = {
  ...QUERY_KINDS,
  ...VECTOR_FIELDS,
  mmr: withFields(['diversity', 'candidates_limit'], 'mmr'),
  defaults: keep,
}

/** `query` of a search in all its forms. */
export const query: ReadValue = (reader, scope) =>
  reader.kind === 'object' ? readQuery(reader, scope) : vectorOrId(reader, scope, 0)

function* readQuery(reader: JsonReader, scope: Scope): Steps<string> {
  const members = yield* readMembers(reader, scope, QUERY_FIELDS, 'query')
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

const readLookup = objectOf(LOOKUP_FIELDS, 'lookup_from')

/** The collection that the ids of a search are looked up in. */
export const lookupFrom: ReadValue = (reader, scope) =>
  reader.kind === 'null' ? reader.take() : readLookup(reader, scope, 0)
