import { describe, expect, it } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { finish } from '../../../src/core/steps.ts'
import { createMatchRoute, matchRoute } from '../../../src/tenants/guard/match.ts'
import { createFindRoute } from '../../../src/tenants/guard/routes/find.ts'
import type { Route } from '../../../src/tenants/guard/routes/route.ts'
import { ALLOWABLE_OPERATIONS, ROUTES } from '../../../src/tenants/guard/routes/table.ts'
import { clientRoutes, type KnownRoute, recordedRoutes } from './support/known-routes.ts'
import { owningTenant, sharingTenant } from './support/tenants.ts'

const findRoute = createFindRoute(ROUTES)
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

const segmentsOf = (path: string) => path.split('/').filter(segment => segment !== '')
const sample = (path: string, collection = 'shared') =>
  path
    .replace('{collection_name}', collection)
    .replace('{id}', '7')
    .replace(/\{\w+\}/g, 'x1')
const rowOf = ({ method, path }: KnownRoute) =>
  findRoute(method === '*' ? 'PROPFIND' : method, segmentsOf(sample(path)))?.route
const withoutNames = (path: string) => path.replace(/\{\w+\}/g, '{}')

function refusalOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof StowageError) return error.code
    throw error
  }
  return 'none'
}

describe('the table of routes', () => {
  it('has every route of Qdrant 1.18.3 and 1.19.0, the undocumented ones too', () => {
    const recorded = recordedRoutes()
    expect(recorded.length).toBeGreaterThan(100)
    for (const known of recorded) {
      const row = rowOf(known)
      expect(row?.operation, `${known.method} ${known.path}`).toBe(known.operation)
      expect(withoutNames(row?.path ?? ''), `${known.method} ${known.path}`).toBe(withoutNames(known.path))
    }
  })

  it('has every route in the types of the JavaScript client', () => {
    const routes = clientRoutes()
    expect(routes.length).toBeGreaterThan(70)
    for (const known of routes) expect(rowOf(known)?.operation, `${known.method} ${known.path}`).toBe(known.operation)
  })

  it.each([
    'search',
    'search/batch',
    'search/groups',
    'recommend',
    'recommend/batch',
    'recommend/groups',
    'discover',
    'discover/batch',
  ])('has points/%s, which 1.19 serves and no longer documents', rest => {
    const row = findRoute('POST', ['collections', 'shared', 'points', ...rest.split('/')])?.route
    expect(row?.cover.kind).toBe('guarded')
  })

  it('has no row that another source does not know', () => {
    const known = [...recordedRoutes(), ...clientRoutes()].map(({ method, path }) => `${method} ${withoutNames(path)}`)
    const unknown = ROUTES.filter(({ method, path }) => !known.includes(`${method} ${withoutNames(path)}`))
    expect(unknown).toEqual([])
  })

  it('never has two rows for one request, except when both are closed to all tenants', () => {
    const closed = ({ cover }: Route) => cover.kind === 'never'
    const meets = (one: Route, other: Route) => {
      const [left, right] = [segmentsOf(one.path), segmentsOf(other.path)]
      const samePath = left.every(
        (segment, at) => segment === right[at] || /^\{/.test(segment + right[at]) || /^\{/.test(right[at] ?? ''),
      )
      return left.length === right.length && samePath && one.method === other.method
    }
    for (const [at, one] of ROUTES.entries()) {
      for (const other of ROUTES.slice(at + 1)) {
        expect(meets(one, other) && !(closed(one) && closed(other)), `${one.path} ${other.path}`).toBe(false)
      }
    }
  })

  it('reaches each of its rows', () => {
    for (const row of ROUTES) {
      const method = row.method === '*' ? 'PROPFIND' : row.method
      expect(findRoute(method, segmentsOf(sample(row.path)))?.route).toBe(row)
    }
  })

  it('opens nothing but this', () => {
    const operations = (kind: string) =>
      ROUTES.filter(({ cover }) => (cover.kind === 'allowable' ? cover.scope : cover.kind) === kind).map(
        row => row.operation,
      )
    expect(operations('open')).toEqual(['root', 'healthz', 'livez', 'readyz'])
    expect(operations('any').sort()).toEqual([
      'collection_exists',
      'create_collection',
      'get_collection',
      'get_collection_aliases',
      'get_collections',
      'get_collections_aliases',
    ])
    expect(operations('whole').sort()).toEqual([
      'collection_cluster_info',
      'create_field_index',
      'create_shard_key',
      'create_snapshot',
      'create_vector_name',
      'delete_collection',
      'delete_field_index',
      'delete_shard_key',
      'delete_snapshot',
      'delete_vector_name',
      'get_optimizations',
      'get_snapshot',
      'list_shard_keys',
      'list_snapshots',
      'update_aliases',
      'update_collection',
    ])
  })

  it('lets only reads and writes of points through without the permission of the operator', () => {
    for (const row of ROUTES.filter(({ cover }) => cover.kind === 'guarded')) {
      expect(row.path).toMatch(/^\/collections\/\{collection_name\}\/(?:points|facet)/)
    }
  })
})

describe('a request of a tenant', () => {
  it.each(ROUTES.map(row => [row.method, row.path, row] as const))(
    '%s %s is closed as the table says',
    (_method, _path, row) => {
      const method = row.method === '*' ? 'PROPFIND' : row.method
      const everything = new Set(ROUTES.map(({ operation }) => operation))
      const codes = [
        sharingTenant(),
        sharingTenant({ allowedOperations: everything }),
        owningTenant({ allowedOperations: everything, reaches: name => name === 'shared' }),
      ].map(tenant => refusalOf(() => matchRoute(method, sample(row.path), tenant)))
      const { cover } = row
      const expected = {
        open: ['none', 'none', 'none'],
        guarded: ['none', 'none', 'none'],
        allowable: ['forbidden', cover.kind === 'allowable' && cover.scope === 'any' ? 'none' : 'forbidden', 'none'],
        never: ['forbidden', 'forbidden', 'forbidden'],
      }
      expect(codes).toEqual(expected[cover.kind])
    },
  )

  it.each([
    ['GET', '/collections', 'The operator can name it under `allow` of this tenant.'],
    ['DELETE', '/collections/shared', 'is not allowed in shared collections.'],
    ['GET', '/telemetry', 'is not allowed to tenants.'],
  ])('is told what can be done about a refusal: %s %s', (method, target, advice) => {
    expect(() => matchRoute(method, target, sharingTenant())).toThrow(advice)
  })

  it('is refused alike on every collection that is not reached', () => {
    for (const { method, path } of ROUTES.filter(row => row.path.includes('{collection_name}'))) {
      const tenant = sharingTenant({ allowedOperations: new Set(ALLOWABLE_OPERATIONS.keys()) })
      const target = sample(path, 'foreign')
      expect(
        refusalOf(() => matchRoute(method, target, tenant)),
        `${method} ${target}`,
      ).toBe('forbidden')
    }
  })

  it('can write only when the tenant may write, and has a field that marks its points', () => {
    const everything = new Set(ALLOWABLE_OPERATIONS.keys())
    for (const { method, path, access, cover } of ROUTES) {
      if (cover.kind !== 'guarded' && cover.kind !== 'allowable') continue
      const readers = [
        sharingTenant({ readOnly: true, allowedOperations: everything }),
        sharingTenant({ stamp: null, allowedOperations: everything }),
        owningTenant({ readOnly: true, allowedOperations: everything, reaches: () => true }),
      ]
      for (const tenant of readers) {
        const code = refusalOf(() => matchRoute(method, sample(path), tenant))
        if (access === 'write') expect(code, `${method} ${path}`).toBe('forbidden')
      }
    }
  })

  it.each([
    ['GET', '/dashboard'],
    ['GET', '/locks'],
    ['GET', '/collections/shared/points'],
    ['POST', '/collections/shared'],
    ['POST', '/collections/shared/points/query/x'],
    ['POST', '/collections/shared/Points/query'],
    ['HEAD', '/collections/shared/points/7'],
    ['OPTIONS', '/collections/shared/points/query'],
    ['post', '/collections/shared/points/query'],
    ['PROPFIND', '/collections/shared/points/query'],
  ])('to %s %s is unknown', (method, target) => {
    expect(refusalOf(() => matchRoute(method, target, sharingTenant()))).toBe('not_found')
  })

  it.each(METHODS)('with the method %s never meets a row of another method', method => {
    for (const row of ROUTES) {
      const found = findRoute(method, segmentsOf(sample(row.path)))?.route
      if (found !== undefined) expect([method, '*']).toContain(found.method)
    }
  })

  it('goes on unread for a tenant with whole collections, where its body can name no other', () => {
    const target = '/collections/own/points/scroll'
    const matched = matchRoute('POST', `${target}/?timeout=3`, owningTenant())
    expect(matched.readsBody).toBe(false)
    expect(finish(matched.guard(null))).toEqual({
      method: 'POST',
      target: `${target}?timeout=3`,
      body: null,
      checks: [],
      answer: { kind: 'unchanged' },
    })
    expect(matchRoute('POST', '/collections/own/points/query', owningTenant()).readsBody).toBe(true)
    expect(matchRoute('POST', '/collections/shared/points/scroll', sharingTenant()).readsBody).toBe(true)
    expect(matchRoute('GET', '/collections/shared/points/7', sharingTenant()).readsBody).toBe(false)
  })

  it('meets a table with a row switched off', () => {
    const table = ROUTES.map(row =>
      row.operation === 'telemetry' ? { ...row, cover: { kind: 'open' } as const } : row,
    )
    expect(refusalOf(() => createMatchRoute(table)('GET', '/telemetry', sharingTenant()))).toBe('none')
    expect(refusalOf(() => matchRoute('GET', '/telemetry', sharingTenant()))).toBe('forbidden')
  })
})
