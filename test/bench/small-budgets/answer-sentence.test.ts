import { describe, expect, it } from 'vitest'
import { answerSentence, holds } from './answer-sentence.ts'

const gold = (text: string) => ({ kind: 'span' as const, text, place: null, grade: 1 })
const GOLDS = [
  gold('The bell is old. It rings at nine bells and at three. The rope is dry.'),
  gold('It rings when the harbour floods.'),
]

describe('the sentence that answers', () => {
  it('is the one of all gold passages that shares the most terms with the answer', () => {
    expect(answerSentence({ answer: 'at nine and at three', goldPassages: GOLDS })).toBe(
      'It rings at nine bells and at three.',
    )
    expect(answerSentence({ answer: 'when the harbour floods', goldPassages: GOLDS })).toBe(
      'It rings when the harbour floods.',
    )
  })

  it('is unknown without an answer, and when its words stand nowhere', () => {
    expect(answerSentence({ answer: null, goldPassages: GOLDS })).toBeNull()
    expect(answerSentence({ answer: 'copper', goldPassages: GOLDS })).toBeNull()
  })

  it('is held by a text with nine tenths of its words', () => {
    const sentence = 'One two three four five six seven eight nine ten.'
    expect(holds(`Before. ${sentence} Behind.`, sentence)).toBe(true)
    expect(holds('one two three four five six seven eight nine, and then', sentence)).toBe(true)
    expect(holds('one two three four five six seven eight, and then', sentence)).toBe(false)
    expect(holds('', sentence)).toBe(false)
  })
})
