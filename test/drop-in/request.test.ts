import { describe, expect, it } from 'vitest'
import { improvingTimeMs, readSearchTarget } from '../../src/drop-in/request.ts'

describe('a search target', () => {
  it.each([
    ['/collections/docs/points/query', 'docs', 'docs', 'query', false, ''],
    ['/collections/docs/points/query/', 'docs', 'docs', 'query', false, ''],
    ['/collections/a%2Fb/points/search/batch?timeout=3&a=?', 'a%2Fb', 'a/b', 'search', true, '?timeout=3&a=?'],
  ])('%s', (target, collectionSegment, collection, api, batch, queryString) => {
    expect(readSearchTarget(target)).toEqual({ collectionSegment, collection, api, batch, queryString })
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

describe('the time for improving', () => {
  it.each([
    ['', 60_000, 2_500],
    ['', 700, 700],
    ['?timeout=2', 60_000, 1_000],
    ['?consistency=all&timeout=60', 60_000, 30_000],
    ['?timeout=60', 700, 700],
    ['?timeout=0', 60_000, 2_500],
    ['?timeout=soon', 60_000, 2_500],
  ])('with %j and at most %d ms is %d ms: half of what the client waits for', (queryString, deadlineMs, expected) => {
    expect(improvingTimeMs(queryString, deadlineMs)).toBe(expected)
  })
})
