import fc from 'fast-check'
import { expect, it } from 'vitest'
import { slicesOf } from '../../src/text/slices.ts'
import { terms } from '../../src/text/terms/terms.ts'
import { createTokenizer } from '../../src/text/tokens.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const LONGEST = 4_096
const tokenizer = createTokenizer('gpt-4o')

it('are the text in short pieces, and no code point is cut', () => {
  const piece = fc.constantFrom('word ', '漢', '😀', '\n', 'x'.repeat(4_000), ' ', '\ud83d')
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map(pieces => pieces.join('').repeat(7)),
    fc.constantFrom(...HOSTILE_TEXTS),
  )
  fc.assert(
    fc.property(texts, text => {
      const slices = [...slicesOf(text)]
      expect(slices.join('') === text).toBe(true)
      for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(LONGEST)
      if (text.length > 0) expect(slices.every(slice => slice !== '')).toBe(true)
      if (text.isWellFormed()) expect(slices.every(slice => slice.isWellFormed())).toBe(true)
    }),
  )
})

it('of prose have together the terms and the tokens of the whole', () => {
  const words = fc.array(fc.constantFrom('tide', 'Gate', '42', 'naïve', "keeper's", 'sluice,', 'end.\n'), {
    minLength: 900,
    maxLength: 3_000,
  })
  fc.assert(
    fc.property(words, list => {
      const text = list.join(' ')
      const slices = [...slicesOf(text)]
      expect(slices.flatMap(slice => terms(slice))).toEqual(terms(text))
      expect(slices.reduce((sum, slice) => sum + tokenizer.count(slice), 0)).toBe(tokenizer.count(text))
    }),
    { numRuns: 30 },
  )
})
