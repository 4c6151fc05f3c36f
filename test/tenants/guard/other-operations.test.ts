import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { matchRoute } from '../../../src/tenants/guard/match.ts'
import { ALLOWABLE_OPERATIONS } from '../../../src/tenants/guard/routes/table.ts'
import { guardOne, refusalOf } from './support/guard-one.ts'
import { owningTenant, sharingTenant } from './support/tenants.ts'

const everything = new Set(ALLOWABLE_OPERATIONS.keys())
const condition = { key: 'tenant', match: { value: 'acme' } }
const UUID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'

describe('a read by ids', () => {
  it('becomes a scroll over the distinct ids, in the order of their first mention', () => {
    const body =
      '{"ids":[9,"F47AC10B58CC4372A5670E02B2C3D479",9,18446744073709551615,"urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479"],"with_vectors":["a"],"shard_key":"s"}'
    const guarded = guardOne('get_points', body)
    expect([guarded.method, guarded.target, guarded.checks]).toEqual(['POST', '/collections/shared/points/scroll', []])
    expect(guarded.body).toBe(
      `{"with_vectors":["a"],"shard_key":"s","with_payload":true,"filter":{"must":[${JSON.stringify(condition)},{"has_id":[9,"${UUID}",18446744073709551615]}]},"limit":3}`,
    )
    expect(guarded.answer).toEqual({ kind: 'points_by_id', ids: ['9', `"${UUID}"`, '18446744073709551615'] })
  })

  it('shows what was asked for', () => {
    const shown = (body: object) => JSON.parse(guardOne('get_points', { ids: [1], ...body }).body ?? '')
    expect(shown({}).with_payload).toBe(true)
    expect(shown({ with_payload: null }).with_payload).toBe(true)
    expect(shown({ with_payload: false, with_vector: true })).toMatchObject({ with_payload: false, with_vector: true })
    expect(shown({ with_payload: { include: ['a'] } }).with_payload).toEqual({ include: ['a'] })
  })

  it('of no ids finds none', () => {
    const { body, answer } = guardOne('get_points', { ids: [] })
    expect(JSON.parse(body ?? '')).toMatchObject({ filter: { must: [condition, { has_id: [] }] }, limit: 1 })
    expect(answer).toEqual({ kind: 'points_by_id', ids: [] })
  })

  it.each([
    {},
    { ids: null },
    { ids: 7 },
    { ids: ['x'] },
    { ids: [1.5] },
    { ids: [[1]] },
    { ids: [1], filter: {} },
    { ids: [1], limit: 5 },
  ])('of %j is refused', body => {
    expect(refusalOf(() => guardOne('get_points', body))).toMatch(/^bad_request/)
  })

  it.each([
    ['7', '7'],
    ['007', '7'],
    ['0', '0'],
    ['18446744073709551615', '18446744073709551615'],
    [UUID, `"${UUID}"`],
    ['F47AC10B58CC4372A5670E02B2C3D479', `"${UUID}"`],
    [`%7B${UUID}%7D`, `"${UUID}"`],
    [`urn:uuid:${UUID}`, `"${UUID}"`],
  ])('of points/%s becomes a scroll', (spelled, id) => {
    const matched = matchRoute('GET', `/collections/shared/points/${spelled}?timeout=2`, sharingTenant())
    const guarded = finish(matched.guard(null))
    expect([guarded.method, guarded.target]).toEqual(['POST', '/collections/shared/points/scroll?timeout=2'])
    expect(guarded.body).toBe(
      `{"with_vector":true,"with_payload":true,"filter":{"must":[${JSON.stringify(condition)},{"has_id":[${id}]}]},"limit":1}`,
    )
    expect(guarded.answer).toEqual({ kind: 'point_by_id', ids: [id] })
  })

  it.each(['x', '-1', '1.0', '%2B7', '18446744073709551616', 'scroll', 'f47ac10b', '1%2C2'])(
    'of points/%s is refused',
    spelled => {
      const guard = () =>
        finish(matchRoute('GET', `/collections/shared/points/${spelled}`, sharingTenant()).guard(null))
      expect(refusalOf(guard)).toMatch(/^bad_request: .*is not a point id/)
    },
  )
})

describe('a new collection', () => {
  const tenant = sharingTenant({ allowedOperations: everything })

  it('has the settings that were sent, to the letter', () => {
    const body =
      '{"vectors":{"size":4.0,"distance":"Dot"},"sparse_vectors":{"s":{"modifier":"idf"}},"metadata":{"a":1e2}}'
    expect(guardOne('create_collection', body, tenant, 'shared-new').body).toBe(body)
  })

  it('cannot copy another one, and must be one that the tenant reaches', () => {
    for (const own of [tenant, owningTenant({ allowedOperations: everything, reaches: () => true })]) {
      expect(refusalOf(() => guardOne('create_collection', { init_from: { collection: 'foreign' } }, own))).toBe(
        'bad_request: Unknown field "init_from" in the body.',
      )
    }
    expect(refusalOf(() => guardOne('create_collection', {}, tenant, 'foreign'))).toMatch(/^forbidden/)
  })
})

describe('changes of aliases', () => {
  const tenant = owningTenant({ allowedOperations: everything })
  const change = (...actions: unknown[]) => refusalOf(() => guardOne('update_aliases', { actions }, tenant))
  const FOREIGN = 'forbidden: This collection is not allowed.'

  it('go on when every name is reached', () => {
    const actions = [
      { create_alias: { collection_name: 'own', alias_name: 'own-x' } },
      { rename_alias: { old_alias_name: 'own-x', new_alias_name: 'own-y' } },
      { delete_alias: { alias_name: 'own-y' } },
    ]
    expect(JSON.parse(guardOne('update_aliases', { actions }, tenant).body ?? '')).toEqual({ actions })
  })

  it.each([
    [{ create_alias: { collection_name: 'foreign', alias_name: 'own-x' } }],
    [{ create_alias: { collection_name: 'own', alias_name: 'foreign' } }],
    [{ rename_alias: { old_alias_name: 'foreign', new_alias_name: 'own-y' } }],
    [{ rename_alias: { old_alias_name: 'own-x', new_alias_name: 'foreign' } }],
    [{ delete_alias: { alias_name: 'foreign' } }],
  ])('are refused when one is not: %j', action => {
    expect(change(action)).toBe(FOREIGN)
    expect(change({ delete_alias: { alias_name: 'own' } }, action)).toBe(FOREIGN)
  })

  it.each([
    [{}],
    [7],
    [{ swap_alias: { alias_name: 'own' } }],
    [{ create_alias: { collection_name: 'own', alias_name: 'own-x', other: 'foreign' } }],
    [{ create_alias: { collection_name: 'own', alias_name: 7 } }],
    [{ delete_alias: { alias_name: 'own' }, create_alias: { collection_name: 'own', alias_name: 'own-x' } }],
  ])('are refused when they cannot be read: %j', action => {
    expect(change(action)).toMatch(/^bad_request/)
  })

  it('are for owners of whole collections', () => {
    expect(
      refusalOf(() => guardOne('update_aliases', { actions: [] }, sharingTenant({ allowedOperations: everything }))),
    ).toMatch(/^forbidden/)
  })
})

describe('the answers to what the operator allows', () => {
  it.each([
    ['/collections', 'collection_list', 'collection_list'],
    ['/aliases', 'alias_list', 'alias_list'],
    ['/collections/shared/aliases', 'alias_list', 'alias_list'],
    ['/collections/shared', 'collection_info', 'unchanged'],
    ['/collections/shared/exists', 'unchanged', 'unchanged'],
  ])('of GET %s hide what is not the tenant’s', (target, shared, owned) => {
    const answer = (tenant: typeof sharingTenant) =>
      finish(matchRoute('GET', target, tenant({ allowedOperations: everything, reaches: () => true })).guard(null))
        .answer.kind
    expect(answer(sharingTenant)).toBe(shared)
    expect(answer(owningTenant)).toBe(owned)
  })
})

describe('a long body', () => {
  const points = Array.from({ length: 3000 }, (_, id) => ({ id, vector: Array(20).fill(0.125), payload: { id } }))
  const prefetch = Array.from({ length: 20_000 }, (_, limit) => ({ limit: limit + 1, using: 'text' }))
  const context = Array.from({ length: 20_000 }, (_, at) => ({ positive: at, negative: at + 1 }))
  it.each([
    ['PUT', 'points', { points }],
    ['POST', 'points/query', { prefetch, query: { fusion: 'rrf' } }],
    ['POST', 'points/query', { prefetch: { prefetch }, query: { context } }],
    ['POST', 'points/query/batch', { searches: [{ prefetch, query: 7 }] }],
    ['POST', 'points/recommend', { positive: Array.from({ length: 80_000 }, (_, id) => id) }],
    ['POST', 'points/discover', { target: 7, context }],
  ])('of %s %s is guarded in many short steps, to the same result', (method, path, json) => {
    const body = JSON.stringify(json)
    const matched = matchRoute(method, `/collections/shared/${path}`, sharingTenant())
    const steps = matched.guard(body)
    let pauses = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) pauses++
    expect(pauses).toBeGreaterThan(body.length / 100_000)
    expect(step.value).toEqual(finish(matched.guard(body)))
  })
})
