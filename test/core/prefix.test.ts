import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePointStart, longestPrefix, prefixOf, repeatedLength } from '../../src/core/prefix.ts'

const texts = fc.string({ unit: fc.constantFrom('a', 'é', '漢', '😀', '\ud800', '\udc00'), maxLength: 60 })

describe('a prefix', () => {
  it('is at most one code unit shorter than requested, and splits no surrogate pair', () => {
    fc.assert(
      fc.property(texts, fc.nat(60), (text, length) => {
        const at = Math.min(length, text.length)
        const prefix = prefixOf(text, at)
        expect(prefix).toBe(text.slice(0, codePointStart(text, at)))
        expect(at - prefix.length).toBeLessThanOrEqual(1)
        expect([...text].slice(0, [...prefix].length).join('')).toBe(prefix)
      }),
    )
  })
})

describe('the longest prefix that fits', () => {
  it('is exact when each longer prefix costs more', () => {
    fc.assert(
      fc.property(texts, fc.nat(60), (text, budget) => {
        const count = (part: string) => Array.from(part).length
        const prefix = longestPrefix(text, part => count(part) <= budget)
        expect(prefix).toBe(Array.from(text).slice(0, budget).join(''))
      }),
    )
  })

  it('is the whole text when it fits, although shorter prefixes do not', () => {
    expect(longestPrefix('abcdef', part => part.length === 6 || part.length === 0)).toBe('abcdef')
  })

  it('is empty when nothing fits', () => {
    expect(longestPrefix('😀abc', () => false)).toBe('')
  })
})

describe('repeatedLength', () => {
  it('is the longest suffix of one text that is a prefix of the other, from 12 code units on', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 40 })
    fc.assert(
      fc.property(words, words, words, (before, shared, after) => {
        const [text, next] = [before + shared, shared + after]
        let longest = 0
        for (let length = 1; length <= Math.min(text.length, next.length); length++)
          if (text.endsWith(next.slice(0, length))) longest = length
        expect(repeatedLength(text, next)).toBe(longest >= 12 ? longest : 0)
      }),
    )
  })
})
