import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareText, countOf, groupBy } from '../../src/core/collections.ts'

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

it('sorts texts as the sort without a function does', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), texts => {
      expect([...texts].sort(compareText)).toEqual([...texts].sort())
    }),
  )
})
