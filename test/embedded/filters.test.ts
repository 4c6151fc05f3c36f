import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countPoints, scrollPoints } from '../../src/embedded/reads/points.ts'
import { queryPoints } from '../../src/embedded/reads/search.ts'
import { collectionOf } from './support/collection.ts'

/** Compares filters with a slow and simple implementation. */

type Payload = { a?: unknown; b?: unknown; list?: { n: number; s: string }[] }

const scalar = fc.oneof(
  fc.integer({ min: -2, max: 3 }),
  fc.constantFrom(0.5, -1.5),
  fc.constantFrom('x', 'y', 'xy', ''),
  fc.boolean(),
  fc.constant(null),
)
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }))
const payload: fc.Arbitrary<Payload> = fc.record(
  {
    a: value,
    b: value,
    list: fc.array(fc.record({ n: fc.integer({ min: 0, max: 2 }), s: fc.constantFrom('x', 'y') }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

interface Rule {
  filter: object
  holds(payload: Payload, id: number): boolean
}

function valuesOf(payload: Payload, key: 'a' | 'b'): unknown[] {
  const found = payload[key]
  return found === undefined ? [] : Array.isArray(found) ? found : [found]
}

const key = fc.constantFrom('a' as const, 'b' as const)
const keyword = fc.oneof(fc.integer({ min: -2, max: 3 }), fc.constantFrom('x', 'y', 'xy'))

const leaf: fc.Arbitrary<Rule> = fc.oneof(
  fc.tuple(key, fc.oneof(keyword, fc.boolean())).map(([key, value]) => ({
    filter: { key, match: { value } },
    holds: (payload: Payload) => valuesOf(payload, key).includes(value),
  })),
  fc.tuple(key, fc.uniqueArray(fc.integer({ min: -2, max: 3 }))).map(([key, any]) => ({
    filter: { key, match: { any } },
    holds: (payload: Payload) => valuesOf(payload, key).some(value => any.includes(value as number)),
  })),
  fc.tuple(key, fc.uniqueArray(fc.constantFrom('x', 'y'))).map(([key, except]) => ({
    filter: { key, match: { except } },
    holds: (payload: Payload) => valuesOf(payload, key).some(value => value !== null && !except.includes(value as 'x')),
  })),
  fc.tuple(key, fc.constantFrom('x', 'y')).map(([key, text]) => ({
    filter: { key, match: { text } },
    holds: (payload: Payload) =>
      valuesOf(payload, key).some(value => typeof value === 'string' && value.includes(text)),
  })),
  fc.tuple(key, fc.integer({ min: -2, max: 3 }), fc.integer({ min: -2, max: 3 })).map(([key, gte, lt]) => ({
    filter: { key, range: { gte, lt } },
    holds: (payload: Payload) =>
      valuesOf(payload, key).some(value => typeof value === 'number' && value >= gte && value < lt),
  })),
  key.map(key => ({
    filter: { is_empty: { key } },
    holds: (payload: Payload) => payload[key] === null || valuesOf(payload, key).length === 0,
  })),
  key.map(key => ({
    filter: { is_null: { key } },
    holds: (payload: Payload) => payload[key] === null,
  })),
  fc.tuple(key, fc.integer({ min: 0, max: 3 })).map(([key, gte]) => ({
    filter: { key, values_count: { gte } },
    holds: (payload: Payload) => key in payload && (payload[key] === null ? 0 : valuesOf(payload, key).length) >= gte,
  })),
  fc.tuple(key, fc.boolean()).map(([key, is_null]) => ({
    filter: { key, is_null },
    holds: (payload: Payload) => valuesOf(payload, key).includes(null) === is_null,
  })),
  fc.tuple(key, fc.boolean()).map(([key, is_empty]) => ({
    filter: { key, is_empty },
    holds: (payload: Payload) => (payload[key] === null || valuesOf(payload, key).length === 0) === is_empty,
  })),
  fc.array(fc.integer({ min: 0, max: 20 })).map(ids => ({
    filter: { has_id: ids },
    holds: (_payload: Payload, id: number) => ids.includes(id),
  })),
  fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom('x', 'y')).map(([n, s]) => ({
    filter: {
      nested: {
        key: 'list',
        filter: {
          must: [
            { key: 'n', match: { value: n } },
            { key: 's', match: { value: s } },
          ],
        },
      },
    },
    holds: (payload: Payload) => (payload.list ?? []).some(item => item.n === n && item.s === s),
  })),
)

const { rule } = fc.letrec<{ rule: Rule; tree: Rule }>(tie => ({
  rule: fc.oneof({ maxDepth: 3 }, leaf, tie('tree')),
  tree: fc
    .record({
      must: fc.array(tie('rule'), { maxLength: 2 }),
      should: fc.array(tie('rule'), { maxLength: 3 }),
      must_not: fc.array(tie('rule'), { maxLength: 2 }),
      some: fc.array(tie('rule'), { maxLength: 3 }),
      min_count: fc.integer({ min: 0, max: 3 }),
    })
    .map(({ must, should, must_not, some, min_count }) => ({
      filter: {
        must: must.map(rule => rule.filter),
        should: should.map(rule => rule.filter),
        must_not: must_not.map(rule => rule.filter),
        min_should: { conditions: some.map(rule => rule.filter), min_count },
      },
      holds: (payload: Payload, id: number) =>
        must.every(rule => rule.holds(payload, id)) &&
        (should.length === 0 || should.some(rule => rule.holds(payload, id))) &&
        !must_not.some(rule => rule.holds(payload, id)) &&
        some.filter(rule => rule.holds(payload, id)).length >= min_count,
    })),
}))

/** What an index on a key can narrow: texts under it, alone or as one of two ways. */
const narrow: fc.Arbitrary<Rule> = fc
  .array(
    fc.tuple(
      key,
      fc.oneof(
        fc.subarray<string | number>(['x', 'y', 'xy'], { minLength: 1 }),
        fc.subarray<string | number>([-1, 0, 2], { minLength: 1 }),
      ),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map(ways => ({
    filter: { should: ways.map(([key, any]) => ({ key, match: any.length === 1 ? { value: any[0] } : { any } })) },
    holds: payload =>
      ways.some(([key, any]) => valuesOf(payload, key).some(value => any.includes(value as string | number))),
  }))

describe('filters', () => {
  it('select what a naive reading of them selects', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(payload, { minLength: 1, maxLength: 20 }),
        fc.array(payload, { maxLength: 4 }),
        fc.subarray(['a', 'b', 'list[].s']),
        rule,
        fc.option(narrow),
        async (payloads, later, indexed, wide, narrow) => {
          const rules = narrow === null ? [wide] : [wide, narrow]
          const { engine, collection } = await collectionOf({ vectors: {} })
          // An index must change no answer.
          for (const field_name of indexed)
            await engine.update('c', 'create_index', { field_name, field_schema: 'keyword' })
          const request = { filter: { must: rules.map(({ filter }) => filter) }, limit: 100, with_payload: false }
          const check = async (all: Payload[]) => {
            const points = all.map((payload, id) => ({ id, vector: {}, payload }))
            await engine.update('c', 'upsert', { points })
            const expected = all.flatMap((payload, id) => (rules.every(({ holds }) => holds(payload, id)) ? [id] : []))
            const { points: found } = (await scrollPoints(collection, request)) as { points: { id: number }[] }
            expect(found.map(point => point.id)).toEqual(expected)
            expect(await countPoints(collection, request)).toEqual({ count: expected.length })
            const { points: first } = (await queryPoints(collection, request)) as { points: { id: number }[] }
            expect(first.map(point => point.id)).toEqual(expected)
          }
          await check(payloads)
          // Written after the first read: other payloads in the place of the first ones.
          await check([...later, ...payloads.slice(later.length)])
        },
      ),
      { numRuns: 1500 },
    )
  })
})
