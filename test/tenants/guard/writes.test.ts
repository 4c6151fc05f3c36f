import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePayloadPath, relationTo } from '../../../src/tenants/guard/body/payload-path.ts'
import { guardOne, refusalOf } from './support/guard-one.ts'
import { sharingTenant } from './support/tenants.ts'

const nested = sharingTenant({
  stamp: { field: 'metadata.tenant', value: 'acme' },
  condition: { key: 'metadata.tenant', match: { value: 'acme' } },
})
const OTHER = /^forbidden: .*(?:tenant field)/

const sentPayload = (operation: string, body: object, tenant = sharingTenant()) =>
  JSON.parse(guardOne(operation, body, tenant).body ?? '').payload
const upserted = (payload: unknown, tenant = sharingTenant()) =>
  JSON.parse(guardOne('upsert_points', { points: [{ id: 7, vector: [1], payload }] }, tenant).body ?? '').points[0]
    .payload

describe('an upsert', () => {
  it.each([
    [undefined, { tenant: 'acme' }],
    [null, { tenant: 'acme' }],
    [{}, { tenant: 'acme' }],
    [{ a: 1 }, { tenant: 'acme', a: 1 }],
    [
      { tenant: 'acme', a: 1 },
      { tenant: 'acme', a: 1 },
    ],
    [
      { 'tenant.x': 1, Tenant: 2 },
      { tenant: 'acme', 'tenant.x': 1, Tenant: 2 },
    ],
  ])('writes the tenant field into %j', (payload, sent) => {
    expect(upserted(payload)).toEqual(sent)
  })

  it.each([
    [undefined, { metadata: { tenant: 'acme' } }],
    [{ a: 1 }, { metadata: { tenant: 'acme' }, a: 1 }],
    [{ metadata: {} }, { metadata: { tenant: 'acme' } }],
    [
      { metadata: { b: [1] }, a: 1 },
      { metadata: { tenant: 'acme', b: [1] }, a: 1 },
    ],
    [{ metadata: { tenant: 'acme', b: 1 } }, { metadata: { tenant: 'acme', b: 1 } }],
    [
      { 'metadata.tenant': 'other', tenant: 'other' },
      { 'metadata.tenant': 'other', tenant: 'other', metadata: { tenant: 'acme' } },
    ],
  ])('writes a field inside an object into %j', (payload, sent) => {
    expect(upserted(payload, nested)).toEqual(sent)
  })

  it.each(['other', null, '', 'Acme', 'acme ', ['acme'], ['acme', 'other'], { x: 'acme' }, 7, true])(
    'refuses %j as the tenant',
    value => {
      expect(refusalOf(() => upserted({ tenant: value }))).toBe(
        'forbidden: points[0].payload gives the tenant field another value.',
      )
      expect(refusalOf(() => upserted({ metadata: { tenant: value } }, nested))).toMatch(OTHER)
      const columns = { batch: { ids: [1, 2], vectors: [[1], [2]], payloads: [{}, { tenant: value }] } }
      expect(refusalOf(() => guardOne('upsert_points', columns))).toBe(
        'forbidden: batch.payloads[1] gives the tenant field another value.',
      )
    },
  )

  it.each(['other', null, ['acme'], [{ tenant: 'acme' }], 7])(
    'refuses %j where the field needs an object',
    metadata => {
      expect(refusalOf(() => upserted({ metadata }, nested))).toMatch(OTHER)
    },
  )

  it.each(['"tenant":"acme","tenant":"other"', '"tenant":"acme","\\u0074enant":"acme"'])(
    'refuses a payload with %s',
    members => {
      const body = `{"points":[{"id":1,"vector":[1],"payload":{${members}}}]}`
      expect(refusalOf(() => guardOne('upsert_points', body))).toMatch(/^bad_request: .*duplicate key/)
    },
  )

  it('takes an escaped spelling of the same value, and sends it as it came', () => {
    const body = '{"points":[{"id":1,"vector":[1],"payload":{"t\\u0065nant":"\\u0061cme"}}]}'
    expect(guardOne('upsert_points', body).body).toContain('"payload":{"t\\u0065nant":"\\u0061cme"}')
  })

  it('keeps the spelling of a payload, also around the field', () => {
    const payload = '{ "a" : 1.50, "metadata" : { "b" : 5.0 , "c":"\\ud800" } , "d":18446744073709551616e0 }'
    const { body } = guardOne('upsert_points', `{"points":[{"id":1,"vector":[1],"payload":${payload}}]}`, nested)
    const stamped = payload.replace('{ "b"', '{"tenant":"acme", "b"')
    expect(body).toContain(`"payload":${stamped}`)
  })

  it.each([7, 'x', [], true])('refuses %j as a payload', payload => {
    expect(refusalOf(() => upserted(payload))).toMatch(/^bad_request/)
  })

  it.each([
    {},
    { points: [], batch: { ids: [], vectors: [] } },
    { points: {} },
    { points: null },
    { points: [7] },
    { points: [{ vector: [1] }] },
    { points: [{ id: 1.5, vector: [1] }] },
    { points: [{ id: 1, vector: [1], payloads: {} }] },
    { batch: { ids: [1], vectors: [[1]], payloads: [] } },
    { batch: { ids: [1], vectors: [[1]], payloads: [{}, {}] } },
    { batch: { ids: 1, vectors: [[1]] } },
    { batch: { ids: [1], vectors: [[1]], extra: [] } },
  ])('refuses %j', body => {
    expect(refusalOf(() => guardOne('upsert_points', body))).toMatch(/^bad_request/)
  })

  it('writes the field into columns without payloads', () => {
    for (const payloads of [undefined, null]) {
      const { body } = guardOne('upsert_points', { batch: { ids: [1, 2], vectors: [[1], [2]], payloads } })
      expect(JSON.parse(body ?? '').batch.payloads).toEqual([{ tenant: 'acme' }, { tenant: 'acme' }])
    }
  })

  it('is sent only when none of its ids is a point of others, each counted once', () => {
    const points = [1, 2, 1].map(id => ({ id, vector: [1] }))
    const forms = [{ points }, { batch: { ids: [1, 2, 1], vectors: [[1], [1], [1]] } }]
    for (const form of forms) {
      const { checks, body } = guardOne('upsert_points', form)
      expect(
        checks.map(({ filter, count, refusal, collection }) => [collection, JSON.parse(filter), count, refusal.code]),
      ).toEqual([
        [
          'shared',
          { must: [{ has_id: [1, 2] }], must_not: [{ key: 'tenant', match: { value: 'acme' } }] },
          0,
          'forbidden',
        ],
      ])
      expect(JSON.parse(body ?? '').update_filter).toEqual({ must: [{ key: 'tenant', match: { value: 'acme' } }] })
    }
  })
})

describe('an update of vectors', () => {
  it('needs points of the tenant, except those that the same batch wrote before', () => {
    const alone = guardOne('update_vectors', {
      points: [
        { id: 1, vector: [1] },
        { id: 2, vector: [1] },
      ],
    })
    expect(alone.checks.map(({ count, refusal }) => [count, refusal.code])).toEqual([[2, 'not_found']])
    const upsert = { upsert: { points: [{ id: 1, vector: [1] }] } }
    const update = { update_vectors: { points: [{ id: 1, vector: [1] }] } }
    const codes = (operations: object[]) =>
      guardOne('batch_update', { operations }).checks.map(({ refusal }) => refusal.code)
    expect(codes([upsert, update])).toEqual(['forbidden'])
    expect(codes([update, upsert])).toEqual(['not_found', 'forbidden'])
  })
})

describe('a change of payloads', () => {
  const change = (operation: string, body: object, tenant = sharingTenant()) =>
    refusalOf(() => guardOne(operation, { points: [7], ...body }, tenant))

  it.each(['set_payload', 'overwrite_payload'])('by %s cannot give the tenant field another value', operation => {
    for (const value of ['other', null, ['acme'], { a: 1 }, 7]) {
      expect(change(operation, { payload: { tenant: value } })).toMatch(OTHER)
      expect(change(operation, { payload: { metadata: { tenant: value } } }, nested)).toMatch(OTHER)
      if (typeof value !== 'object' || value === null)
        expect(change(operation, { payload: { metadata: value } }, nested)).toMatch(OTHER)
    }
    expect(change(operation, { payload: { tenant: 'acme', a: 1 } })).toBe(null)
  })

  it('sets members and leaves the tenant field, which is added where an object around it is replaced', () => {
    expect(sentPayload('set_payload', { points: [7], payload: { a: 1 } })).toEqual({ a: 1 })
    expect(sentPayload('set_payload', { points: [7], payload: { a: 1 } }, nested)).toEqual({ a: 1 })
    expect(sentPayload('set_payload', { points: [7], payload: { metadata: { a: 1 } } }, nested)).toEqual({
      metadata: { a: 1, tenant: 'acme' },
    })
    expect(sentPayload('set_payload', { points: [7], key: 'metadata', payload: { a: 1 } }, nested)).toEqual({ a: 1 })
    expect(sentPayload('overwrite_payload', { points: [7], payload: { a: 1 } })).toEqual({ a: 1, tenant: 'acme' })
    expect(sentPayload('overwrite_payload', { points: [7], payload: {}, key: 'a.b' }, nested)).toEqual({
      metadata: { tenant: 'acme' },
    })
  })

  it.each(['tenant', '"tenant"', 'tenant.x', 'tenant[0]', 'tenant[]', '"tenant".x', 'tenant[].x'])(
    'cannot be made at %s',
    key => {
      expect(change('set_payload', { payload: {}, key })).toMatch(OTHER)
      expect(change('overwrite_payload', { payload: {}, key })).toMatch(OTHER)
      expect(change('delete_payload', { keys: ['a', key] })).toMatch(OTHER)
    },
  )

  it.each([
    'metadata[]',
    'metadata[0]',
    'metadata[].tenant',
    'metadata.tenant',
    'metadata."tenant"',
    '"metadata".tenant',
    'metadata.tenant.x',
  ])('cannot be made at %s, around a field inside an object', key => {
    expect(change('set_payload', { payload: {}, key }, nested)).toMatch(OTHER)
    expect(change('overwrite_payload', { payload: {}, key }, nested)).toMatch(OTHER)
    expect(change('delete_payload', { keys: [key] }, nested)).toMatch(OTHER)
  })

  it('at an object around the field keeps the field', () => {
    for (const key of ['metadata', '"metadata"']) {
      expect(change('set_payload', { payload: { a: 1 }, key }, nested)).toBe(null)
      expect(change('set_payload', { payload: { tenant: 'acme' }, key }, nested)).toBe(null)
      expect(change('set_payload', { payload: { tenant: 'other' }, key }, nested)).toMatch(OTHER)
      expect(change('overwrite_payload', { payload: { a: 1 }, key }, nested)).toMatch(OTHER)
      expect(change('delete_payload', { keys: [key] }, nested)).toMatch(OTHER)
    }
  })

  it.each([
    'a',
    'tenants',
    'Tenant',
    '"tenant.x"',
    '"metadata.tenant"',
    'a.tenant',
    'metadata.tenants',
    'é',
    'a[3].b[]',
  ])('can be made at %s', key => {
    expect(change('set_payload', { payload: {}, key }, nested)).toBe(null)
    expect(change('overwrite_payload', { payload: {}, key }, nested)).toBe(null)
    expect(change('delete_payload', { keys: [key] }, nested)).toBe(null)
  })

  it.each([
    '',
    '.',
    '.a',
    'a.',
    'a..b',
    '[]',
    '[0]',
    'a[',
    'a[x]',
    'a[-1]',
    'a b',
    '"a',
    'a"b"',
    '"a"b',
    'a\\b',
    '"a\\"b"',
    'a[0',
    'a.[0]',
    '*',
    '$.a',
  ])('at the unreadable path %j is refused', key => {
    expect(change('set_payload', { payload: {}, key })).toMatch(/^bad_request/)
    expect(change('delete_payload', { keys: [key] })).toMatch(/^bad_request/)
  })

  it('needs keys that are texts', () => {
    for (const key of [7, {}, [], true]) {
      expect(change('set_payload', { payload: {}, key })).toMatch(/^bad_request/)
      expect(change('delete_payload', { keys: [key] })).toMatch(/^bad_request/)
    }
    expect(change('delete_payload', { keys: 'a' })).toMatch(/^bad_request/)
    expect(change('delete_payload', {})).toMatch(/^bad_request/)
    expect(change('set_payload', {})).toMatch(/^bad_request/)
    expect(change('set_payload', { payload: null })).toMatch(/^bad_request/)
  })

  it('by clearing becomes an overwriting with the tenant field alone', () => {
    const { method, target, body } = guardOne('clear_payload', { points: [7], shard_key: 'a' }, nested)
    expect([method, target]).toEqual(['PUT', '/collections/shared/points/payload'])
    expect(JSON.parse(body ?? '')).toEqual({
      shard_key: 'a',
      payload: { metadata: { tenant: 'acme' } },
      filter: { must: [nested.condition, { has_id: [7] }] },
    })
  })
})

describe('a path into the payload', () => {
  it('is read as its parts, however they are quoted', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', '.', ' ', '[', ']', 'é', '-', '0'),
      minLength: 1,
      maxLength: 4,
    })
    const step = fc.oneof(
      name.map(key => ({ key })),
      fc.constant('elements' as const),
    )
    const spelled = fc
      .tuple(
        name.map(key => ({ key })),
        fc.array(step, { maxLength: 4 }),
      )
      .map(([first, rest]) => [first, ...rest])
    fc.assert(
      fc.property(spelled, fc.boolean(), (steps, quoted) => {
        const text = steps
          .map((part, at) => {
            if (part === 'elements') return quoted ? '[]' : '[12]'
            const plain = !quoted && /^[\p{Alphabetic}\p{N}_-]+$/u.test(part.key)
            return `${at === 0 ? '' : '.'}${plain ? part.key : `"${part.key}"`}`
          })
          .join('')
        expect(parsePayloadPath(text)).toEqual(steps)
      }),
    )
  })

  it('meets a field exactly when a change at the path can reach the field', () => {
    const names = fc.constantFrom('a', 'b')
    const paths = fc.array(
      fc.oneof(
        names.map(key => ({ key })),
        fc.constant('elements' as const),
      ),
      { minLength: 1, maxLength: 4 },
    )
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 3 }), paths, (field, path) => {
        const texts = path.map(step => (step === 'elements' ? '[]' : step.key))
        const common = field.findIndex((name, at) => name !== texts[at])
        const relation = relationTo(field, path)
        if (common < 0) expect(relation).toBe('within')
        else if (common >= path.length) expect(relation).toBe('above')
        else expect(relation).toBe(texts[common] === '[]' ? 'within' : 'apart')
      }),
    )
  })
})

describe('a selection of points', () => {
  const SELECTING: Record<string, object> = {
    delete_points: {},
    set_payload: { payload: { a: 1 } },
    overwrite_payload: { payload: { a: 1 } },
    delete_payload: { keys: ['a'] },
    clear_payload: {},
    delete_vectors: { vector: ['dense'] },
  }

  it.each(Object.entries(SELECTING))('of %s is by ids or by a filter', (operation, rest) => {
    const filterOf = (selection: object) => JSON.parse(guardOne(operation, { ...rest, ...selection }).body ?? '').filter
    const condition = { key: 'tenant', match: { value: 'acme' } }
    expect(filterOf({ points: [7, 'F47AC10B58CC4372A5670E02B2C3D479'] })).toEqual({
      must: [condition, { has_id: [7, 'f47ac10b-58cc-4372-a567-0e02b2c3d479'] }],
    })
    expect(filterOf({ points: [], filter: null })).toEqual({ must: [condition, { has_id: [] }] })
    expect(filterOf({ points: null, filter: { must_not: [condition] } })).toEqual({
      must: [condition, { must_not: [condition] }],
    })
    expect(filterOf({ filter: {} })).toEqual({ must: [condition] })
    for (const wrong of [
      {},
      { points: null },
      { filter: null },
      { points: [7], filter: {} },
      { points: 7 },
      { points: { filter: {} } },
      { filter: [] },
      { points: [[7]] },
      { points: ['x'] },
    ]) {
      expect(
        refusalOf(() => guardOne(operation, { ...rest, ...wrong })),
        JSON.stringify(wrong),
      ).toMatch(/^bad_request/)
    }
  })

  it.each([
    {},
    { delete: { points: [7] }, upsert: { points: [] } },
    { insert: { points: [] } },
    { delete: [7] },
    7,
    null,
  ])('of the operation %j is refused', operation => {
    expect(refusalOf(() => guardOne('batch_update', { operations: [operation] }))).toMatch(/^bad_request/)
  })
})
