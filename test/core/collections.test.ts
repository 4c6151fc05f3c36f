import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareText, countOf, firstPlace, getOrInsert, groupBy } from '../../src/core/collections.ts'

it('groups and counts in the order of first occurrence', () => {
  const groups = groupBy([5, 2, 3, 8], number => number % 2)
  expect([...groups]).toEqual([
    [1, [5, 3]],
    [0, [2, 8]],
  ])
  expect([...countOf(['b', 'a', 'b'])]).toEqual([
    ['b', 2],
    ['a', 1],
  ])
})

it('makes the value of a key once', () => {
  const values = new Map<string, number[]>()
  for (const number of [1, 2]) getOrInsert(values, 'a', () => []).push(number)
  expect([...values]).toEqual([['a', [1, 2]]])
})

it('finds the first place where a condition holds', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: -1, max: 10 }), (values, least) => {
      const sorted = values.sort((left, right) => left - right)
      const place = sorted.findIndex(value => value >= least)
      expect(firstPlace(sorted.length, at => (sorted[at] as number) >= least)).toBe(place < 0 ? sorted.length : place)
    }),
  )
})

it('sorts texts as the sort without a function does', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), texts => {
      expect([...texts].sort(compareText)).toEqual([...texts].sort())
    }),
  )
})
