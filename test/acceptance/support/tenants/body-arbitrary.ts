import fc from 'fast-check'
import { filter, id, ids } from './filter-arbitrary.ts'
import { PRIVATE, SHARED } from './world.ts'

type Json = unknown

const optional = <T extends Record<string, fc.Arbitrary<Json>>>(fields: T, requiredKeys: (keyof T & string)[] = []) =>
  fc.record(fields as Record<string, fc.Arbitrary<Json>>, { requiredKeys })

/** Usual values most of the time. */
const mostly = (usual: Json[], odd: Json[]) =>
  fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...odd))

const dense = mostly(
  [
    [1, 0, 2, 1],
    [2.5, 1, 1, 1],
    [7131.5, 0, 0, 1],
  ],
  [[1, 2], []],
)
const sparse = fc.constantFrom<Json>({ indices: [1, 5], values: [1, 1] }, { indices: [20], values: [1] })
const input = fc.oneof(
  { weight: 3, arbitrary: id },
  { weight: 3, arbitrary: dense },
  sparse,
  fc.constant({ text: 'x', model: 'm' }),
)
const inputs = fc.oneof(fc.array(input, { maxLength: 3 }), input)
const pair = fc.record({ positive: input, negative: input })

const limit = mostly([1, 2, 5, 10, 100], [0, -1, '5', null])
const selector = mostly(
  [true, true, false, ['text'], { include: ['tenant', 'nested'] }, { exclude: ['tenant'] }],
  [7, null],
)
const collectionName = fc.constantFrom(...SHARED, 'current', PRIVATE, 'bravo-alias', 'nowhere')
const lookupFrom = optional({ collection: collectionName, vector: fc.constantFrom('', 'words') }, ['collection'])
const params = optional({
  exact: fc.boolean(),
  hnsw_ef: fc.constant(64),
  idf: fc.oneof(fc.constant('global'), fc.record({ corpus: filter })),
})
const threshold = fc.constantFrom<Json>(0, 10, -1)

const common = {
  filter,
  limit,
  with_payload: selector,
  with_vector: fc.constantFrom<Json>(true, true, false, ['words']),
}

const query = fc.oneof(
  { weight: 4, arbitrary: input },
  { weight: 3, arbitrary: fc.record({ nearest: input }) },
  fc.record({ nearest: input, mmr: fc.constantFrom({}, { diversity: 0.4, candidates_limit: 20 }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      recommend: optional(
        { positive: inputs, negative: inputs, strategy: fc.constantFrom('average_vector', 'best_score') },
        ['positive'],
      ),
    }),
  },
  fc.record({ discover: fc.record({ target: input, context: fc.array(pair, { maxLength: 2 }) }) }),
  fc.record({ context: fc.array(pair, { maxLength: 2 }) }),
  fc.record({
    relevance_feedback: fc.record({
      target: input,
      feedback: fc.array(fc.record({ example: input, score: fc.constant(1) }), { maxLength: 2 }),
    }),
  }),
  fc.record({ order_by: fc.constantFrom<Json>('n', { key: 'n', direction: 'desc' }) }),
  { weight: 2, arbitrary: fc.constantFrom<Json>({ fusion: 'rrf' }, { fusion: 'dbsf' }, { rrf: { k: 3 } }) },
  fc.constantFrom<Json>(
    { sample: 'random' },
    { formula: { sum: ['$score', { key: 'tenant', match: { value: 'bravo' } }] } },
    { formula: '$score', defaults: {} },
  ),
)

const using = fc.constantFrom('', 'words', 'none')

export const { search } = fc.letrec<{ search: Json; prefetch: Json }>(tie => ({
  prefetch: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'prefetch' },
    fc.constantFrom<Json>([], {}, null),
    fc.array(tie('search'), { minLength: 1, maxLength: 2 }),
    tie('search'),
  ),
  search: fc.oneof(
    {
      weight: 5,
      arbitrary: optional({
        query: query as fc.Arbitrary<Json>,
        filter,
        limit,
        with_payload: selector,
        with_vector: common.with_vector,
      }),
    },
    {
      weight: 3,
      arbitrary: optional(
        { query: fc.constantFrom<Json>({ fusion: 'rrf' }, [1, 0, 2, 1]), prefetch: tie('prefetch'), ...common },
        ['query', 'prefetch'],
      ),
    },
    {
      weight: 2,
      arbitrary: optional({
        query: query as fc.Arbitrary<Json>,
        prefetch: tie('prefetch'),
        using,
        params,
        score_threshold: threshold,
        offset: fc.constantFrom(0, 1),
        lookup_from: lookupFrom,
        shard_key: fc.constant('k'),
        ...common,
      }),
    },
  ),
}))

const withMembers = (body: fc.Arbitrary<Json>, more: fc.Arbitrary<Json>) =>
  fc.tuple(body, more).map(([one, other]) => ({ ...(one as object), ...(other as object) }))
const groups = optional(
  {
    group_by: fc.constantFrom('group', 'color', 'tenant', 'n', 'nested.tenant'),
    group_size: fc.constantFrom(1, 3, 100),
    with_lookup: fc.oneof(collectionName, fc.record({ collection: collectionName, with_payload: fc.constant(true) })),
  },
  ['group_by'],
)
const fewGroups = optional(
  { group_by: fc.constantFrom('group', 'color', 'tenant'), group_size: fc.constantFrom(1, 3, 100) },
  ['group_by', 'group_size'],
)
const grouped = (body: fc.Arbitrary<Json>) =>
  withMembers(body, fc.oneof({ weight: 4, arbitrary: fewGroups as fc.Arbitrary<Json> }, groups as fc.Arbitrary<Json>))
const batch = (body: fc.Arbitrary<Json>) => fc.record({ searches: fc.array(body, { maxLength: 3 }) })

const legacySearch = optional(
  {
    vector: fc.oneof(dense, fc.record({ name: using, vector: fc.oneof(dense, sparse) })),
    params,
    score_threshold: threshold,
    offset: fc.constantFrom(0, 1),
    ...common,
  },
  ['vector', 'limit'],
)
const legacyRecommend = optional(
  {
    positive: inputs,
    negative: inputs,
    strategy: fc.constantFrom('average_vector', 'best_score'),
    using,
    lookup_from: lookupFrom,
    ...common,
  },
  ['positive', 'limit'],
)
const legacyDiscover = optional(
  { target: input, context: fc.array(pair, { maxLength: 2 }), using, lookup_from: lookupFrom, ...common },
  ['limit'],
)
const matrix = optional({ filter, sample: fc.constant(10), limit: fc.constantFrom(3, 10), using })

const orderBy = fc.constantFrom<Json>('n', { key: 'n', direction: 'desc' }, 'text')
const scroll = optional({ ...common, offset: fc.oneof(id, fc.constant(null)), order_by: orderBy })
const simpleScroll = optional(common)
const count = optional({ filter, exact: fc.boolean() })
const facet = optional(
  {
    key: fc.constantFrom('tenant', 'color', 'n', 'nested.tenant', 'tags'),
    filter,
    limit: fc.constantFrom(1, 10, 100),
    exact: fc.boolean(),
  },
  ['key'],
)
const retrieve = optional({ ids, with_payload: selector, with_vector: common.with_vector }, ['ids'])

const payload = fc.constantFrom<Json>(
  {},
  { text: 'acme-new' },
  { tenant: 'acme' },
  { tenant: 'bravo' },
  { nested: { tenant: 'bravo' } },
  { tenant: null },
  { tenant: ['acme', 'bravo'] },
  { 'tenant.x': 1 },
  { tenant: { x: 1 } },
)
const vector = fc.constantFrom<Json>(
  [1, 1, 1, 1],
  { '': [3, 1, 1, 1], words: { indices: [3], values: [1] } },
  { words: { indices: [3], values: [1] } },
  [1, 2],
)
const newPoint = optional(
  { id: fc.oneof({ weight: 2, arbitrary: fc.constantFrom<Json>(1, 2, 500, 501) }, id), payload, vector },
  ['id', 'vector'],
)
const columns = fc.record({
  ids: fc.tuple(id, id),
  payloads: fc.tuple(payload, payload),
  vectors: fc.tuple(dense, dense),
})
const updateFilter = fc.oneof({ weight: 3, arbitrary: fc.constant<Json>(undefined) }, filter as fc.Arbitrary<Json>)
const upsert = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ points: fc.array(newPoint, { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<Json>,
  },
  fc.record({
    points: fc.array(newPoint, { maxLength: 2 }),
    update_filter: updateFilter,
    update_mode: fc.constantFrom('upsert', 'insert_only', 'update_only'),
  }),
  fc.record({ batch: columns }),
)
const selected = fc.oneof(
  fc.record({ points: ids }),
  fc.record({ filter }),
  fc.record({ points: ids, filter }),
) as fc.Arbitrary<Json>
const path = fc.constantFrom(
  'tenant',
  '"tenant"',
  'nested',
  'nested.tenant',
  'tenant.x',
  'text',
  'tenant[]',
  'n',
  'items[0].k',
  '"',
)
const setPayload = withMembers(selected, optional({ payload, key: path }, ['payload']))
const plainSetPayload = withMembers(
  selected,
  fc.record({ payload: fc.constantFrom({ text: 'acme-new' }, { tenant: 'acme', extra: 1 }) }),
)
const payloads = fc.oneof(plainSetPayload, setPayload)
const deletePayload = withMembers(selected, fc.record({ keys: fc.array(path, { maxLength: 3 }) }))
const updateVectors = fc.record({ points: fc.array(fc.record({ id, vector }), { minLength: 1, maxLength: 2 }) })
const deleteVectors = withMembers(selected, fc.record({ vector: fc.constantFrom<Json>([''], ['words'], []) }))

const operation = fc.oneof(
  ...Object.entries({
    upsert,
    delete: selected,
    set_payload: payloads,
    overwrite_payload: payloads,
    delete_payload: deletePayload,
    clear_payload: selected,
    update_vectors: updateVectors,
    delete_vectors: deleteVectors,
    create_index: fc.constant({ field_name: 'x', field_schema: 'keyword' }),
  }).map(([kind, body]) => fc.record({ [kind]: body as fc.Arbitrary<Json> })),
)

const aliasActions = fc.constantFrom<Json>(
  { actions: [{ create_alias: { alias_name: 'current', collection_name: PRIVATE } }] },
  { actions: [{ delete_alias: { alias_name: 'bravo-alias' } }] },
  { actions: [{ rename_alias: { old_alias_name: 'bravo-alias', new_alias_name: 'current' } }] },
)

/** Bodies by operation; operations that are absent get anything. */
export const BODIES: { readonly [operation: string]: fc.Arbitrary<Json> } = {
  query_points: search,
  query_batch_points: batch(search),
  query_points_groups: grouped(search),
  search_points: legacySearch,
  search_batch_points: batch(legacySearch),
  search_point_groups: grouped(legacySearch),
  recommend_points: legacyRecommend,
  recommend_batch_points: batch(legacyRecommend),
  recommend_point_groups: grouped(legacyRecommend),
  discover_points: legacyDiscover,
  discover_batch_points: batch(legacyDiscover),
  search_matrix_pairs: matrix,
  search_matrix_offsets: matrix,
  scroll_points: fc.oneof(simpleScroll, scroll),
  count_points: count,
  facet,
  get_points: retrieve,
  upsert_points: upsert,
  delete_points: selected,
  set_payload: payloads,
  overwrite_payload: payloads,
  delete_payload: deletePayload,
  clear_payload: selected,
  update_vectors: updateVectors,
  delete_vectors: deleteVectors,
  batch_update: fc.record({ operations: fc.array(operation, { maxLength: 3 }) }),
  update_aliases: aliasActions,
  create_collection: fc.constantFrom<Json>(
    { vectors: { size: 4, distance: 'Dot' } },
    { init_from: { collection: PRIVATE } },
  ),
  update_collection: fc.constantFrom<Json>({ hnsw_config: { m: 8 } }, { optimizers_config: { indexing_threshold: 1 } }),
  create_field_index: fc.constant({ field_name: 'x', field_schema: 'keyword' }),
}

/** For operations without a body of their own. */
export const ANY_BODY = fc.oneof(
  fc.constant<Json>(undefined),
  fc.constant<Json>({}),
  search,
  fc.record({ location: fc.constant('file:///x') }),
)
