import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePointStart, longestPrefix, prefixOf } from '../../src/core/prefix.ts'

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
