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
  withFields,
} from '../body/fields.ts'
import { addFilter, filter, searchParameters } from '../body/filter.ts'
import type { Scope } from '../body/scope.ts'
import { GROUP_FIELDS, SEARCH_FIELDS, shardKey } from '../body/search-fields.ts'
import { contextPairs, lookupFrom, query, vectorOrId, vectorsOrIds } from '../body/vectors.ts'
import type { Guard } from '../routes/route.ts'
import { guardBody } from './guarding.ts'

const QUERY_ONLY_FIELDS: Fields = {
  // Prefetches hold prefetches, so this is looked up late.
  prefetch: (reader, scope) => prefetches(reader, scope, 0),
  query,
  using: keep,
  lookup_from: lookupFrom,
}
const prefetches = oneOrMany(
  search({ ...QUERY_ONLY_FIELDS, filter, params: searchParameters, score_threshold: keep, limit: keep }, 'prefetch'),
  'prefetch',
)
const QUERY_FIELDS: Fields = { ...SEARCH_FIELDS, ...QUERY_ONLY_FIELDS, score_threshold: keep }

const VECTOR_FIELDS: Fields = {
  ...SEARCH_FIELDS,
  vector: withFields(['name', 'vector'], 'vector'),
  score_threshold: keep,
}
const RECOMMEND_FIELDS: Fields = {
  ...SEARCH_FIELDS,
  positive: vectorsOrIds,
  negative: vectorsOrIds,
  strategy: keep,
  using: keep,
  lookup_from: lookupFrom,
  score_threshold: keep,
}
const DISCOVER_FIELDS: Fields = {
  ...SEARCH_FIELDS,
  target: vectorOrId,
  context: contextPairs,
  using: keep,
  lookup_from: lookupFrom,
}

const PAGE_FIELDS: Fields = { offset: keep }
/** Qdrant takes `top` for `limit` in the searches before `points/query`. */
const OLDER_PAGE_FIELDS: Fields = { ...PAGE_FIELDS, top: keep }

export const guardQuery = single({ ...QUERY_FIELDS, ...PAGE_FIELDS })
export const guardQueryBatch = batch({ ...QUERY_FIELDS, ...PAGE_FIELDS })
export const guardQueryGroups = single({ ...QUERY_FIELDS, ...GROUP_FIELDS })
export const guardSearch = single({ ...VECTOR_FIELDS, ...OLDER_PAGE_FIELDS })
export const guardSearchBatch = batch({ ...VECTOR_FIELDS, ...OLDER_PAGE_FIELDS })
export const guardSearchGroups = single({ ...VECTOR_FIELDS, ...GROUP_FIELDS })
export const guardRecommend = single({ ...RECOMMEND_FIELDS, ...OLDER_PAGE_FIELDS })
export const guardRecommendBatch = batch({ ...RECOMMEND_FIELDS, ...OLDER_PAGE_FIELDS })
export const guardRecommendGroups = single({ ...RECOMMEND_FIELDS, ...GROUP_FIELDS })
export const guardDiscover = single({ ...DISCOVER_FIELDS, ...OLDER_PAGE_FIELDS })
export const guardDiscoverBatch = batch({ ...DISCOVER_FIELDS, ...OLDER_PAGE_FIELDS })
export const guardMatrix = single({ filter, shard_key: shardKey, sample: keep, limit: keep, using: keep })

function single(fields: Fields): Guard {
  return guardBody(search(fields, 'the body'))
}

function batch(fields: Fields): Guard {
  return guardBody(objectOf({ searches: listOf(search(fields, 'a search'), 'searches') }, 'the body'))
}

/** An object with a filter, and ids that are looked up in one collection. */
function search(fields: Fields, where: string): ReadValue {
  function* read(reader: JsonReader, scope: Scope): Steps<string> {
    const members = yield* readMembers(reader, scope, fields, where)
    addFilter(members, scope)
    return printMembers(members)
  }
  return (reader, scope) => scope.search(read(reader, scope))
}
