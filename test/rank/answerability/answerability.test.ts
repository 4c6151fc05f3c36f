import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { addAnswerability as addAnswerabilityInSteps } from '../../../src/rank/answerability/answerability.ts'
import { candidate } from '../../support/candidates.ts'

const addAnswerability = (...input: Parameters<typeof addAnswerabilityInSteps>) =>
  finish(addAnswerabilityInSteps(...input))

const features = (text: string, query: string, intent: Parameters<typeof addAnswerability>[2], header = '') =>
  addAnswerability([candidate({ text, header })], query, intent, 0.1)[0]?.answerability

describe('addAnswerability', () => {
  it('distinguishes a definition from a mention', () => {
    const query = 'Who is Isharoth?'
    expect(features('Isharoth is the engine that keeps the city dry.', query, 'definition')?.features).toEqual([
      'definitional sentence',
    ])
    expect(features('Ask Isharoth. The clerk is a man of few words.', query, 'definition')?.features).toEqual([])
    expect(features('Who Isharoth is, who made Isharoth: see the booklet.', query, 'definition')?.features).toEqual([])
    expect(
      features('### Who is Isharoth?\n\nIsharoth is the engine.', query, 'definition', '### Who is Isharoth?'),
    ).toEqual({
      bonus: expect.closeTo(0.15, 10),
      features: ['heading asks it', 'definitional sentence'],
    })
  })

  it('finds the features of the intent and no others', () => {
    expect(features('Drain it for 45 minutes.', 'how long', 'measurement')?.features).toEqual(['number with unit'])
    expect(features('Signed in 1842.', 'when was it signed', 'measurement')?.features).toEqual(['date'])
    expect(features('1. Close the gate.\n2. Open the drain.', 'how to drain', 'procedure')?.features).toEqual([
      'numbered steps',
      'imperative sentence',
    ])
    expect(features('Code ISH-4417: bearing hot.', 'what is ISH-4417', 'identifier')?.features).toEqual([
      'exact identifier',
    ])
    expect(features('Code ISH-4418: bearing hot.', 'what is ISH-4417', 'identifier')?.features).toEqual([])
    expect(features('Drain it for 45 minutes.', 'tides', 'exploratory')?.features).toEqual([])
  })

  it('gives half for one feature, all for two, never more than one and a half, and nothing when off', () => {
    expect(features('45 minutes', 'how long', 'measurement')?.bonus).toBeCloseTo(0.05, 10)
    expect(features('45 minutes on 2020-01-01\n| a | 3 |', 'how long', 'measurement')?.bonus).toBeCloseTo(0.15, 10)
    const [same] = addAnswerability([candidate({ text: '45 minutes' }, 0.7)], 'how long', 'measurement', 0)
    expect(same?.value).toBe(0.7)
  })

  it('reads hostile text in linear time', () => {
    for (const text of [
      'a'.repeat(100_000),
      '. the '.repeat(20_000),
      '*'.repeat(100_000),
      'is a '.repeat(20_000),
      '| '.repeat(50_000),
      '\n1'.repeat(50_000),
      '1'.repeat(100_000),
      `| ${'1'.repeat(100_000)}`,
      '\n'.repeat(100_000),
      `. ${' '.repeat(100_000)}`,
      `a${' '.repeat(100_000)}`,
      'a. '.repeat(33_000),
    ])
      for (const intent of ['definition', 'measurement', 'procedure', 'identifier', 'comparison'] as const)
        expect(features(text, `what is a the ${'a'.repeat(8_000)}`, intent)?.bonus).toBeGreaterThanOrEqual(0)
  })
})
