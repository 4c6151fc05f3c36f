import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawWords, terms } from '../../src/text/terms/terms.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

describe('terms', () => {
  it('are lowercased stems without stop words', () => {
    expect(terms('How do I rotate the signing KEYS?')).toEqual(['rotat', 'sign', 'key'])
    expect(terms('ERR_CONN_42 v1.18')).toEqual(['err', 'conn', '42', 'v1', '18'])
  })

  it('are bigrams in scripts without spaces', () => {
    expect(terms('東京タワー')).toEqual(['東京', '京タ', 'タワ', 'ワー'])
    expect(terms('水 in日本')).toEqual(['水', '日本'])
  })

  it('do not depend on how an accent or a wide letter is encoded', () => {
    expect(terms('cafe\u0301 ＡＢＣ')).toEqual(terms('café abc'))
  })

  it('of a repeated text are the repeated terms', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), text => {
        expect(terms(`${text}\n${text}`)).toEqual([...terms(text), ...terms(text)])
      }),
    )
  })

  it.each(HOSTILE_TEXTS.map(text => [JSON.stringify(text.slice(0, 12)), text] as const))(
    'stay small on %s',
    (_s, text) => {
      for (const term of [...terms(text), ...rawWords(text)]) {
        expect(term.length > 0 && term.length <= 64 && term.isWellFormed()).toBe(true)
      }
    },
  )

  it('never throw and contain neither capitals nor white space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        for (const word of rawWords(text)) {
          expect(word).toBe(word.toLowerCase())
          expect(/\s/.test(word)).toBe(false)
        }
      }),
    )
  })
})

describe('raw words', () => {
  it('keep each word, and each character of scripts without spaces', () => {
    expect(rawWords('The cats’ 東京')).toEqual(['the', 'cats', '東', '京'])
  })
})
