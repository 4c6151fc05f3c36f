import { describe, expect, it } from 'vitest'
import {
  collectionPath,
  isRead,
  pathPrefix,
  readCollectionPath,
  readSearchTarget,
  readUpsertTarget,
  SEARCH_PATH,
} from '../../src/qdrant/paths.ts'

describe('a path of a collection', () => {
  it.each(['docs', 'a/b', 'ü ?#%', '..'])('is read as it was made: %s', collection => {
    expect(readCollectionPath(collectionPath(collection))).toEqual({ collection, rest: '' })
    const path = collectionPath(collection, 'points/query/batch')
    expect(readCollectionPath(`http://host${path}/?timeout=1`)).toEqual({ collection, rest: 'points/query/batch' })
    expect(readSearchTarget(path)?.collection).toBe(collection)
  })

  it.each([
    '//collections//a/points',
    '/collections/a//points//',
    '/%63ollections/a/%70oints?x=/',
    '/collections/a/points#',
  ])('is read as Qdrant reads it: %s', target => {
    expect(readCollectionPath(target)).toEqual({ collection: 'a', rest: 'points' })
    expect(readUpsertTarget('PUT', target)).toEqual({ collection: 'a', route: 'upsert' })
  })

  it.each([
    ['PUT', '/collections/a/points', 'upsert'],
    ['POST', '/collections/a/points/batch/?wait=true', 'batch'],
    ['POST', '/collections/a/points', undefined],
    ['PUT', '/collections/a/points/payload', undefined],
    ['PUT', '/collections/points', undefined],
    ['PUT', '/points', undefined],
  ])('says which requests write whole points: %s %s', (method, target, route) => {
    expect(readUpsertTarget(method, target)?.route).toBe(route)
  })

  it('keeps a name whose encoding is broken as it stands', () => {
    expect(readCollectionPath('/collections/%E0%A4%A/points')).toEqual({ collection: '%E0%A4%A', rest: 'points' })
    expect(readCollectionPath('/aliases')).toBeNull()
  })
})

describe('a search target', () => {
  it.each([
    ['/collections/docs/points/query', 'docs', 'query', false, ''],
    ['/collections/docs/points/query/', 'docs', 'query', false, ''],
    ['/collections/a%2Fb/points/search/batch?timeout=3&a=?', 'a/b', 'search', true, '?timeout=3&a=?'],
  ])('%s', (target, collection, api, batch, queryString) => {
    expect(readSearchTarget(target)).toMatchObject({ collection, api, batch, queryString })
  })

  it.each([
    '/collections/docs/points/query/groups',
    '/collections/docs/points/queryx',
    '/collections//points/query',
    '/collections/a/b/points/query',
    '/collections/%E0%A4%A/points/query',
    'http://host/collections/docs/points/query',
    '/x/collections/docs/points/query',
  ])('is none: %s', target => {
    expect(readSearchTarget(target)).toBeNull()
  })
})

it('routes and reads the same searches', () => {
  const apis = ['query', 'search', 'recommend', 'scroll']
  const tails = ['', '/', '/batch', '/batch/', '/groups', '//', 'x']
  for (const path of apis.flatMap(api => tails.map(tail => `/collections/c/points/${api}${tail}`))) {
    expect([path, readSearchTarget(path) !== null]).toEqual([path, SEARCH_PATH.test(path)])
    if (SEARCH_PATH.test(path)) expect(isRead('POST', path)).toBe(true)
  }
})

it.each([
  ['http://h', ''],
  ['http://h:1/', ''],
  ['https://h/a/b//', '/a/b'],
])('the prefix of %s is %j', (url, prefix) => {
  expect(pathPrefix(new URL(url))).toBe(prefix)
})
