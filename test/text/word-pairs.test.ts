import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { candidateBm25 } from '../../src/text/candidate-bm25.ts'
import { encodeKeywordQuery, encodeKeywords } from '../../src/text/terms/keyword-vectors.ts'
import { joinedNeighbours } from '../../src/text/terms/word-pairs.ts'

describe('neighbours of a question as one word', () => {
  it.each([
    ['how do i roll back an app', ['rollback', 'backan']],
    ['log in to the page', ['login']],
    ['3 gates of 2', ['gatesof']],
    ['шлюз закрыт', []],
    ['gate', []],
  ])('in %j', (question, expected) => {
    expect(joinedNeighbours(question.split(' '))).toEqual(expect.arrayContaining(expected))
    if (expected.length === 0) expect(joinedNeighbours(question.split(' '))).toEqual([])
  })

  it('find a passage that writes them so, in the keyword list and among the candidates', () => {
    const passages = ['The rollback of an application.', 'The back of an application rolls.']
    const query = encodeKeywordQuery('roll back')
    const dimensions = passages.map(passage => encodeKeywords(passage).indices)
    expect(query.indices.some(index => dimensions[0]?.includes(index))).toBe(true)
    const [compound = 0] = finish(candidateBm25('roll back', passages))
    const [none] = finish(candidateBm25('roll of a back', passages))
    expect(compound).toBeGreaterThan(0)
    expect(none).toBe(0)
  })

  it('count in English only, where terms are whole words', () => {
    const german = 'Die neuere Regel gilt für alle Schleusen, und sie ist nicht verboten.'
    const [joined] = finish(candidateBm25('neue Regel', [german]))
    const [apart] = finish(candidateBm25('Regel, neue', [german]))
    expect(joined).toBe(apart)
  })
})
