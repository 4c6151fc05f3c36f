import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { idfOf, measureSentences, saysSomething, wordMatch } from '../../../src/pack/sentences/measured.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'

const cost = new CostModel(RENDERERS.markdown, inSteps(countWords), 500)

describe('the sentences of a chunk', () => {
  it('match the terms of the question as BM25 without its length norm says', () => {
    const text = 'The pump is old. The pump feeds the pump house. The gate is open.'
    const { sentences } = finish(measureSentences(candidate({ id: 'a', text }), 'pump gate bell', 500, cost))
    const idf = idfOf(sentences, 3)
    expect(idf).toEqual([Math.log(1 + 1.5 / 2.5), Math.log(1 + 2.5 / 1.5), Math.log(1 + 3.5 / 0.5)])
    const [pump = 0, gate = 0] = idf
    const saturated = (count: number) => (count * 2.2) / (count + 1.2)
    const matches = sentences.map(({ counts }) => wordMatch(counts, idf))
    expect(matches).toEqual([pump * saturated(1), pump * saturated(2), gate * saturated(1)])
  })

  it('take memory by their own words, not by those of a question of thousands', () => {
    const query = Array.from({ length: 8_000 }, (_, at) => `term${at}`).join(' ')
    const text = 'Old pump. '.repeat(5_000)
    const before = process.memoryUsage()
    const { sentences } = finish(measureSentences(candidate({ id: 'a', text }), query, 500, cost))
    const after = process.memoryUsage()
    expect(sentences.length).toBe(5_000)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(50_000_000)
  })
})

describe('a text says something', () => {
  it('by what stands outside of comments, as a pattern tells it', () => {
    const parts = fc.array(fc.constantFrom('<!--', '-->', '--', '>', 'a', ' ', '\n', '<'), { maxLength: 12 })
    fc.assert(
      fc.property(parts, list => {
        const text = list.join('')
        expect(saysSomething(text)).toBe(text.replace(/<!--[\s\S]*?-->/gu, '').includes('a'))
      }),
      { numRuns: 500 },
    )
  })

  it('also where 200,000 comments begin and none ends', () => {
    // With a pattern this takes minutes: each beginning would look through the whole text for its end.
    expect(saysSomething('<!--'.repeat(200_000))).toBe(false)
    expect(saysSomething('.. _deploy_a_registry:\n')).toBe(false)
    expect(saysSomething('.. _registry: https://registry.example')).toBe(true)
  })
})
