import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesAny } from '../../src/core/name-patterns.ts'

it.each([
  ['docs', 'docs', true],
  ['docs', 'docs-2', false],
  ['team-*', 'team-a', true],
  ['team-*', 'team-', true],
  ['team-*', 'my-team-a', false],
  ['*', '', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a.b', 'axb', false],
  ['*.v1', 'docs.v1', true],
])('%s and %s: %s', (pattern, name, expected) => {
  expect(matchesAny([pattern])(name)).toBe(expected)
})

it('takes every character but * for itself, and matches nothing without patterns', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (before, after) => {
      const name = `${before}${after}`.replaceAll('*', '')
      expect(matchesAny([name])(name)).toBe(true)
      expect(matchesAny([`${name}x`])(name)).toBe(false)
      expect(matchesAny([`${before.replaceAll('*', '')}*`])(name)).toBe(true)
      expect(matchesAny([])(name)).toBe(false)
    }),
  )
})
