import { describe, expect, it } from 'vitest'
import { INTENTS } from '../../src/core/types.ts'
import { labelledQuestions, missingData, scoreIntents } from './support/labelled-questions.ts'

const missing = missingData()
const questions = missing === null ? labelledQuestions() : []

describe('the labelled questions', () => {
  if (missing !== null) {
    it('are not here: nothing to read', () => console.warn(missing))
    return
  }

  it('are 200 different ones, with known labels and sources, in two halves of about equal size', () => {
    expect(new Set(questions.map(({ question }) => question)).size).toBe(200)
    for (const { label, source } of questions) {
      expect(INTENTS).toContain(label)
      expect(['clapnq', 'doc2dial', 'covidqa', 'docs-rag']).toContain(source)
    }
    expect(questions.filter(({ half }) => half === 'A')).toHaveLength(102)
  })

  // A little below what the rules reach: 93 % on half A, by which they were written, and 80 % on half B.
  it.each([
    ['A', 0.9],
    ['B', 0.77],
  ] as const)('of half %s are detected with an accuracy of at least %s', (half, floor) => {
    expect(scoreIntents(questions.filter(question => question.half === half)).accuracy).toBeGreaterThanOrEqual(floor)
  })
})
