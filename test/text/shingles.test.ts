import fc from 'fast-check'
import { expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { shingleHashes as shingleHashesInSteps, shingles } from '../../src/text/shingles.ts'

const shingleHashes = (...input: Parameters<typeof shingleHashesInSteps>) => finish(shingleHashesInSteps(...input))

const runsOf = (words: readonly string[]) => shingles(words.length, (start, end) => words.slice(start, end).join(' '))

it('are all runs of five words in order, or the one short text', () => {
  expect(runsOf(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['a b c d e', 'b c d e f'])
  expect(runsOf(['a', 'b', 'a', 'b', 'a', 'b', 'a'])).toEqual(['a b a b a', 'b a b a b', 'a b a b a'])
  expect(runsOf(['a', 'b'])).toEqual(['a b'])
  expect(runsOf([])).toEqual([])
})

it('have one hash for each distinct run of words, whatever is between the words', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
  fc.assert(
    fc.property(words, fc.constantFrom(' ', ', ', '\n'), (list, separator) => {
      expect(shingleHashes(list.join(separator)).size).toBe(new Set(runsOf(list)).size)
      expect(shingleHashes(list.join(separator))).toEqual(shingleHashes(list.join(' ')))
    }),
  )
  expect(shingleHashes('...').size).toBe(0)
})
