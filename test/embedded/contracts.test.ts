import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { Float, parseJson, printJson } from '../../src/embedded/wire/json.ts'
import { encodeBm25Document, encodeBm25Query } from '../../src/text/qdrant-bm25.ts'

/** Answers of the real engine (see test/contracts/generate.py). The embedded engine must give the same. */
const FOLDER = join(import.meta.dirname, '../contracts')
const ROUTES = { query: '/query', scroll: '/scroll', count: '/count', retrieve: '' } as const
const TOLERANCE = 1e-5

interface Point {
  id: unknown
  score?: unknown
  payload?: unknown
  vector?: unknown
}

interface Case {
  name: string
  route: keyof typeof ROUTES
  request: { limit?: number; offset?: number; prefetch?: unknown }
  /** `ranking` includes all points that tie with the last hit. */
  expected: { ranking?: Point[]; points?: Point[] }
}

interface Dataset {
  schema: unknown
  indexes: unknown[]
  points: unknown[]
}

interface Encoding {
  text: string
  document: unknown
  query: unknown
}

function read<T>(name: string): T {
  return parseJson(readFileSync(join(FOLDER, name), 'utf8')) as T
}

interface PayloadWrite {
  before: object
  operation: 'set' | 'delete'
  key: string | null
  patch?: object
  after: object
}

const OTHERS = ['dataset.json', 'bm25.json', 'payload-writes.json']
const groups = readdirSync(FOLDER).filter(name => name.endsWith('.json') && !OTHERS.includes(name))

describe('answers of the real engine', () => {
  let server: EmbeddedServer

  async function call(method: string, path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${server.url}/collections/harbour${path}`, { method, body: printJson(body) })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return (parseJson(text) as { result: unknown }).result
  }

  beforeAll(async () => {
    server = await startEmbeddedServer()
    const dataset = read<Dataset>('dataset.json')
    await call('PUT', '', dataset.schema)
    for (const index of dataset.indexes) await call('PUT', '/index?wait=true', index)
    await call('PUT', '/points?wait=true', { points: dataset.points })
  })
  afterAll(() => server.close())

  for (const group of groups) {
    describe(group.replace('.json', ''), () => {
      it.each(read<Case[]>(group))('$route: $name', async ({ route, request, expected }) => {
        const answer = await call('POST', `/points${ROUTES[route]}`, request)
        if (expected.ranking !== undefined) expectRanking(pointsOf(answer), expected.ranking, request)
        else if (route === 'query') expectClose(pointsOf(answer), expected.points)
        else expectClose(answer, expected)
      })
    })
  }

  it.each(read<PayloadWrite[]>('payload-writes.json'))(
    'payload $before after $operation at $key',
    async ({ before, operation, key, patch, after }) => {
      const points = [999]
      await call('PUT', '/points', { points: [{ id: 999, vector: {}, payload: before }] })
      if (operation === 'set') await call('POST', '/points/payload', { payload: patch, key, points })
      else await call('POST', '/points/payload/delete', { keys: [key], points })
      expect(await call('POST', '/points', { ids: points })).toEqual([{ id: 999, payload: after }])
      await call('POST', '/points/delete', { points })
    },
  )

  it.each(read<Encoding[]>('bm25.json'))('bm25 encodes $text', ({ text, document, query }) => {
    expectClose(encodeBm25Document(text), sorted(document))
    expectClose(encodeBm25Query(text), sorted(query))
  })
})

/** Compares scores in order. Points with equal scores may be in any order, and any of them may be cut off. */
function expectRanking(points: Point[], ranking: Point[], { limit = 10, offset = 0 }: Case['request']): void {
  expect(points.length).toBe(Math.max(0, Math.min(limit, ranking.length - offset)))
  const expectedById = new Map(ranking.map(point => [point.id, point]))
  expect(new Set(points.map(point => point.id)).size).toBe(points.length)
  points.forEach((point, i) => {
    expectClose(point.score, ranking[offset + i]?.score)
    expectClose(point, expectedById.get(point.id))
  })
}

/** The points of an answer without their version, which is not part of the reference answers. */
function pointsOf(answer: unknown): Point[] {
  return (answer as { points: (Point & { version: number })[] }).points.map(({ version: _, ...point }) => point)
}

/** Deep equality with numbers compared within a relative tolerance, integers and strings exactly. */
function expectClose(actual: unknown, expected: unknown, path = ''): void {
  const [left, right] = [plain(actual), plain(expected)]
  if (typeof right === 'number' && typeof left === 'number' && !Number.isInteger(right)) {
    const error = Math.abs(left - right)
    expect(error, `${path}: ${left} for ${right}`).toBeLessThanOrEqual(TOLERANCE * Math.max(1, Math.abs(right)))
  } else if (typeof right === 'object' && right !== null && typeof left === 'object' && left !== null) {
    // The reference names vectors in no order; everything else keeps its order.
    const keys = (value: object) => (path.endsWith('.vector') ? Object.keys(value).sort() : Object.keys(value))
    expect(keys(left), path).toEqual(keys(right))
    for (const [key, value] of Object.entries(right)) {
      expectClose((left as { [key: string]: unknown })[key], value, `${path}.${key}`)
    }
  } else {
    expect(left, path).toEqual(right)
  }
}

function plain(value: unknown): unknown {
  return value instanceof Float ? value.value : value
}

function sorted(vector: unknown): unknown {
  const { indices, values } = vector as { indices: number[]; values: number[] }
  const order = indices.map((_, i) => i).sort((a, b) => (indices[a] ?? 0) - (indices[b] ?? 0))
  return { indices: order.map(i => indices[i]), values: order.map(i => values[i]) }
}
