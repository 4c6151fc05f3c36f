import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shingleHashes, shingles } from '../../src/text/shingles.ts'

it('are all runs of five words in order, or the one short text', () => {
  expect(shingles(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual([
    ['a', 'b', 'c', 'd', 'e'],
    ['b', 'c', 'd', 'e', 'f'],
  ])
  expect(shingles(['a', 'b'])).toEqual([['a', 'b']])
  expect(shingles([])).toEqual([])
})

it('have one hash for each distinct run of words, whatever stands between them', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
  fc.assert(
    fc.property(words, fc.constantFrom(' ', ', ', '\n'), (list, separator) => {
      const distinct = new Set(shingles(list).map(run => run.join(' ')))
      expect(shingleHashes(list.join(separator)).size).toBe(distinct.size)
      expect(shingleHashes(list.join(separator))).toEqual(shingleHashes(list.join(' ')))
    }),
  )
  expect(shingleHashes('...').size).toBe(0)
})
