import fc from 'fast-check'
import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/**
 * Random bodies of each operation, with numbers in any spelling. Ids whose vectors are used are told by their range: from 1000
 * in the collection of the request, from 2000 in the one of `lookup_from`. No other number of a body is in these ranges.
 */

export type Json = null | boolean | string | LosslessNumber | Json[] | { [key: string]: Json }

export const OWN_IDS = [1000, 1999] as const
export const LOOKUP_IDS = [2000, 2999] as const
export const LOOKUP_COLLECTION = 'shared-lookup'

const number = (text: string) => new LosslessNumber(text)
const spelled = fc.constantFrom('0', '1', '5.0', '-0.5', '1e2', '2.50E-3', '0.10', '12.000').map(number)
const count = fc.integer({ min: 1, max: 50 }).map(value => number(String(value)))
const smallId = fc.oneof(
  fc.integer({ min: 0, max: 99 }).map(value => number(String(value))),
  fc.constantFrom('18446744073709551615', '9007199254740993').map(number),
  fc.uuid(),
)
const word = fc.constantFrom('a', 'dense', 'tenant', 'filter', 'must', 'prefetch', 'points', 'é "quoted"', '\u{1f600}')
const idIn = ([min, max]: readonly [number, number]) => fc.integer({ min, max }).map(value => number(String(value)))

/** An object with some of the fields. */
function some(
  fields: Record<string, fc.Arbitrary<Json>>,
  required: readonly string[] = [],
): fc.Arbitrary<{ [key: string]: Json }> {
  return fc.record(fields, { requiredKeys: [...required] }) as fc.Arbitrary<{ [key: string]: Json }>
}

const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    word,
    spelled,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  ),
})).value

const condition: fc.Arbitrary<Json> = fc.letrec<{ condition: Json; filter: Json }>(tie => ({
  condition: fc.oneof(
    { depthSize: 'small' },
    some({ key: word, match: some({ value: word }, ['value']) }, ['key', 'match']),
    some({ key: fc.constant('tenant'), match: fc.constant({ value: 'acme' }) }, ['key', 'match']),
    some({ key: word, range: some({ gte: spelled, lt: spelled }) }, ['key', 'range']),
    some({ has_id: fc.array(smallId, { maxLength: 3 }) }, ['has_id']),
    some({ nested: some({ key: word, filter: tie('filter') }, ['key', 'filter']) }, ['nested']),
    tie('filter'),
  ),
  filter: some({
    must: fc.oneof(tie('condition'), fc.array(tie('condition'), { maxLength: 2 }), fc.constant(null)),
    should: fc.oneof(tie('condition'), fc.array(tie('condition'), { maxLength: 2 })),
    must_not: fc.oneof(tie('condition'), fc.array(tie('condition'), { maxLength: 2 })),
    min_should: some({ conditions: fc.array(tie('condition'), { maxLength: 2 }), min_count: count }, [
      'conditions',
      'min_count',
    ]),
  }),
})).filter

export const filter: fc.Arbitrary<Json> = fc.oneof(condition, fc.constant(null), fc.constant({}))

const dense = fc.array(spelled, { minLength: 1, maxLength: 3 })
const sparse = some(
  { indices: fc.constant([number('1'), number('7')]), values: fc.constant([number('1.0'), number('.5e0'.slice(1))]) },
  ['indices', 'values'],
)
const inferred = fc.oneof(
  some({ text: word, model: word, options: anyJson }, ['text', 'model']),
  some({ image: word, model: word }, ['image', 'model']),
  some({ object: anyJson, model: word }, ['object', 'model']),
)
const vector = (ids: readonly [number, number]) =>
  fc.oneof(idIn(ids), dense, fc.array(dense, { maxLength: 2 }), sparse, inferred)
const pair = (ids: readonly [number, number]) =>
  some({ positive: vector(ids), negative: vector(ids) }, ['positive', 'negative'])
const pairs = (ids: readonly [number, number]) => fc.oneof(pair(ids), fc.array(pair(ids), { maxLength: 2 }))
const examples = (ids: readonly [number, number]) =>
  fc.oneof(fc.array(vector(ids), { maxLength: 3 }), fc.constant(null))

const orderBy = fc.oneof(word, some({ key: word, direction: fc.constant('asc'), start_from: spelled }, ['key']))

const query = (ids: readonly [number, number]): fc.Arbitrary<Json> =>
  fc.oneof(
    vector(ids),
    fc.constant(null),
    some({ nearest: vector(ids), mmr: some({ diversity: spelled, candidates_limit: count }) }, ['nearest']),
    some(
      { recommend: some({ positive: examples(ids), negative: examples(ids), strategy: fc.constant('best_score') }) },
      ['recommend'],
    ),
    some({ discover: some({ target: vector(ids), context: pairs(ids) }, ['target', 'context']) }, ['discover']),
    some({ context: pairs(ids) }, ['context']),
    some({ order_by: orderBy }, ['order_by']),
    some({ fusion: fc.constantFrom('rrf', 'dbsf') }, ['fusion']),
    some({ rrf: some({ k: count, weights: dense }) }, ['rrf']),
    some({ formula: anyJson, defaults: anyJson }, ['formula']),
    some({ sample: fc.constant('random') }, ['sample']),
    some(
      {
        relevance_feedback: some(
          {
            target: vector(ids),
            feedback: fc.array(some({ example: vector(ids), score: spelled }, ['example', 'score']), { maxLength: 2 }),
            strategy: fc.constant({ naive: { a: number('1.0'), b: number('1'), c: number('0') } }),
          },
          ['target', 'feedback', 'strategy'],
        ),
      },
      ['relevance_feedback'],
    ),
  )

const parameters = fc.oneof(
  fc.constant(null),
  some({
    hnsw_ef: count,
    exact: fc.boolean(),
    indexed_only: fc.boolean(),
    quantization: some({ ignore: fc.boolean(), oversampling: spelled }),
    acorn: some({ enable: fc.boolean() }),
    idf: fc.oneof(fc.constant('global'), some({ corpus: filter })),
  }),
)
const shardKey = fc.oneof(
  word,
  count,
  fc.array(word, { maxLength: 2 }),
  fc.constant({ target: 'a', fallback: 'b' }),
  fc.constant(null),
)
const shown = {
  with_payload: fc.oneof(
    fc.boolean(),
    fc.array(word, { maxLength: 2 }),
    some({ include: fc.array(word, { maxLength: 2 }) }),
    fc.constant(null),
  ),
  with_vector: fc.oneof(fc.boolean(), fc.array(word, { maxLength: 2 })),
}
const common = {
  filter,
  params: parameters,
  limit: count,
  shard_key: shardKey,
  ...shown,
}
const page = { offset: count }
const groups = { group_by: word, group_size: count }

/** A search whose ids are looked up here, or in the other collection. */
function lookingUp(fields: (ids: readonly [number, number]) => Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> {
  const elsewhere = some({ collection: fc.constant(LOOKUP_COLLECTION), vector: word, shard_key: shardKey }, [
    'collection',
  ])
  return fc.oneof(
    some(fields(OWN_IDS)),
    some({ ...fields(LOOKUP_IDS), lookup_from: elsewhere }, ['lookup_from']),
    some({ ...fields(OWN_IDS), lookup_from: fc.constant(null) }),
  )
}

const prefetch: fc.Arbitrary<Json> = fc.letrec<{ prefetch: Json }>(tie => ({
  prefetch: fc.oneof(
    { depthSize: 'small' },
    lookingUp(ids => ({ query: query(ids), using: word, filter, params: parameters, limit: count })),
    lookingUp(ids => ({
      query: query(ids),
      filter,
      prefetch: fc.oneof(tie('prefetch'), fc.array(tie('prefetch'), { maxLength: 2 }), fc.constant(null)),
    })),
  ),
})).prefetch

const queryFields = (ids: readonly [number, number]) => ({
  ...common,
  score_threshold: spelled,
  using: word,
  query: query(ids),
  prefetch: fc.oneof(prefetch, fc.array(prefetch, { maxLength: 3 }), fc.constant(null)),
})
const recommendFields = (ids: readonly [number, number]) => ({
  ...common,
  score_threshold: spelled,
  positive: fc.array(vector(ids), { maxLength: 3 }),
  negative: fc.array(vector(ids), { maxLength: 2 }),
  strategy: fc.constant('average_vector'),
  using: word,
})
const discoverFields = (ids: readonly [number, number]) => ({
  ...common,
  target: fc.oneof(vector(ids), fc.constant(null)),
  context: fc.oneof(fc.array(pair(ids), { maxLength: 2 }), fc.constant(null)),
  using: word,
})
const named = fc.oneof(dense, some({ name: word, vector: fc.oneof(dense, sparse) }, ['name', 'vector']))
const searchFields = { ...common, score_threshold: spelled, vector: named }
const matrix = some({ filter, shard_key: shardKey, sample: count, limit: count, using: word })
const batchOf = (search: fc.Arbitrary<Json>) => some({ searches: fc.array(search, { maxLength: 3 }) }, ['searches'])

type FieldsWithIds = (ids: readonly [number, number]) => Record<string, fc.Arbitrary<Json>>
const paged =
  (fields: FieldsWithIds): FieldsWithIds =>
  ids => ({
    ...fields(ids),
    ...page,
  })
const grouped =
  (fields: FieldsWithIds): FieldsWithIds =>
  ids => ({
    ...fields(ids),
    ...groups,
  })

/** Bodies of the reads, by the names of their operations. */
export const READS: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  query_points: lookingUp(paged(queryFields)),
  query_batch_points: batchOf(lookingUp(paged(queryFields))),
  query_points_groups: lookingUp(grouped(queryFields)),
  search_points: some({ ...searchFields, ...page }),
  search_batch_points: batchOf(some({ ...searchFields, ...page, top: count })),
  search_point_groups: some({ ...searchFields, ...groups }),
  recommend_points: lookingUp(paged(recommendFields)),
  recommend_batch_points: batchOf(lookingUp(paged(recommendFields))),
  recommend_point_groups: lookingUp(grouped(recommendFields)),
  discover_points: lookingUp(paged(discoverFields)),
  discover_batch_points: batchOf(lookingUp(paged(discoverFields))),
  search_matrix_pairs: matrix,
  search_matrix_offsets: matrix,
  scroll_points: some({
    ...shown,
    filter,
    shard_key: shardKey,
    offset: fc.oneof(smallId, fc.constant(null)),
    limit: count,
    order_by: orderBy,
  }),
  count_points: some({ filter, shard_key: shardKey }),
  facet: some({ filter, shard_key: shardKey, key: word, limit: count, exact: fc.boolean() }),
}

const payload = fc.dictionary(fc.constantFrom('a', 'b', 'tenants', 'Tenant', 'metadata', 'é'), anyJson, { maxKeys: 3 })
const stamped = payload.map(given => ({ ...given, tenant: 'acme' }))
const anyVector = fc.oneof(
  dense,
  sparse,
  inferred,
  fc.dictionary(word, fc.oneof(dense, sparse), { minKeys: 1, maxKeys: 2 }),
)
const point = some({ id: smallId, vector: anyVector, payload: fc.oneof(payload, stamped, fc.constant(null)) }, [
  'id',
  'vector',
])
const write = { shard_key: shardKey, update_filter: filter }
const columns = fc.array(smallId, { maxLength: 4 }).chain(ids =>
  some(
    {
      ids: fc.constant(ids),
      vectors: anyJson,
      payloads: fc.oneof(
        fc.constant(null),
        fc.array(fc.oneof(payload, stamped, fc.constant(null)), { minLength: ids.length, maxLength: ids.length }),
      ),
    },
    ['ids', 'vectors'],
  ),
)
const selection = (fields: Record<string, fc.Arbitrary<Json>>, required: readonly string[]) =>
  fc.oneof(
    some({ ...fields, points: fc.array(smallId, { maxLength: 4 }), shard_key: shardKey, filter: fc.constant(null) }, [
      ...required,
      'points',
    ]),
    some({ ...fields, filter: condition, shard_key: shardKey, points: fc.constant(null) }, [...required, 'filter']),
  )
const key = fc.constantFrom('a', 'a.tenant', 'a[0].b', '"tenant.x"', 'tenants', 'é[].x', 'Tenant')

/** Bodies of the writes, by the names of their operations in `points/batch`. */
export const WRITES: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  upsert: fc.oneof(
    some({ ...write, points: fc.array(point, { maxLength: 4 }), update_mode: fc.constant('upsert') }, ['points']),
    some({ ...write, batch: columns }, ['batch']),
  ),
  update_vectors: some(
    { ...write, points: fc.array(some({ id: idIn(OWN_IDS), vector: anyVector }, ['id', 'vector']), { maxLength: 3 }) },
    ['points'],
  ),
  delete: selection({}, []),
  delete_vectors: selection({ vector: fc.array(word, { maxLength: 2 }) }, ['vector']),
  set_payload: fc.oneof(
    selection({ payload: fc.oneof(payload, stamped) }, ['payload']),
    selection({ payload: fc.oneof(payload, stamped), key }, ['payload', 'key']),
  ),
  overwrite_payload: selection({ payload: fc.oneof(payload, stamped), key: fc.oneof(key, fc.constant(null)) }, [
    'payload',
  ]),
  delete_payload: selection({ keys: fc.array(key, { maxLength: 3 }) }, ['keys']),
  clear_payload: selection({}, []),
}

/** The text of a body, with any space, and keys spelt in any way. */
export const printed = (body: fc.Arbitrary<Json>) =>
  fc.tuple(body, fc.constantFrom(undefined, ' ', '\n\t'), fc.boolean()).map(([value, space, escaped]) => {
    const text = stringify(value, undefined, space) ?? 'null'
    const spelling = escaped
      ? text.replaceAll(/"(f)ilter"(\s*:)/g, '"\\u0066ilter"$2').replaceAll(/"query"(\s*:)/g, '"qu\\u0065ry"$1')
      : text
    return { value, text: `${space ?? ''}${spelling}${space ?? ''}` }
  })

/** Parses JSON so that numbers of different spellings differ. */
export function parseSpelled(text: string): Json {
  return parse(text) as Json
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
}
