import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { partMatches, type TokenVectors } from '../../../../src/adapters/models/late-interaction/part-match.ts'
import { rangesOfTokens } from '../../../../src/adapters/models/late-interaction/token-ranges.ts'

const WIDTH = 5
const MATCHED = 3
const SETTINGS = { max_similarity: 12.2, cosine: 9 }
const row = fc.array(fc.integer({ min: -127, max: 127 }), { minLength: WIDTH, maxLength: WIDTH })
const rows = fc.array(row, { minLength: 1, maxLength: 8 })

const vectors = (values: number[][], scales: number[] | null = null): TokenVectors => ({
  values: values.flat(),
  width: values[0]?.length ?? 0,
  rows: values.length,
  scales,
})
/** The rows in two blocks, the first of which is made to match. */
const blocks = (values: number[][], scales: number[] | null = null): [TokenVectors, TokenVectors] => [
  vectors(
    values.map(row => row.slice(0, MATCHED)),
    scales,
  ),
  vectors(
    values.map(row => row.slice(MATCHED)),
    scales,
  ),
]

const cosine = (a: number[], b: number[]) => {
  const dot = (x: number[], y: number[]) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0)
  const lengths = Math.sqrt(dot(a, a) * dot(b, b))
  return lengths === 0 ? 0 : dot(a, b) / lengths
}
const mean = (values: number[][]) =>
  Array.from({ length: WIDTH }, (_, at) => values.reduce((sum, one) => sum + (one[at] ?? 0), 0))

describe('the matches of parts of a passage', () => {
  it('are MaxSim and the cosine of the means, as a naive reading of the formula gives them', () => {
    fc.assert(
      fc.property(rows, rows, fc.nat(), fc.nat(), (query, passage, from, to) => {
        const [start = 0, end = 0] = [from, to].map(at => at % (passage.length + 1)).sort((a, b) => a - b)
        const importance = query.map(() => 1 / query.length)
        const scales = passage.map((_, at) => 0.01 * (at + 1))
        const exact = passage.map((values, at) => values.map(value => value * (scales[at] ?? 0)))
        const part = exact.slice(start, end)
        const head = (values: number[]) => values.slice(0, MATCHED)
        const similarity = query
          .map((asked, at) => (importance[at] ?? 0) * Math.max(...part.map(own => cosine(head(asked), head(own)))))
          .reduce((sum, own) => sum + own, 0)
        const expected = part.length === 0 ? 0 : 12.2 * similarity + 9 * cosine(mean(query), mean(part))
        const asked = { vectors: vectors(query), importance }
        const [rounded = Number.NaN] = partMatches(asked, blocks(passage, scales), [{ start, end }], SETTINGS)
        expect(rounded).toBeCloseTo(expected, 3)
      }),
      { numRuns: 300 },
    )
  })

  it('are finite for vectors of zeros, and none for no parts', () => {
    const zeros = [[0, 0, 0, 0, 0]]
    const query = { vectors: vectors(zeros), importance: [1] }
    expect(partMatches(query, blocks(zeros), [{ start: 0, end: 1 }], SETTINGS)).toEqual([0])
    expect(partMatches(query, blocks(zeros), [], SETTINGS)).toEqual([])
  })
})

describe('the tokens of parts of a text', () => {
  /** A token for each word and each sign, as a tokenizer of words has it. */
  const encode = (text: string) =>
    [...text.matchAll(/\w+|[^\w\s]/gu)].map(([token]) => token.length * 31 + (token.charCodeAt(0) ?? 0))

  it('are all tokens, in order, when the parts are whole sentences', () => {
    const text = 'Title > Part\nThe pump is old. It stands in the hall! Does it run?'
    const cuts = [13, 30, 53, text.length]
    const parts = cuts.slice(1).map((end, at) => ({ start: cuts[at] ?? 0, end }))
    const ranges = rangesOfTokens(encode, text, encode(text), parts)
    expect(ranges).toEqual([
      { start: 3, end: 8 },
      { start: 8, end: 14 },
      { start: 14, end: 18 },
    ])
  })

  it('are unknown when a part ends inside a token', () => {
    expect(rangesOfTokens(encode, 'The pump is old.', encode('The pump is old.'), [{ start: 0, end: 6 }])).toBeNull()
  })

  it('agree with the tokens of the text for any parts between words', () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/u)
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (words, at) => {
          const text = words.join(' ')
          const starts = words.map((_, place) => words.slice(0, place).join(' ').length)
          const places = [...new Set(at.map(one => one % words.length))].sort((a, b) => a - b)
          const parts = places.map((place, index) => ({
            start: starts[place] ?? 0,
            end: starts[places[index + 1] ?? -1] ?? text.length,
          }))
          const ranges = rangesOfTokens(encode, text, encode(text), parts)
          expect(ranges?.map(({ start }) => start)).toEqual(places)
          expect(ranges?.at(-1)?.end ?? words.length).toBe(words.length)
        },
      ),
    )
  })
})
