import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../../src/tenants/guard/routes/table.ts'
import { guardOne, refusalOf } from './support/guard-one.ts'
import { owningTenant, sharingTenant } from './support/tenants.ts'

/** A body of each route that has one, as clients send it. */
const BODIES: Readonly<Record<string, object>> = {
  query_points: { query: [0.1], limit: 3 },
  query_batch_points: { searches: [{ query: [0.1] }] },
  query_points_groups: { query: [0.1], group_by: 'doc', limit: 3 },
  search_points: { vector: [0.1], limit: 3 },
  search_batch_points: { searches: [{ vector: [0.1], limit: 3 }] },
  search_point_groups: { vector: [0.1], group_by: 'doc', group_size: 1, limit: 3 },
  recommend_points: { positive: [7], limit: 3 },
  recommend_batch_points: { searches: [{ positive: [7], limit: 3 }] },
  recommend_point_groups: { positive: [7], group_by: 'doc', group_size: 1, limit: 3 },
  discover_points: { target: 7, limit: 3 },
  discover_batch_points: { searches: [{ target: 7, limit: 3 }] },
  search_matrix_pairs: { sample: 10 },
  search_matrix_offsets: { sample: 10 },
  scroll_points: { limit: 3 },
  count_points: { exact: true },
  facet: { key: 'doc' },
  get_points: { ids: [7] },
  upsert_points: { points: [{ id: 7, vector: [0.1] }] },
  delete_points: { points: [7] },
  set_payload: { payload: { a: 1 }, points: [7] },
  overwrite_payload: { payload: { a: 1 }, points: [7] },
  delete_payload: { keys: ['a'], points: [7] },
  clear_payload: { points: [7] },
  update_vectors: { points: [{ id: 7, vector: [0.1] }] },
  delete_vectors: { vector: ['dense'], points: [7] },
  batch_update: { operations: [{ delete: { points: [7] } }] },
}
const OPERATIONS = Object.keys(BODIES)

const bodyOf = (operation: string) => BODIES[operation] ?? {}
const SEARCHES = OPERATIONS.filter(operation => 'limit' in bodyOf(operation) || 'sample' in bodyOf(operation))

describe('every route with a body', () => {
  it('has an example here', () => {
    const guarded = ROUTES.filter(({ cover }) => cover.kind === 'guarded' && cover.hasBody)
    expect(guarded.map(({ operation }) => operation).sort()).toEqual([...OPERATIONS].sort())
  })

  it.each(OPERATIONS)('%s demands the condition of the tenant', operation => {
    const { body } = guardOne(operation, bodyOf(operation))
    expect(body).toContain('{"must":[{"key":"tenant","match":{"value":"acme"}}')
  })

  it.each(OPERATIONS)('%s refuses a field that is not known, by its name', operation => {
    const refusal = refusalOf(() => guardOne(operation, { ...bodyOf(operation), vectors_from: 'x' }))
    expect(refusal).toMatch(/^bad_request: Unknown field "vectors_from"/)
  })

  it.each(OPERATIONS)('%s refuses a field that is given twice, in whatever spelling', operation => {
    const text = JSON.stringify(bodyOf(operation))
    const [key = ''] = Object.keys(bodyOf(operation))
    const escaped = `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}`
    for (const again of [key, escaped]) {
      const twice = `${text.slice(0, -1)},"${again}":null}`
      expect(
        refusalOf(() => guardOne(operation, twice)),
        twice,
      ).toMatch(/^bad_request: .*duplicate key/)
    }
  })

  it.each(OPERATIONS)('%s refuses what is not one JSON object', operation => {
    const text = JSON.stringify(bodyOf(operation))
    const wrong = [
      '',
      ' ',
      'null',
      '[]',
      '7',
      '"x"',
      `[${text}]`,
      `${text}${text}`,
      `${text},`,
      text.slice(0, -1),
      `\u0000${text}`,
      `\ufeff${text}`,
    ]
    for (const body of [
      ...wrong,
      text.replace('"', "'"),
      `/**/${text}`,
      `${text}//`,
      '{"__proto__":null}',
      'NaN',
      '{"limit":NaN}',
      '{"limit":+1}',
      '{"limit":01}',
      '{"limit":.5}',
    ]) {
      expect(
        refusalOf(() => guardOne(operation, body)),
        body,
      ).toMatch(/^bad_request: /)
    }
  })

  it.each(OPERATIONS)('%s refuses nesting that no server reads', operation => {
    const text = JSON.stringify(bodyOf(operation))
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
      ['{"must":', '}'],
      ['{"prefetch":', '}'],
      ['{"prefetch":[', ']}'],
    ]) {
      const deep = `${open?.repeat(10_000)}1${close?.repeat(10_000)}`
      for (const key of [
        'filter',
        'shard_key',
        'payload',
        'points',
        'prefetch',
        'query',
        'operations',
        'searches',
        'ids',
      ]) {
        const nested = `${text.slice(0, -1).replace(new RegExp(`"${key}":`), '"_":')},"${key}":${deep}}`
        expect(refusalOf(() => guardOne(operation, nested))).toMatch(/^bad_request: /)
      }
      expect(refusalOf(() => guardOne(operation, deep))).toMatch(/^bad_request: /)
    }
  })

  it.each(OPERATIONS)('%s is refused in few words, however long the wrong part is', operation => {
    const long = 'x'.repeat(100_000)
    const text = JSON.stringify(bodyOf(operation)).slice(1, -1)
    for (const body of [
      `{"${long}":1}`,
      `{"${long}":1,"${long}":2,${text}}`,
      `{${text},"filter":{"${long}":1}}`,
      `{"points":["${long}"]}`,
      `{"query":"${long}"}`,
    ]) {
      expect(refusalOf(() => guardOne(operation, body))?.length).toBeLessThan(200)
    }
  })

  it.each(OPERATIONS)('%s ends on 100 kB of one character', operation => {
    for (const character of ['{', '[', '"', '\\', ',', ':', '1', 'n', ' ', '\ud800']) {
      for (const body of [
        character.repeat(100_000),
        `{"filter":${character.repeat(100_000)}`,
        `{"limit":"${character.repeat(100_000)}`,
      ]) {
        expect(refusalOf(() => guardOne(operation, body))).toMatch(/^bad_request: /)
      }
    }
  })

  it.each(OPERATIONS)(
    '%s goes on unread, or is read and left as it is, for a tenant with whole collections',
    operation => {
      const { body, checks } = guardOne(operation, bodyOf(operation), owningTenant(), 'own')
      expect(checks).toEqual([])
      if (body !== null) expect(JSON.parse(body)).toEqual(bodyOf(operation))
    },
  )
})

describe('a filter', () => {
  it.each(SEARCHES.filter(operation => !operation.includes('batch')))('of %s is an object or null', operation => {
    for (const filter of ['x', 7, true, [], [{ must: [] }]]) {
      expect(refusalOf(() => guardOne(operation, { ...bodyOf(operation), filter }))).toBe(
        'bad_request: A filter must be an object.',
      )
    }
    for (const filter of [{ has_id: [7] }, { key: 'a' }, { nested: {} }, { must: [], Must: [] }]) {
      expect(refusalOf(() => guardOne(operation, { ...bodyOf(operation), filter }))).toMatch(
        /^bad_request: Unknown field/,
      )
    }
    for (const filter of [null, {}]) {
      const { body } = guardOne(operation, { ...bodyOf(operation), filter })
      expect(JSON.parse(body ?? '').filter).toEqual({ must: [{ key: 'tenant', match: { value: 'acme' } }] })
    }
  })

  it('keeps what the client wrote to the letter', () => {
    const filter = '{ "must_not" : [ {"key":"a","match":{"value":5.0}}, {"key":"\\u0061","range":{"gt":1e400}} ] }'
    const { body } = guardOne('scroll_points', `{"filter":${filter}}`)
    expect(body).toBe(`{"filter":{"must":[{"key":"tenant","match":{"value":"acme"}},${filter}]}}`)
  })

  it('is added beside a condition of several parts', () => {
    const condition = {
      must: [{ key: 'tenant', match: { value: 'acme' } }],
      must_not: [{ key: 'secret', match: { value: true } }],
    }
    const { body } = guardOne('count_points', {}, sharingTenant({ condition }))
    expect(JSON.parse(body ?? '')).toEqual({ filter: { must: [condition] } })
  })
})

describe('a query', () => {
  it.each([
    [{ nearest: [0.1], recommend: { positive: [7] } }],
    [{ fusion: 'rrf', rrf: {} }],
    [{ context: [], discover: { target: 7, context: [] } }],
  ])('of two kinds is refused: %j', query => {
    expect(refusalOf(() => guardOne('query_points', { query }))).toMatch(/^bad_request: A query cannot be /)
  })

  it.each([
    [{ query: 5.5 }],
    [{ query: -1 }],
    [{ query: 'not an id' }],
    [{ query: true }],
    [{ query: { nearest: true } }],
    [{ query: { recommend: { positive: 7 } } }],
    [{ query: { recommend: [7] } }],
    [{ query: { discover: 7 } }],
    [{ query: { context: 7 } }],
    [{ query: { relevance_feedback: { target: 7, feedback: {} } } }],
    [{ prefetch: 7 }],
    [{ prefetch: [[{}]] }],
    [{ prefetch: [null] }],
    [{ lookup_from: 'shared-lookup' }],
    [{ lookup_from: [] }],
    [{ lookup_from: { collection: 7 } }],
    [{ query: { text: 'a', model: 'b', id: 7 } }],
    [{ prefetch: { offset: 1 } }],
    [{ params: { idf: { corpus: 7 } } }],
    [{ params: { idf: { corpus: {}, other: {} } } }],
    [{ params: { unknown: 1 } }],
  ])('that Qdrant does not have is refused: %j', body => {
    expect(refusalOf(() => guardOne('query_points', body))).toMatch(/^bad_request: /)
  })

  it.each([
    '7.0',
    '7e0',
    '70e-1',
    '-0',
    '18446744073709551616',
    '99999999999999999999999',
    '"7"',
    '""',
    '"f47ac10b-58cc-4372-a567-0e02b2c3d47"',
    '"urn:uuid:f47ac10b58cc4372a5670e02b2c3d479"',
    '"{f47ac10b-58cc-4372-a567-0e02b2c3d479"',
    '"f47ac10b-58cc-4372-a567-0e02b2c3d479}"',
  ])('by %s is no query by id', id => {
    expect(refusalOf(() => guardOne('query_points', `{"query":${id}}`))).toMatch(/^bad_request: .* is not a point id/)
  })

  it('by one id in several spellings checks it once', () => {
    const spellings = [
      'F47AC10B-58CC-4372-A567-0E02B2C3D479',
      'f47ac10b58cc4372a5670e02b2c3d479',
      'urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479',
      '{f47ac10b-58cc-4372-a567-0e02b2c3d479}',
    ]
    const { checks, body } = guardOne('query_points', { query: { recommend: { positive: spellings } } })
    expect(checks.map(({ count, filter }) => [count, JSON.parse(filter).must[1]])).toEqual([
      [1, { has_id: ['f47ac10b-58cc-4372-a567-0e02b2c3d479'] }],
    ])
    expect(JSON.parse(body ?? '').query).toEqual({ recommend: { positive: spellings } })
  })

  it('keeps every digit of the greatest id', () => {
    const [check] = guardOne('query_points', '{"query":18446744073709551615}').checks
    expect(check?.filter).toContain('{"has_id":[18446744073709551615]}')
  })

  it('checks the ids of a search where its own lookup_from says, before or after them in the text', () => {
    const text =
      '{"query":1,"prefetch":[{"lookup_from":{"collection":"shared-b"},"query":2},{"query":3,"lookup_from":{"collection":"shared-c"},"prefetch":{"query":4}}]}'
    const checks = guardOne('query_points', text).checks.map(({ collection, filter }) => [
      collection,
      JSON.parse(filter).must[1].has_id,
    ])
    expect(Object.fromEntries(checks)).toEqual({ shared: [4, 1], 'shared-b': [2], 'shared-c': [3] })
  })

  it('looks ids up only in collections that are reached, with an answer that tells nothing', () => {
    const refusals = ['foreign', 'missing', '', '../shared', 'SHARED'].flatMap(collection =>
      [
        { query: 7, lookup_from: { collection } },
        { query: [0.1], lookup_from: { collection } },
        { prefetch: { prefetch: [{ query: 7, lookup_from: { collection } }] } },
      ].map(body => refusalOf(() => guardOne('query_points', body))),
    )
    expect(new Set(refusals)).toEqual(new Set(['forbidden: This collection is not allowed.']))
    const own = owningTenant()
    expect(
      refusalOf(() => guardOne('query_points', { query: 7, lookup_from: { collection: 'shared' } }, own, 'own')),
    ).toMatch(/^forbidden/)
    expect(
      refusalOf(() => guardOne('query_points', { query: 7, lookup_from: { collection: 'own-b' } }, own, 'own')),
    ).toBe(null)
  })

  it.each(['query_points_groups', 'search_point_groups', 'recommend_point_groups'])(
    'of %s reads other collections by group only for owners',
    operation => {
      for (const lookup of ['own-b', { collection: 'own-b', with_payload: true, with_vectors: ['a'] }]) {
        const body = { ...bodyOf(operation), with_lookup: lookup }
        const reachesBoth = (name: string) => name.startsWith('own') || name === 'shared'
        expect(refusalOf(() => guardOne(operation, body, sharingTenant({ reaches: reachesBoth })))).toMatch(
          /^forbidden: with_lookup/,
        )
        expect(JSON.parse(guardOne(operation, body, owningTenant(), 'own').body ?? '')).toEqual(body)
      }
      for (const lookup of ['shared', { collection: 'shared' }]) {
        const body = { ...bodyOf(operation), with_lookup: lookup }
        expect(refusalOf(() => guardOne(operation, body, owningTenant(), 'own'))).toMatch(/^forbidden: This collection/)
      }
      expect(
        refusalOf(() =>
          guardOne(
            operation,
            { ...bodyOf(operation), with_lookup: { collection: 'own', filter: {} } },
            owningTenant(),
            'own',
          ),
        ),
      ).toMatch(/^bad_request/)
      expect(refusalOf(() => guardOne(operation, { ...bodyOf(operation), with_lookup: null }))).toBe(null)
    },
  )

  it('is refused as unknown in the same words for points of others', () => {
    const { checks } = guardOne('query_points', { query: 7 })
    expect(checks[0]?.refusal.status).toBe(404)
    expect(checks[0]?.refusal.message).toBe('Not found: No point with id 7 found')
  })

  it('counts exactly, because estimates tell of other points', () => {
    expect(guardOne('count_points', '{"exact":false}').body).toContain('"exact":true')
  })
})
