import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { checkUpserts, type UpsertRules } from '../../src/ingestion-guard/check-upserts.ts'
import type { UpsertRoute } from '../../src/qdrant/paths.ts'

type Payload = Record<string, unknown> | null | undefined
interface Point {
  id: number | string
  payload?: Payload
  vector?: unknown
}

const check = (body: unknown, rules: UpsertRules, route: UpsertRoute = 'upsert', indent = 0) =>
  finish(checkUpserts(Buffer.from(JSON.stringify(body, null, indent)), route, rules))

const TEXTS = ['doc_title', 'section_path', 'header', 'tenant', 'space_id', 'lang', 'content_hash', 'parent_id']
const POSITIONS = ['order_index', 'char_start', 'char_end']

/** What is wrong with the points, in the simplest way: `field problem` and the ids. */
function naive(points: Point[], { embedderVersion, allowMixed }: UpsertRules): Record<string, string[]> {
  const faults: Record<string, string[]> = {}
  const add = (fault: string, { id }: Point) => {
    faults[fault] = [...(faults[fault] ?? []), JSON.stringify(id)]
  }
  const missing = (value: unknown) => (value ?? null) === null || (typeof value === 'string' && value.trim() === '')
  let version = embedderVersion
  for (const point of points) {
    const payload = point.payload ?? {}
    const own = payload.embedder_version
    for (const field of ['doc_id', 'text']) if (missing(payload[field])) add(`${field} missing`, point)
    for (const field of ['doc_id', 'text', 'embedder_version', ...TEXTS])
      if (!missing(payload[field]) && typeof payload[field] !== 'string') add(`${field} text`, point)
    for (const field of POSITIONS)
      if (!missing(payload[field]) && !/^\d{1,16}$/.test(JSON.stringify(payload[field])))
        add(`${field} position`, point)
    const { acl } = payload
    if (!missing(acl) && !(Array.isArray(acl) && acl.every(entry => typeof entry === 'string')))
      add('acl list of texts', point)
    if (missing(own) || typeof own !== 'string') continue
    version ??= own
    if (own !== version && !allowMixed) add('embedder_version other embedder', point)
  }
  if (version !== null && !allowMixed)
    for (const point of points) if (missing(point.payload?.embedder_version)) add('embedder_version missing', point)
  return faults
}

function found(report: ReturnType<typeof check>): Record<string, string[]> {
  return Object.fromEntries(report.faults.map(({ field, problem, ids }) => [`${field} ${problem}`, ids]))
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(
    '',
    ' ',
    '\u2003',
    null,
    0,
    3,
    -1,
    1.5,
    1e21,
    true,
    'x',
    'é"\\{}[],:',
    {},
    { text: 'x' },
    [],
  ),
  fc.constantFrom<unknown>(['a'], ['a', 1], [null], [['a']], ['],"', '}']),
)
const fields = ['doc_id', 'text', 'embedder_version', 'acl', 'other', 'payload', 'points', ...TEXTS, ...POSITIONS]
const good = { doc_id: 'd', text: 't', embedder_version: 'A' }
const payloads: fc.Arbitrary<Payload> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...fields), anything, { maxKeys: 4 }) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.dictionary(fc.constantFrom(...fields), anything, { maxKeys: 2 }), fc.constantFrom('A', 'B'))
      .map(([some, version]) => ({ ...good, embedder_version: version, ...some })),
  },
)
const points = fc.array(
  fc.record({
    id: fc.oneof(fc.nat(), fc.uuid()),
    payload: payloads,
    vector: fc.constantFrom<unknown>([1, 2], { dense: [0.5], sparse: { indices: [1], values: [2] } }, {}),
  }),
  // All ids of a fault are shown up to five.
  { maxLength: 5 },
)
const rules = fc.record({ embedderVersion: fc.constantFrom(null, 'A'), allowMixed: fc.boolean() })

describe('the check of upserts', () => {
  it('finds what a naive check of the parsed body finds, in lists and in columns', () => {
    fc.assert(
      fc.property(points, rules, fc.constantFrom(0, 2), (list, rule, indent) => {
        const expected = naive(list, rule)
        expect(found(check({ points: list }, rule, 'upsert', indent))).toEqual(expected)
        const columns = {
          payloads: list.map(({ payload }) => payload ?? null),
          vectors: list.map(({ vector }) => vector),
          ids: list.map(({ id }) => id),
        }
        expect(found(check({ batch: columns }, rule, 'upsert', indent))).toEqual(expected)
        const operations = [{ delete: { points: [1] } }, { upsert: { points: list } }, { set_payload: { payload: {} } }]
        expect(found(check({ operations }, rule, 'batch', indent))).toEqual(expected)
      }),
      { numRuns: 1_000 },
    )
  })

  it('reads both forms of all operations of a batch, and takes all points of a column without payloads', () => {
    const rule = { embedderVersion: 'A', allowMixed: false }
    const operations = [
      { upsert: { points: [{ id: 1, payload: good }] } },
      { upsert: { batch: { ids: [2, 'b'], payloads: null, vectors: [] } } },
      { upsert: { points: [{ id: 3, payload: { ...good, embedder_version: 'B' } }] } },
    ]
    const report = check({ operations }, rule, 'batch')
    expect(report.points).toBe(4)
    expect(found(report)).toEqual({
      'doc_id missing': ['2', '"b"'],
      'text missing': ['2', '"b"'],
      'embedder_version missing': ['2', '"b"'],
      'embedder_version other embedder': ['3'],
    })
  })

  it('counts all points of a fault, and keeps the first ids as they are spelled', () => {
    const list = Array.from({ length: 9 }, (_, i) => `{"id": 1844674407370955161${i % 6}, "payload": {"text": "t"}}`)
    const rule = { embedderVersion: null, allowMixed: false }
    const body = Buffer.from(`{"points": [${list.join()}]}`)
    expect(finish(checkUpserts(body, 'upsert', rule)).faults).toEqual([
      {
        field: 'doc_id',
        problem: 'missing',
        points: 9,
        ids: [0, 1, 2, 3, 4].map(digit => `1844674407370955161${digit}`),
      },
    ])
  })

  it.each([
    ['an escaped name of the field', '{"doc_id":"d","text":"t","embedder\\u005fversion":"B"}'],
    ['an escaped value', '{"doc_id":"d","text":"t","embedder_version":"\\u0042"}'],
    [
      'a second value, which counts in Qdrant',
      '{"doc_id":"d","text":"t","embedder_version":"A","embedder_version":"B"}',
    ],
    ['a very long value', `{"doc_id":"d","text":"t","embedder_version":"A${'a'.repeat(5_000)}"}`],
  ])('sees another version behind %s', (_name, payload) => {
    const body = Buffer.from(`{"points":[{"id":1,"payload":${payload}}]}`)
    const report = finish(checkUpserts(body, 'upsert', { embedderVersion: 'A', allowMixed: false }))
    expect(Object.keys(found(report))).toEqual(['embedder_version other embedder'])
  })

  it.each([
    ['one point with a long text', [{ id: 1, payload: { ...good, text: 'x'.repeat(2_000_000) } }]],
    ['one point with a long vector', [{ id: 1, payload: good, vector: Array(1_000_000).fill(0) }]],
    ['many small points', Array.from({ length: 100_000 }, (_, id) => ({ id }))],
  ])('takes steps in proportion to the bytes: %s', (_name, list) => {
    const body = Buffer.from(JSON.stringify({ points: list }))
    let steps = 0
    for (const _ of checkUpserts(body, 'upsert', { embedderVersion: null, allowMixed: false })) steps++
    expect(steps).toBeGreaterThan(body.length / 32_768)
    expect(steps).toBeLessThan(body.length / 8_192)
  })
})
