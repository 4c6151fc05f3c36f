import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withNamesApart, wordsOfNames } from '../../src/text/terms/camel-case.ts'

describe('names in camel case', () => {
  it.each([
    ['retryDelay', 'retry Delay'],
    ['getURLFor(x)', 'get URL For(x)'],
    ['XMLHttpRequest', 'XML Http Request'],
    ['utf8Decode', 'utf8 Decode'],
    ['snake_case and CONSTANT and Title', 'snake_case and CONSTANT and Title'],
    ['größeÄndern', 'größe Ändern'],
    ['A3F9C1 and 10MB', 'A3F9C1 and 10MB'],
  ])('%s has its words apart', (name, words) => {
    expect(withNamesApart(name)).toBe(words)
  })

  it('are all that is given, in their order', () => {
    expect(wordsOfNames('Set retryDelay, not the retries of maxRetries.')).toBe('retry Delay max Retries')
    expect(wordsOfNames('Nothing here.')).toBe('')
  })

  it('lose and gain nothing but spaces, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), text => {
        expect(withNamesApart(text).replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
      }),
    )
  })

  it('leave encoded data as it is', () => {
    const data = 'aBc9'.repeat(25_000)
    expect(withNamesApart(data)).toBe(data)
    expect(wordsOfNames(data)).toBe('')
  })
})
