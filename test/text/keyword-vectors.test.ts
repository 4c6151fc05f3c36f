import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBm25Document, encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { encodeKeywordQuery, encodeKeywords, hasEnglishKeywords } from '../../src/text/terms/keyword-vectors.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const ENGLISH = fc
  .array(fc.constantFrom('the', 'keeper', 'opens', 'gates', 'at', 'night', 'v1.18', "don't", 'Ärger', 'naïve', '42.\n'))
  .map(words => words.join(' '))
/** What a search by keywords counts, without the frequencies of the collection: the weights of the shared dimensions. */
function score(query: string, document: string): number {
  const { indices, values } = encodeKeywords(document)
  const asked = new Set(encodeKeywordQuery(query).indices)
  return indices.reduce((sum, index, at) => sum + (asked.has(index) ? (values[at] ?? 0) : 0), 0)
}
const GERMAN = {
  keys: 'Der geheime Schlüssel wird auf dem Server abgelegt und ist für die Anmeldung nötig, wenn man ihn nicht selbst hat.',
  house:
    'Die Häuser an der Küste sind alt, und nur in wenigen von ihnen wird im Winter noch geheizt, weil es zu teuer ist.',
}

describe('keyword vectors', () => {
  it('of English texts are those of qdrant/bm25', () => {
    fc.assert(
      fc.property(ENGLISH, text => {
        expect(encodeKeywords(text)).toEqual(encodeBm25Document(text))
        expect(hasEnglishKeywords(text)).toBe(true)
      }),
    )
  })

  it('of a question have all that qdrant/bm25 asks for, when it is English or of no language that can be told', () => {
    fc.assert(
      fc.property(ENGLISH, text => {
        const asked = new Set(encodeKeywordQuery(text).indices)
        expect(encodeBm25Query(text).indices.filter(index => !asked.has(index))).toEqual([])
      }),
    )
  })

  it.each([
    ['another form of a word', 'Wo liegen die Schlüssels?', GERMAN.keys, GERMAN.house],
    ['no accents', 'schlussel ablegen', GERMAN.keys, GERMAN.house],
    ['decomposed accents', 'Schlu\u0308ssel', GERMAN.keys, GERMAN.house],
    [
      'a part of a Chinese clause',
      '如何重置密码？',
      '如果您忘记了登录信息，请联系管理员重置密码，然后再次登录。',
      '每年春天检查船的龙骨。',
    ],
    [
      'a part of a Japanese clause',
      'パスワードを変える',
      '管理者に依頼するとパスワードを変更できます。',
      '春には船の竜骨を点検します。',
    ],
    ['another Russian form', 'для пользователя', 'Пользователи хранят ключ на сервере.', 'Дома на берегу старые.'],
  ])('find a document by %s', (_what, question, right, wrong) => {
    expect(score(question, right)).toBeGreaterThan(0)
    expect(score(question, right)).toBeGreaterThan(score(question, wrong))
  })

  it('of a question in another language do not ask for its function words', () => {
    // The short text is taken for English, so its "wie", "kann" and "ich" would be rare words.
    expect(score('Wie kann ich die Häuser heizen?', 'Wie kann ich?')).toBe(0)
    expect(score('What can the die do?', 'The die is cast.')).toBeGreaterThan(0)
  })

  it('of a question of stop words alone are empty', () => {
    for (const query of ['What is it?', 'Are you doing this yourself?'])
      expect(encodeKeywordQuery(query).indices).toEqual([])
  })

  it('find what others wrote with qdrant/bm25 in any language', () => {
    for (const word of ['schlüssel', 'ключи', 'パスワード']) {
      const [written] = encodeBm25Document(word).indices
      expect(encodeKeywordQuery(word).indices).toContain(written)
    }
  })

  it.each(HOSTILE_TEXTS.map(text => [JSON.stringify(text.slice(0, 12)), text] as const))(
    'of %s have ascending dimensions and finite weights',
    (_text, text) => {
      for (const { indices, values } of [encodeKeywords(text), encodeKeywordQuery(text)]) {
        expect(indices).toEqual([...new Set(indices)].sort((one, other) => one - other))
        expect(values.every(value => value > 0 && value < 2.2)).toBe(true)
      }
    },
  )

  it('of the same text are the same, however its accents are encoded', () => {
    expect(encodeKeywords(GERMAN.keys.normalize('NFD'))).toEqual(encodeKeywords(GERMAN.keys))
  })
})
