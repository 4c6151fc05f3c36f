import { inOneStep } from '../../../core/steps.ts'
import {
  type Fields,
  keep,
  longListOf,
  oneOrMany,
  printMembers,
  type ReadValue,
  readLongMembers,
  readMembers,
  withFields,
} from '../body/fields.ts'
import { addFilter, filter, searchParameters } from '../body/filter.ts'
import { GROUP_FIELDS, SEARCH_FIELDS, shardKey } from '../body/search-fields.ts'
import { contextPairs, lookupFrom, query, vectorOrId, vectorsOrIds } from '../body/vectors.ts'
import type { Guard } from '../routes/route.ts'
import { guardBody, guardBodyInSteps } from './guarding.ts'

const QUERY_ONLY_FIELDS: Fields = {
  // Prefetches hold prefetches, so this is looked up late.
  prefetch: (reader, scope) => prefetches(reader, scope),
  query,
  using: keep,
  lookup_from: lookupFrom,
}
const prefetches = oneOrMany(
  search({ ...QUERY_ONLY_FIELDS, filter, params: searchParameters, score_threshold: keep, limit: keep }, 'prefetch'),
  'prefetch',
)
const QUERY_FIELDS: Fields = { ...SEARCH_FIELDS, ...QUERY_ONLY_FIELDS }

/** Fields of the searches before `points/query`. Qdrant takes `top` for `limit`. */
const OLDER_FIELDS: Fields = { ...SEARCH_FIELDS, top: keep }
const VECTOR_FIELDS: Fields = { ...OLDER_FIELDS, vector: withFields(['name', 'vector'], 'vector') }
const RECOMMEND_FIELDS: Fields = {
  ...OLDER_FIELDS,
  positive: vectorsOrIds,
  negative: vectorsOrIds,
  strategy: keep,
  using: keep,
  lookup_from: lookupFrom,
}
const DISCOVER_FIELDS: Fields = {
  ...OLDER_FIELDS,
  target: vectorOrId,
  context: contextPairs,
  using: keep,
  lookup_from: lookupFrom,
}

export const guardQuery = single(QUERY_FIELDS)
export const guardQueryBatch = batch(QUERY_FIELDS)
export const guardQueryGroups = single({ ...QUERY_FIELDS, ...GROUP_FIELDS })
export const guardSearch = single(VECTOR_FIELDS)
export const guardSearchBatch = batch(VECTOR_FIELDS)
export const guardSearchGroups = single({ ...VECTOR_FIELDS, ...GROUP_FIELDS })
export const guardRecommend = single(RECOMMEND_FIELDS)
export const guardRecommendBatch = batch(RECOMMEND_FIELDS)
export const guardRecommendGroups = single({ ...RECOMMEND_FIELDS, ...GROUP_FIELDS })
export const guardDiscover = single(DISCOVER_FIELDS)
export const guardDiscoverBatch = batch(DISCOVER_FIELDS)
export const guardMatrix = single({ filter, shard_key: shardKey, sample: keep, limit: keep, using: keep })

function single(fields: Fields): Guard {
  return guardBody(search(fields, 'the body'))
}

function batch(fields: Fields): Guard {
  const read = search(fields, 'a search')
  const searches = longListOf((reader, scope) => inOneStep(() => read(reader, scope)), 'searches')
  return guardBodyInSteps(function* readBatch(reader, scope) {
    return printMembers(yield* readLongMembers(reader, scope, {}, { searches }, 'the body'))
  })
}

/** An object with a filter, and ids that are looked up in one collection. */
function search(fields: Fields, where: string): ReadValue {
  return (reader, scope) =>
    scope.search(() => {
      const members = readMembers(reader, scope, fields, where)
      addFilter(members, scope)
      return printMembers(members)
    })
}
