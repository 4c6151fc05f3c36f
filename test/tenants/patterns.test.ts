import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesPattern, patternsOverlap } from '../../src/tenants/patterns.ts'

const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 7 })

/** By the definition: the star stands for every number of characters. */
function naivelyMatches(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern[0] !== '*') return pattern[0] === name[0] && naivelyMatches(pattern.slice(1), name.slice(1))
  return Array.from({ length: name.length + 1 }, (_, taken) => taken).some(taken =>
    naivelyMatches(pattern.slice(1), name.slice(taken)),
  )
}

/** All names of a and b up to 9 characters. Two patterns of up to 4 characters with a common name have one among them. */
const NAMES = Array.from({ length: 9 }).reduce<string[][]>(
  lists => [...lists, (lists.at(-1) ?? []).flatMap(start => [`${start}a`, `${start}b`])],
  [['']],
)

describe('a pattern of collection names', () => {
  it('stands for what its definition says', () => {
    fc.assert(
      fc.property(pattern, name, (pattern, name) => {
        expect(matchesPattern(pattern, name)).toBe(naivelyMatches(pattern, name))
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes every other character as itself', () => {
    const special = fc.string({
      unit: fc.constantFrom('.', '+', '[', ']', '(', '$', '^', '{', 'é', '😀', 'a'),
      maxLength: 6,
    })
    fc.assert(
      fc.property(special, special, (pattern, name) => {
        expect(matchesPattern(pattern, name)).toBe(pattern === name)
        expect(matchesPattern(`${pattern}*`, name)).toBe(name.startsWith(pattern))
      }),
    )
  })

  it('ends for many stars and a long name, where a search that goes back would not', () => {
    expect(matchesPattern('*a'.repeat(100), 'a'.repeat(50_000))).toBe(true)
    expect(matchesPattern(`${'*a'.repeat(100)}*b`, 'a'.repeat(50_000))).toBe(false)
  })

  it('overlaps with another one exactly if both stand for one name', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 })
    fc.assert(
      fc.property(short, short, (left, right) => {
        const common = NAMES.flat().some(name => naivelyMatches(left, name) && naivelyMatches(right, name))
        expect(patternsOverlap(left, right)).toBe(common)
      }),
      { numRuns: 200 },
    )
  })
})
