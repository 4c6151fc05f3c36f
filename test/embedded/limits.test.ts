import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAXIMUM_NAME_LENGTH } from '../../src/embedded/engine.ts'
import { MAXIMUM_CONDITIONS, MAXIMUM_FILTER_DEPTH } from '../../src/embedded/filter/filter.ts'
import { MAXIMUM_PATH_STEPS } from '../../src/embedded/filter/payload-path.ts'
import { MAXIMUM_MMR_CANDIDATES, MAXIMUM_PREFETCH_DEPTH, MAXIMUM_PREFETCHES } from '../../src/embedded/query/plan.ts'
import { COLLECTION_ROUTES, MAXIMUM_SEARCHES } from '../../src/embedded/routes.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { MAXIMUM_VECTOR_SIZE } from '../../src/embedded/storage/schema.ts'
import { MAXIMUM_BATCH } from '../../src/embedded/updates/updates.ts'
import { MAXIMUM_BODY_BYTES } from '../../src/embedded/wire/http-body.ts'
import { MAXIMUM_JSON_DEPTH, MAXIMUM_JSON_PARTS } from '../../src/embedded/wire/json.ts'
import { MAXIMUM_TEXT_LENGTH } from '../../src/embedded/wire/vector.ts'
import { rest } from './support/rest.ts'

/** Checks docs/embedded-engine.md against the engine. */

const page = readFileSync(new URL('../../docs/embedded-engine.md', import.meta.url), 'utf8')

/** The rows of the table below a heading, as cells. */
function tableUnder(heading: string): string[][] {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('|'))
  return rows.slice(2).map(row =>
    row
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

const routes = tableUnder('Routes').map(([route = '', , answer = '']) => ({ route: route.replaceAll('`', ''), answer }))

const POINT = { id: 1, vector: { dense: [1, 0], words: { indices: [1], values: [1] } }, payload: { tag: 'a' } }
const QUERY = { query: [1, 0], using: 'dense' }
const SEARCH = { vector: { name: 'dense', vector: [1, 0] }, limit: 1 }
const RECOMMEND = { positive: [1], using: 'dense', limit: 1 }
const BY_ID = { points: [1] }

/** A valid body for each route that needs one. */
const BODIES: { [route: string]: unknown } = {
  'PUT /collections/{collection}': {
    vectors: { dense: { size: 2, distance: 'Dot' } },
    sparse_vectors: { words: { modifier: 'idf' } },
  },
  'PUT /collections/{collection}/index': { field_name: 'tag', field_schema: 'keyword' },
  'PUT /collections/{collection}/points': { points: [POINT] },
  'POST /collections/{collection}/points': { ids: [1] },
  'POST /collections/{collection}/points/scroll': {},
  'POST /collections/{collection}/points/query': QUERY,
  'POST /collections/{collection}/points/query/batch': { searches: [QUERY] },
  'POST /collections/{collection}/points/query/groups': { ...QUERY, group_by: 'tag' },
  'POST /collections/{collection}/points/search': SEARCH,
  'POST /collections/{collection}/points/search/batch': {
    searches: [SEARCH],
  },
  'PATCH /collections/{collection}': { hnsw_config: { m: 8 } },
  'POST /collections/aliases': { actions: [{ create_alias: { alias_name: 's', collection_name: 'r' } }] },
  'POST /collections/{collection}/points/search/groups': { ...SEARCH, group_by: 'tag', group_size: 1 },
  'POST /collections/{collection}/points/recommend': RECOMMEND,
  'POST /collections/{collection}/points/recommend/batch': { searches: [RECOMMEND] },
  'POST /collections/{collection}/points/recommend/groups': { ...RECOMMEND, group_by: 'tag', group_size: 1 },
  'POST /collections/{collection}/points/payload': { payload: { n: 1 }, ...BY_ID },
  'PUT /collections/{collection}/points/payload': { payload: { n: 1 }, ...BY_ID },
  'POST /collections/{collection}/points/payload/delete': { keys: ['n'], ...BY_ID },
  'POST /collections/{collection}/points/payload/clear': BY_ID,
  'PUT /collections/{collection}/points/vectors': { points: [{ id: 1, vector: { dense: [0, 1] } }] },
  'POST /collections/{collection}/points/vectors/delete': { vector: ['dense'], ...BY_ID },
  'POST /collections/{collection}/points/batch': { operations: [{ delete: { points: [2] } }] },
  'POST /collections/{collection}/points/delete': BY_ID,
}

type Refused = [method: string, path: string, body: unknown]
const query = (body: object): Refused => ['POST', '/collections/c/points/query', body]
const scroll = (body: object): Refused => ['POST', '/collections/c/points/scroll', body]
const filter = (condition: object): Refused => scroll({ filter: { must: [condition] } })
const vectors = (parameters: object): Refused => [
  'PUT',
  '/collections/d',
  { vectors: { size: 2, distance: 'Dot', ...parameters } },
]
const textIndex = (options: object): Refused => [
  'PUT',
  '/collections/c/index',
  { field_name: 'tag', field_schema: { type: 'text', ...options } },
]

/** A request for each part that the table of features marks with 501. */
const REFUSED: { [feature: string]: Refused } = {
  multivector_config: vectors({ multivector_config: { comparator: 'max_sim' } }),
  datatype: vectors({ datatype: 'uint8' }),
  Manhattan: vectors({ distance: 'Manhattan' }),
  'options.tokenizer': query({
    query: { text: 'a', model: 'qdrant/bm25', options: { tokenizer: 'multilingual' } },
    using: 'words',
  }),
  lookup_from: query({ prefetch: { ...QUERY, lookup_from: { collection: 'c' } }, ...QUERY }),
  'params.idf': query({ ...QUERY, params: { idf: { corpus: {} } } }),
  best_score: query({ query: { recommend: { positive: [1], strategy: 'best_score' } } }),
  sum_scores: query({ query: { recommend: { positive: [1], strategy: 'sum_scores' } } }),
  discover: query({ query: { discover: { target: 1, context: [] } } }),
  context: query({ query: { context: [{ positive: 1, negative: 2 }] } }),
  order_by: query({ query: { order_by: 'tag' } }),
  formula: query({ query: { formula: '$score' }, prefetch: QUERY }),
  sample: query({ query: { sample: 'random' } }),
  relevance_feedback: query({ query: { relevance_feedback: { target: 1 } } }),
  'query.text': query({ query: { text: 'a' } }),
  with_lookup: ['POST', '/collections/c/points/query/groups', { ...QUERY, group_by: 'tag', with_lookup: 'c' }],
  'groups.mmr': [
    'POST',
    '/collections/c/points/query/groups',
    { query: { nearest: [1, 0], mmr: {} }, using: 'dense', group_by: 'tag' },
  ],
  'match.prefix': filter({ key: 'tag', match: { prefix: 'a' } }),
  slice: filter({ slice: { total: 2, index: 0 } }),
  'tokenizer.prefix': textIndex({ tokenizer: 'prefix' }),
  'tokenizer.multilingual': textIndex({ tokenizer: 'multilingual' }),
  stemmer: textIndex({ stemmer: { type: 'snowball', language: 'english' } }),
  stopwords: textIndex({ stopwords: 'english' }),
  ascii_folding: textIndex({ ascii_folding: true }),
  update_mode: ['PUT', '/collections/c/points', { points: [], update_mode: 'insert_only' }],
  shard_key: scroll({ shard_key: 'a' }),
  init_from: ['PUT', '/collections/d', { vectors: {}, init_from: { collection: 'c' } }],
  sharding_method: ['PUT', '/collections/d', { vectors: {}, sharding_method: 'custom' }],
  strict_mode_config: ['PUT', '/collections/d', { vectors: {}, strict_mode_config: { enabled: true } }],
}

describe('the page on the embedded engine', () => {
  let server: EmbeddedServer
  beforeAll(async () => {
    server = await startEmbeddedServer()
    await rest(server.url, 'PUT', '/collections/c', BODIES['PUT /collections/{collection}'])
    await rest(server.url, 'PUT', '/collections/c/points', { points: [POINT, { ...POINT, id: 2 }] })
  })
  afterAll(() => server.close())

  it('names every route below a collection, and no other as answered', () => {
    const inCode = Object.keys(COLLECTION_ROUTES).map(route => {
      const [method = '', path = ''] = route.split(' ')
      const names = path.replace('points/*', 'points/{id}').replace('index/*', 'index/{field}')
      return `${method} /collections/{collection}${names === '' ? '' : `/${names}`}`
    })
    const answered = routes.filter(({ answer }) => answer === 'yes').map(({ route }) => route)
    expect(answered.filter(route => route.includes('{collection}')).sort()).toEqual(inCode.sort())
  })

  it('is right about what is answered: the rows in their order, from creation to deletion', async () => {
    for (const { route, answer } of routes.filter(({ answer }) => answer !== '501')) {
      expect(answer).toBe('yes')
      const [method = '', path = ''] = route.split(' ')
      const target = path.replace('{collection}', 'r').replace('{id}', '1').replace('{field}', 'tag')
      const body = BODIES[route]
      const response = await fetch(server.url + target, {
        method,
        body: body === undefined ? null : JSON.stringify(body),
      })
      expect(response.status, `${route}: ${await response.text()}`).toBe(200)
    }
  })

  it.each(routes.filter(({ answer }) => answer === '501'))('is right that $route is refused', async ({ route }) => {
    const [method = '', path = ''] = route.split(' ')
    const answer = await rest(server.url, method, path.replace('{collection}', 'c'), method === 'GET' ? undefined : {})
    expect(answer.status).toBe(501)
    expect(answer.error).toContain("Not implemented in stowage's embedded engine: ")
    expect(answer.error).toContain('Set QDRANT_URL')
  })

  const features = tableUnder('Features').flatMap(([, , refused = '']) =>
    [...refused.matchAll(/`([^`]+)`/g)].map(([, feature = '']) => feature),
  )
  it('lists the features that the next test asks for', () => {
    expect(features).toEqual(Object.keys(REFUSED))
  })
  it.each(features)('is right that %s is refused', async feature => {
    const [method, path, body] = REFUSED[feature] ?? ['', '', undefined]
    const answer = await rest(server.url, method, path, body)
    expect(answer.status, answer.error ?? 'answered').toBe(501)
    expect(answer.error).toContain(feature.split('.').at(-1))
  })

  it('gives the limits of the code', () => {
    const limits = tableUnder('Limits').map(([, value = '']) => Number(value.replaceAll(',', '')))
    expect(limits).toEqual([
      MAXIMUM_BODY_BYTES,
      MAXIMUM_JSON_DEPTH,
      MAXIMUM_JSON_PARTS,
      MAXIMUM_TEXT_LENGTH,
      MAXIMUM_CONDITIONS,
      MAXIMUM_PATH_STEPS,
      MAXIMUM_FILTER_DEPTH,
      MAXIMUM_SEARCHES,
      MAXIMUM_BATCH,
      MAXIMUM_PREFETCHES,
      MAXIMUM_PREFETCH_DEPTH,
      MAXIMUM_MMR_CANDIDATES,
      MAXIMUM_VECTOR_SIZE,
      MAXIMUM_NAME_LENGTH,
    ])
  })
})
