import { describe, expect, it } from 'vitest'
import { readEnglishWords } from '../../src/adapters/models/english-words.ts'
import { finish } from '../../src/core/steps.ts'
import { correctedQuestion, spellingCorrections } from '../../src/text/terms/spelling.ts'
import { SHIPPED_RERANKER } from '../../src/wiring/models.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const isWord = await readEnglishWords(SHIPPED_RERANKER)
const PASSAGES = [
  'Isharoth guards the water of the valley. The keeper opens the sluice at dawn.',
  'ISHAROTH has a collar of bronze; authentication of the keeper is by name.',
  'The kafka_consumer reads messages of the broker.',
]
const correct = (question: string, passages: readonly string[] = PASSAGES, known = isWord) =>
  correctedQuestion(question, finish(spellingCorrections(question, passages, known)))

describe('the spelling of a question', () => {
  it.each([
    ['a letter replaced', 'Who is Isjaroth?', 'Who is Isharoth?'],
    ['a letter left out', 'Who is Isaroth?', 'Who is Isharoth?'],
    ['a letter added', 'Who is Ishharoth?', 'Who is Isharoth?'],
    ['two neighbours swapped', 'how much wtaer', 'how much water'],
    ['two letters of a long word', 'how does authentcaton work', 'how does authentication work'],
    ['several words', 'Isjaroth and the slucie', 'Isharoth and the sluice'],
  ])('is corrected by the words of the passages: %s', (_, question, corrected) => {
    expect(correct(question)).toBe(corrected)
  })

  it.each([
    ['words of the language', 'does the reader order a dollar of ware?'],
    ['words with a prefix', 'was the breeder reinstalled or overheated?'],
    ['forms of words of the passages', "who opens the sluices of Isharoths' valley"],
    ['words that nothing is near', 'what is a zygomorph'],
    ['short words', 'what is a kepr'],
    ['another first letter', 'who is Usharoth'],
    ['two letters of a short word', 'what is a collqrs of brinzo'],
    [
      'identifiers, paths, addresses and names with capitals',
      'set wtaer_max in /etc/wtaer of wtaer.example, iShaorth, WTAER-1',
    ],
    ['code, and what is quoted', 'what do `wtaer` and "wtaer" and “wtaer” do'],
    ['words of the language that others are near', 'what is hypertension, a mortgagor, a subnet or a sulfite'],
    ['scripts without cases', '検索の水 ישרות'],
  ])('is left alone: %s', (_, question) => {
    expect(correct(question)).toBe(question)
  })

  it('takes an opening mark without an end for no quotation', () => {
    expect(correct('the “wtaer of “Isjaroth” rises')).toBe('the “water of “Isjaroth” rises')
  })

  it('prefers the nearest word, then the one of most passages', () => {
    const none = () => false
    expect(correct('containors', ['a contributor', 'the containers', 'container', 'container'], none)).toBe(
      'containers',
    )
    expect(correct('stire', ['stare, stare and stare', 'a store', 'a store'], none)).toBe('store')
  })

  it('is left alone where most words are of another language, unless there are only one or two', () => {
    const passages = ['Die Lieferanten liefern die Bestellungen nach Hamburg.', 'Les fournisseurs et les contrats']
    expect(correct('Wann kommt die Lieferung der Bestellung?', passages)).toBe(
      'Wann kommt die Lieferung der Bestellung?',
    )
    expect(correct('Comment trouver un fournisseur de contrat', passages)).toBe(
      'Comment trouver un fournisseur de contrat',
    )
    expect(correct('Lieferaten Hambrug', passages)).toBe('Lieferanten Hamburg')
  })

  it('is left alone where too many words are doubtful', () => {
    const [words, meant] = ['aabbc', 'aabvc'].map(word => Array.from('efghijklm', letter => `${letter}${word}`))
    const asked = (count: number) => words?.slice(0, count).join(' ') ?? ''
    const known = (word: string) => !words?.includes(word)
    const around = 'the of and what where when how why who'
    expect(correct(`${around} ${asked(9)}`, [meant?.join(' ') ?? ''], known)).toBe(`${around} ${asked(9)}`)
    expect(correct(`${around} ${asked(8)}`, [meant?.join(' ') ?? ''], known)).toBe(
      `${around} ${meant?.slice(0, 8).join(' ')}`,
    )
  })

  it('ends on hostile texts, as questions and as passages', () => {
    for (const text of HOSTILE_TEXTS) {
      const question = text.slice(0, 8_192)
      expect(correct(question, [text])).toBe(question)
      expect(correct('Who is Isjaroth?', [text])).toBe('Who is Isjaroth?')
    }
  })

  it('pauses within long passages', () => {
    const words = Array.from({ length: 5_000 }, (_, at) => `i${at.toString(36).replace(/\d/g, 'x')}yz`).join(' ')
    const steps = spellingCorrections('Isjaroth', [words], isWord)
    let pauses = 0
    while (!steps.next().done) pauses++
    expect(pauses).toBeGreaterThanOrEqual(5)
  })
})
