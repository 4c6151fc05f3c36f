import { describe, expect, it } from 'vitest'
import { ALLOWABLE_OPERATIONS } from '../../../src/tenants/guard/routes/table.ts'
import { guardOne, refusalOf } from './support/guard-one.ts'
import { clientFields } from './support/known-routes.ts'
import { owningTenant, sharingTenant } from './support/tenants.ts'

/** An object in a body: the operation, the schemas of Qdrant's client for it, the body around it, and fields that only Qdrant's source has. */
type Place = readonly [operation: string, schemas: string[], around: (inner: object) => object, sourceOnly?: string[]]

const root = (inner: object) => inner
const inSearches = (inner: object) => ({ searches: [inner] })
const inOperation = (name: string) => (inner: object) => ({ operations: [{ [name]: inner }] })
const SHOWN = ['with_vectors']
const OLDER = ['with_vectors', 'top']

const PLACES: readonly Place[] = [
  ['query_points', ['QueryRequest'], root, SHOWN],
  ['query_batch_points', ['QueryRequestBatch'], root],
  ['query_batch_points', ['QueryRequest'], inSearches, SHOWN],
  ['query_points_groups', ['QueryGroupsRequest'], root, SHOWN],
  ['query_points', ['Prefetch'], inner => ({ prefetch: inner })],
  ['query_points', ['Prefetch'], inner => ({ prefetch: [{ prefetch: [inner] }] })],
  ['query_points', ['Query', 'SparseVector', 'Document', 'Image', 'InferenceObject'], inner => ({ query: inner })],
  ['query_points', ['SparseVector', 'Document', 'Image', 'InferenceObject'], inner => ({ query: { nearest: inner } })],
  ['query_points', ['Mmr'], inner => ({ query: { nearest: 7, mmr: inner } })],
  ['query_points', ['RecommendInput'], inner => ({ query: { recommend: inner } })],
  ['query_points', ['DiscoverInput'], inner => ({ query: { discover: inner } })],
  ['query_points', ['ContextPair'], inner => ({ query: { context: inner } })],
  ['query_points', ['ContextPair'], inner => ({ query: { discover: { context: [inner] } } })],
  ['query_points', ['OrderBy'], inner => ({ query: { order_by: inner } })],
  ['query_points', ['Rrf'], inner => ({ query: { rrf: inner } })],
  ['query_points', ['RelevanceFeedbackInput'], inner => ({ query: { relevance_feedback: inner } })],
  ['query_points', ['FeedbackItem'], inner => ({ query: { relevance_feedback: { feedback: [inner] } } })],
  ['query_points', ['SearchParams'], inner => ({ params: inner }), ['idf']],
  ['query_points', ['QuantizationSearchParams'], inner => ({ params: { quantization: inner } })],
  ['query_points', ['AcornSearchParams'], inner => ({ params: { acorn: inner } })],
  ['query_points', ['LookupLocation'], inner => ({ lookup_from: { collection: 'shared', ...inner } })],
  ['query_points', ['Filter'], inner => ({ filter: inner })],
  ['query_points', ['PayloadSelectorInclude', 'PayloadSelectorExclude'], inner => ({ with_payload: inner })],
  ['query_points', ['ShardKeyWithFallback'], inner => ({ shard_key: inner })],
  ['search_points', ['SearchRequest'], root, OLDER],
  ['search_batch_points', ['SearchRequest'], inSearches, OLDER],
  ['search_point_groups', ['SearchGroupsRequest'], root, SHOWN],
  ['search_points', ['NamedVector'], inner => ({ vector: inner })],
  ['recommend_points', ['RecommendRequest'], root, OLDER],
  ['recommend_batch_points', ['RecommendRequest'], inSearches, OLDER],
  ['recommend_point_groups', ['RecommendGroupsRequest'], root, SHOWN],
  ['discover_points', ['DiscoverRequest'], root, OLDER],
  ['discover_batch_points', ['DiscoverRequest'], inSearches, OLDER],
  ['discover_points', ['ContextExamplePair'], inner => ({ context: [inner] })],
  ['search_matrix_pairs', ['SearchMatrixRequest'], root],
  ['search_matrix_offsets', ['SearchMatrixRequest'], root],
  ['scroll_points', ['ScrollRequest'], root, SHOWN],
  ['count_points', ['CountRequest'], root],
  ['facet', ['FacetRequest'], root],
  ['get_points', ['PointRequest'], root, SHOWN],
  ['upsert_points', ['PointsList', 'PointsBatch'], root],
  ['upsert_points', ['PointStruct'], inner => ({ points: [inner] }), ['vectors']],
  ['upsert_points', ['Batch'], inner => ({ batch: inner })],
  ['delete_points', ['PointIdsList', 'FilterSelector'], root],
  ['set_payload', ['SetPayload'], root],
  ['overwrite_payload', ['SetPayload'], root],
  ['delete_payload', ['DeletePayload'], root],
  ['clear_payload', ['PointIdsList', 'FilterSelector'], root],
  ['update_vectors', ['UpdateVectors'], root],
  ['update_vectors', ['PointVectors'], inner => ({ points: [inner] }), ['vectors']],
  ['delete_vectors', ['DeleteVectors'], root, ['vectors']],
  ['batch_update', ['UpdateOperations'], root],
  ['batch_update', ['UpdateOperation'], inner => ({ operations: [inner] })],
  ['batch_update', ['SetPayload'], inOperation('set_payload')],
  ['batch_update', ['PointIdsList', 'FilterSelector'], inOperation('delete')],
  ['create_collection', ['CreateCollection'], root],
  ['update_aliases', ['ChangeAliasesOperation'], root],
  ['update_aliases', ['AliasOperations'], inner => ({ actions: [inner] })],
  ['update_aliases', ['CreateAlias'], inner => ({ actions: [{ create_alias: inner }] })],
  ['update_aliases', ['DeleteAlias'], inner => ({ actions: [{ delete_alias: inner }] })],
  ['update_aliases', ['RenameAlias'], inner => ({ actions: [{ rename_alias: inner }] })],
]

const everyField = [...new Set(PLACES.flatMap(([, schemas]) => schemas.flatMap(clientFields)))]
const everything = new Set(ALLOWABLE_OPERATIONS.keys())
const tenants = {
  shared: sharingTenant({ allowedOperations: everything }),
  own: owningTenant({ allowedOperations: everything }),
}

describe('the fields of a body', () => {
  it.each(
    PLACES.map((place, index) => [place[0], place[1].join(' or '), String(place[2]({ '…': 0 })), index] as const),
  )('of %s, %s (%j), are those of the client and no other', (_operation, _schemas, _around, index) => {
    const [operation, schemas, around, sourceOnly = []] = PLACES[index] as Place
    const isUnknown = (field: string) => {
      const collection = operation === 'update_aliases' ? 'own' : 'shared'
      const refusal = refusalOf(() => guardOne(operation, around({ [field]: null }), tenants[collection], collection))
      return refusal?.includes(`Unknown field "${field}"`) ?? false
    }
    const known = [...new Set([...schemas.flatMap(clientFields), ...sourceOnly])]
    expect(known.filter(isUnknown)).toEqual([])
    expect(everyField.filter(field => !known.includes(field) && !isUnknown(field))).toEqual([])
  })
})
