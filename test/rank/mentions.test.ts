import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { raiseMentioned } from '../../src/rank/mentions.ts'
import { candidate } from '../support/candidates.ts'

const SHARE = 0.3

/** A first chunk of a document of its own, unless the parts say otherwise. */
function passage(docTitle: string, text: string, value: number, parts: Partial<Candidate['chunk']> = {}): Candidate {
  const docId = parts.docId ?? docTitle
  return candidate({ id: `${docId}/${text}`, docId, docTitle, text, orderIndex: 0, ...parts }, value)
}

const valuesOf = (candidates: Candidate[], share = SHARE) =>
  finish(raiseMentioned(candidates, share)).map(({ value }) => value)

const FILM = passage('Kiss and Tell (1945 film)', 'In Kiss and Tell, Shirley Temple plays Corliss Archer.', 0.8)
const ACTRESS = passage('Shirley Temple', 'She was ambassador to Ghana.', 0.2)

describe('documents that good passages name', () => {
  it('gain a share of the value of the best passage that names their title, and nothing else changes', () => {
    const weaker = passage('Child stars', 'Shirley Temple was one.', 0.5)
    const candidates = [FILM, weaker, ACTRESS]
    const raised = finish(raiseMentioned(candidates, SHARE))
    expect(raised[0]).toBe(FILM)
    expect(raised[1]).toBe(weaker)
    expect(raised[2]).toEqual({
      ...ACTRESS,
      value: 0.2 + SHARE * 0.8,
      mention: { by: FILM.chunk, gain: SHARE * 0.8 },
    })
  })

  it('are found without the brackets at the end of their title', () => {
    const article = passage('Comedies', 'Kiss and Tell is one.', 0.6)
    expect(valuesOf([article, { ...FILM, value: 0.1 }])).toEqual([0.6, 0.1 + SHARE * 0.6])
  })

  it('are found without the name of the site in their title', () => {
    const site = passage('Shirley Temple — Films of a century', 'She was ambassador.', 0.2, {
      sectionPath: 'Shirley Temple',
    })
    expect(valuesOf([FILM, site])).toEqual([0.8, 0.2 + SHARE * 0.8])
    expect(valuesOf([FILM, { ...site, chunk: { ...site.chunk, sectionPath: 'Life' } }])).toEqual([0.8, 0.2])
  })

  it.each([
    ['by its own text', [passage('Shirley Temple', 'Shirley Temple was born in 1928.', 0.8)]],
    ['in other case', [passage('Film', 'a shirley temple is a drink', 0.8), ACTRESS]],
    ['inside of a word', [passage('Film', 'the Shirley Templeton archive, and NewShirley Temple', 0.8), ACTRESS]],
    ['by a title of one word', [passage('Film', 'Hooks run before it.', 0.8), passage('Hooks', 'A hook runs.', 0.2)]],
    [
      'by passages of five documents',
      [...'abcde'].map(name => passage(`Film ${name}`, 'with Shirley Temple', 0.8)).concat(ACTRESS),
    ],
    ['when it is not the first chunk', [FILM, passage('Shirley Temple', 'Ghana.', 0.2, { orderIndex: 1 })]],
    ['without a document', [FILM, passage('Shirley Temple', 'Ghana.', 0.2, { docId: '' })]],
  ])('gain nothing %s', (_, candidates) => {
    expect(valuesOf(candidates)).toEqual(candidates.map(({ value }) => value))
  })

  it('gain with a place that is unknown when no other chunk of the document is there', () => {
    const alone = passage('Shirley Temple', 'Ghana.', 0.2, { orderIndex: null })
    const other = passage('Shirley Temple', 'Prague.', 0.1, { orderIndex: null })
    expect(valuesOf([FILM, alone])[1]).toBeCloseTo(0.2 + SHARE * 0.8, 12)
    expect(valuesOf([FILM, alone, other])).toEqual([0.8, 0.2, 0.1])
  })

  it('are those of a plain search for each title in each text', () => {
    const name = fc.constantFrom('Ann Lee', 'Lee Ann', 'Ann', 'Öl Tank (b)', '', '( )', 'A.B C*')
    const word = fc.constantFrom('Ann', 'Lee', 'Lee,', 'Leeds', 'Öl', 'Tank', 'ann', 'A.B', 'C*', '𝒳Ann', 'Lee𝒳')
    const passages = fc.array(
      fc.record({
        title: name,
        docId: fc.constantFrom('d1', 'd2', 'd3'),
        orderIndex: fc.constantFrom(0, 0, 1, null),
        words: fc.array(word, { maxLength: 8 }),
        value: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 8 },
    )
    fc.assert(
      fc.property(passages, rows => {
        const candidates = rows.map(({ title, docId, orderIndex, words, value }, at) =>
          candidate({ id: `p${at}`, docId, docTitle: title, orderIndex, text: words.join(' ') }, value),
        )
        const expected = candidates.map(one => naiveValue(one, candidates))
        for (const [at, value] of valuesOf(candidates).entries()) expect(value).toBeCloseTo(expected[at] ?? NaN, 12)
      }),
      { numRuns: 500 },
    )
  })

  it('cost nothing without a share, and are looked for in the start of each text, in a step for each', () => {
    expect(valuesOf([FILM, ACTRESS], 0)).toEqual([0.8, 0.2])
    const early = passage('Early', `Shirley Temple${' lamp'.repeat(100_000)}`, 0.5)
    const late = passage('Late', `${'lamp '.repeat(100_000)}Shirley Temple`, 0.9)
    const steps = raiseMentioned([early, late, ACTRESS], SHARE)
    let count = 0
    for (let step = steps.next(); ; step = steps.next()) {
      if (!step.done) count++
      else {
        expect(step.value.map(({ value }) => value)).toEqual([0.5, 0.9, 0.2 + SHARE * 0.5])
        break
      }
    }
    expect(count).toBe(3)
  })

  it('works in linear time on a title with a long gap', () => {
    const title = `Iron${' '.repeat(200_000)}Bell (1945 film) `
    const [raised] = finish(raiseMentioned([candidate({ docId: 'a', docTitle: title, orderIndex: 0 }, 1)], SHARE))
    expect(raised?.value).toBe(1)
  })
})

/** The value of a candidate with what it gains, by the definition. */
function naiveValue({ chunk, value }: Candidate, candidates: readonly Candidate[]): number {
  const title = chunk.docTitle.replace(/\s*\([^()]*\)\s*$/u, '').trim()
  const ofDocument = candidates.filter(other => other.chunk.docId === chunk.docId)
  const isFirst = chunk.orderIndex === 0 || (chunk.orderIndex === null && ofDocument.length === 1)
  const words = title.split(/\s+/u).filter(word => /[\p{L}\p{N}]/u.test(word))
  if (!isFirst || words.length < 2) return value
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'u')
  const naming = candidates.filter(other => other.chunk.docId !== chunk.docId && pattern.test(other.chunk.text))
  if (new Set(naming.map(other => other.chunk.docId)).size > 4) return value
  return value + SHARE * Math.max(0, ...naming.map(other => other.value))
}
