import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NotImproved } from '../../../src/drop-in/not-improved.ts'
import { understand } from '../../../src/drop-in/query/understand.ts'
import type { SearchRoute } from '../../../src/qdrant/paths.ts'

const QUERY: SearchRoute = { api: 'query', batch: false }
const SEARCH: SearchRoute = { api: 'search', batch: false }
const BATCH: SearchRoute = { api: 'query', batch: true }

const dense = '[0.1,-2e-3,5.0]'
const sparse = '{"indices":[1,4294967295],"values":[1.0,0.5]}'
const document = '{"text":"how do I reset it","model":"Qdrant/bm25","options":{}}'

function one(body: string, route = QUERY) {
  const understood = understand(body, route)
  expect(understood).toHaveLength(1)
  const [query] = understood
  if (query === undefined) throw new Error('nothing understood')
  return query
}

/** Why a search is not understood; null when it is. */
const reasonOf = (body: string, route = QUERY) => {
  try {
    understand(body, route)
    return null
  } catch (error) {
    if (!(error instanceof NotImproved)) throw error
    expect(error.reason).toBe('query_not_understood')
    return error.message
  }
}

describe('a single nearest query', () => {
  it.each([
    [dense, 'dense', null],
    [sparse, 'keyword', null],
    [`{"nearest":${dense}}`, 'dense', null],
    [`{"nearest":${sparse},"mmr":null}`, 'keyword', null],
    [document, 'keyword', 'how do I reset it'],
    [`{"nearest":${document}}`, 'keyword', 'how do I reset it'],
    ['{"text":"x","model":"sentence-transformers/all-MiniLM-L6-v2"}', 'dense', 'x'],
  ])('%s', (query, kind, text) => {
    const { prefetches, fusion, limit, offset, payload, withVector } = one(`{"query":${query}}`)
    expect(prefetches).toEqual([
      { query, kind, text, using: null, filter: null, params: null, scoreThreshold: null, limit: 10 },
    ])
    expect({ fusion, limit, offset, payload, withVector }).toEqual({
      fusion: null,
      limit: 10,
      offset: 0,
      payload: { kind: 'none' },
      withVector: null,
    })
  })

  it('keeps filter, params, threshold and shard key as they are spelt', () => {
    const filter = '{"must":[{"key":"n","match":{"value":5.0}},{"has_id":[18446744073709551615]}]}'
    const query = one(
      `{"query":${dense},"using":"d\\u00e9","filter":${filter},"params":{"hnsw_ef":128},"score_threshold":5e-1,"limit":3,"offset":2,"shard_key":["a"],"with_vectors":["d"],"with_payload":{"exclude":["big"]}}`,
    )
    expect(query).toEqual({
      prefetches: [
        {
          query: dense,
          kind: 'dense',
          text: null,
          using: '"d\\u00e9"',
          filter: null,
          params: '{"hnsw_ef":128}',
          scoreThreshold: '5e-1',
          limit: 3,
        },
      ],
      fusion: null,
      filter,
      scoreThreshold: '5e-1',
      limit: 3,
      offset: 2,
      shardKey: '["a"]',
      withVector: '["d"]',
      payload: { kind: 'exclude', keys: new Set(['big']) },
    })
  })

  it('takes null and an empty filter for absent', () => {
    const keys = [
      'using',
      'params',
      'score_threshold',
      'limit',
      'offset',
      'with_payload',
      'with_vector',
      'lookup_from',
      'shard_key',
      'prefetch',
    ]
    const body = `{"query":${dense},"filter":{ },${keys.map(key => `"${key}":null`).join(',')}}`
    expect(one(body)).toEqual(one(`{"query":${dense}}`))
  })
})

describe('a hybrid query', () => {
  const prefetch = `[{"query":${dense},"using":"dense","limit":20,"filter":{"must":[]}},{"query":${sparse},"using":"sparse","score_threshold":0.2}]`

  it('reads its prefetches, each with its own bounds', () => {
    const { prefetches, fusion, scoreThreshold } = one(
      `{"prefetch":${prefetch},"query":{"fusion":"rrf"},"score_threshold":0.1}`,
    )
    expect(
      prefetches.map(({ using, limit, filter, scoreThreshold }) => ({ using, limit, filter, scoreThreshold })),
    ).toEqual([
      { using: '"dense"', limit: 20, filter: '{"must":[]}', scoreThreshold: null },
      { using: '"sparse"', limit: 10, filter: null, scoreThreshold: '0.2' },
    ])
    expect({ fusion, scoreThreshold }).toEqual({
      fusion: { method: 'rrf', k: 2, weights: null },
      scoreThreshold: '0.1',
    })
  })

  it.each([
    ['{"fusion":"dbsf"}', { method: 'dbsf' }],
    ['{"rrf":{}}', { method: 'rrf', k: 2, weights: null }],
    ['{"rrf":{"k":61}}', { method: 'rrf', k: 61, weights: null }],
    ['{"rrf":{"k":null,"weights":[3.0,0]}}', { method: 'rrf', k: 2, weights: [3, 0] }],
  ])('%s', (query, fusion) => {
    expect(one(`{"prefetch":${prefetch},"query":${query}}`).fusion).toEqual(fusion)
  })

  it('takes an empty list of prefetches for none, as clients before 1.13 send it', () => {
    expect(one(`{"prefetch":[],"query":${dense}}`)).toEqual(one(`{"query":${dense}}`))
  })

  it('takes one prefetch without an array', () => {
    expect(one(`{"prefetch":{"query":${dense}},"query":{"fusion":"rrf"}}`).prefetches).toHaveLength(1)
  })

  it.each([
    ['{"fusion":"rrf2"}'],
    ['{"fusion":"rrf","rrf":{}}'],
    ['{"rrf":{"k":0}}'],
    ['{"rrf":{"k":2.0}}'],
    ['{"rrf":{"weights":[1]}}'],
    ['{"rrf":{"weights":[1,"2"]}}'],
    ['{"rrf":{"weights":[1,1e400]}}'],
    ['{"rrf":{"z":1}}'],
    ['{"formula":{"sum":["$score",1]}}'],
    [dense],
    ['{"sample":"random"}'],
    ['null'],
  ])('prefetches %s to Qdrant', query => {
    expect(reasonOf(`{"prefetch":${prefetch},"query":${query}}`)).toBeTypeOf('string')
  })
})

describe('what is left to Qdrant', () => {
  it.each([
    '{}',
    '{"query":null}',
    '{"query":42}',
    '{"query":"5c56c793-69f3-4fbf-87e6-c4bf54c28c26"}',
    '{"query":[]}',
    '{"query":[[0.1],[0.2]]}',
    '{"query":{"nearest":[0.1],"mmr":{}}}',
    '{"query":{"nearest":{"nearest":[0.1]}}}',
    '{"query":{"nearest":7}}',
    '{"query":{"recommend":{"positive":[1]}}}',
    '{"query":{"discover":{"target":1,"context":[]}}}',
    '{"query":{"context":[]}}',
    '{"query":{"order_by":"n"}}',
    '{"query":{"sample":"random"}}',
    '{"query":{"fusion":"rrf"}}',
    '{"query":{"text":"bm25 over a text index"},"using":"text"}',
    '{"query":{"image":"http://…","model":"clip"}}',
    '{"query":{"indices":[1],"values":[1],"more":1}}',
    '{"query":{"indices":[1]}}',
    '{"query":[0.1],"limit":0}',
    '{"query":[0.1],"limit":-1}',
    '{"query":[0.1],"limit":5.0}',
    '{"query":[0.1],"limit":"5"}',
    '{"query":[0.1],"limit":1001}',
    '{"query":[0.1],"limit":1000,"offset":1}',
    '{"query":[0.1],"offset":-1}',
    '{"query":[0.1],"filter":[]}',
    '{"query":[0.1],"filter":{"must":[],"must":[]}}',
    '{"query":[0.1],"with_payload":["a.b"]}',
    '{"query":[0.1],"with_payload":["a[]"]}',
    '{"query":[0.1],"with_payload":["a[0]"]}',
    '{"query":[0.1],"with_payload":[]}',
    '{"query":[0.1],"with_payload":{"include":["a"],"exclude":["b"]}}',
    '{"query":[0.1],"with_payload":{}}',
    '{"query":[0.1],"with_payload":"text"}',
    '{"query":[0.1],"with_vector":"d"}',
    '{"query":[0.1],"with_vector":true,"with_vectors":true}',
    '{"query":[0.1],"lookup_from":{"collection":"b"}}',
    '{"query":[0.1],"using":1}',
    '{"query":[0.1],"params":[]}',
    '{"query":[0.1],"score_threshold":"1"}',
    '{"query":[0.1],"group_by":"doc"}',
    '{"query":[0.1],"query":[0.2]}',
    '{"query":[0.1],"quer\\u0079":[0.2]}',
    '{"query":[0.1]',
    '{"prefetch":[],"query":{"fusion":"rrf"}}',
    '{"prefetch":[{"query":[0.1],"prefetch":{"query":[0.1]}}],"query":{"fusion":"rrf"}}',
    '{"prefetch":[{"query":[0.1],"lookup_from":{"collection":"b"}}],"query":{"fusion":"rrf"}}',
    '{"prefetch":[{"filter":{},"limit":999999999}],"query":{"fusion":"rrf"}}',
    '{"prefetch":[{"query":3}],"query":{"fusion":"rrf"}}',
    '{"prefetch":[{"query":[0.1],"limit":1001}],"query":{"fusion":"rrf"}}',
    '{"prefetch":[{"query":[0.1]}],"query":{"fusion":"rrf"},"using":"d"}',
    '[]',
    '7',
    '',
  ])('%s', body => {
    expect(reasonOf(body)).toBeTypeOf('string')
  })

  it('any key that is not known, at the root, in a prefetch, in a fusion, in an input', () => {
    const known =
      /^(query|using|filter|params|score_threshold|limit|prefetch|lookup_from|offset|with_payload|with_vectors?|shard_key|text|nearest|fusion|rrf)$/
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter(key => !known.test(key)),
        fc.json(),
        (key, value) => {
          const extra = `${JSON.stringify(key)}:${value}`
          expect(reasonOf(`{"query":[0.1],${extra}}`)).toBe(`unknown key ${key}`)
          expect(reasonOf(`{"prefetch":[{"query":[0.1],${extra}}],"query":{"fusion":"rrf"}}`)).toBe(
            `unknown key ${key}`,
          )
          expect(reasonOf(`{"prefetch":[{"query":[0.1]}],"query":{"fusion":"rrf",${extra}}}`)).toBe(
            `unknown key ${key}`,
          )
          expect(reasonOf(`{"query":{"nearest":[0.1],${extra}}}`)).not.toBeNull()
          expect(reasonOf(`{"vector":[0.1],"limit":1,${extra}}`, SEARCH)).not.toBeNull()
        },
      ),
    )
  })

  it.each([
    ['an unknown key', '{"group_by":', QUERY, 'unknown key group_by'],
    ['one search too many', `{"searches":[${`{"query":${dense}},`.repeat(16)}`, BATCH, 'more than 16 searches'],
    [
      'one prefetch too many',
      `{"query":{"fusion":"rrf"},"prefetch":[${`{"query":${dense}},`.repeat(16)}5,7]}`,
      QUERY,
      'more than 16',
    ],
  ])('nothing behind %s is read, because bodies have megabytes', (_what, body, route, reason) => {
    expect(reasonOf(body, route)).toContain(reason)
  })

  it('a vector that is longer than any of Qdrant', () => {
    const query = (length: number) => `{"query":[${Array(length).fill('1').join(',')}]}`
    expect(reasonOf(query(65_536))).toBeNull()
    expect(reasonOf(query(65_537))).toContain('more than 65536')
  })

  it('throws nothing but NotImproved, whatever the body', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map(json => `{"query":[1],"filter":${json}}`),
        ),
        fc.boolean(),
        (body, batch) => {
          for (const api of ['query', 'search'] as const) reasonOf(body, { api, batch })
        },
      ),
    )
  })
})

describe('legacy searches and batches', () => {
  it.each([
    [`{"vector":${dense},"limit":5}`, { query: dense, using: null, kind: 'dense' }],
    [`{"vector":{"name":"d","vector":${dense}},"limit":5}`, { query: dense, using: '"d"', kind: 'dense' }],
    [`{"vector":{"name":"s","vector":${sparse}},"limit":5}`, { query: sparse, using: '"s"', kind: 'keyword' }],
  ])('%s', (body, prefetch) => {
    expect(one(body, SEARCH).prefetches).toMatchObject([{ ...prefetch, limit: 5 }])
  })

  it.each([
    '{"vector":[0.1]}',
    '{"vector":[0.1],"limit":null}',
    '{"vector":{"vector":[0.1]},"limit":1}',
    '{"vector":7,"limit":1}',
    '{"query":[0.1],"limit":1}',
  ])('prefetches %s to Qdrant', body => {
    expect(reasonOf(body, SEARCH)).toBeTypeOf('string')
  })

  it('understands a batch when it understands each of its searches', () => {
    const good = `{"query":${dense}}`
    const both = understand(`{"searches":[${good},{"query":${sparse}}]}`, { api: 'query', batch: true })
    expect(both).toHaveLength(2)
    for (const searches of [`[${good},{"query":5}]`, '[]', 'null', good, `[${Array(17).fill(good).join(',')}]`]) {
      expect(reasonOf(`{"searches":${searches}}`, { api: 'query', batch: true })).toBeTypeOf('string')
    }
    expect(reasonOf(good, { api: 'query', batch: true })).toBeTypeOf('string')
  })
})
