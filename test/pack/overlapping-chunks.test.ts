import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { pack } from '../../src/pack/pack.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { PLAIN_PACKING } from '../support/pack-options.ts'

/** A document of sentences that all differ: its places in the context can be told from the words. */
const document = fc.record({
  /** Words of each sentence. */
  sentences: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 4, maxLength: 24 }),
  /** Sentences that a chunk adds. */
  step: fc.integer({ min: 1, max: 6 }),
  /** Words that a chunk repeats of the one before. */
  repeated: fc.integer({ min: 0, max: 20 }),
  values: fc.infiniteStream(fc.integer({ min: 1, max: 999 })),
  knowsPlaces: fc.boolean(),
})

const rules = fc.record({
  mode: fc.constantFrom('passage' as const, 'sentence' as const),
  repetition: fc.constantFrom('section' as const, 'off' as const),
  /** How well a sentence matches the question. */
  matches: fc.infiniteStream(fc.integer({ min: -5, max: 5 })).map(stream => () => stream.next().value ?? 0),
})

describe('a document in overlapping chunks', () => {
  it('has each of its words at most once in the context, at any budget', () => {
    fc.assert(
      fc.property(document, fc.integer({ min: 5, max: 120 }), rules, (world, budgetTokens, { matches, ...rule }) => {
        const pool = chunksOf(world)
        const sentenceMatches = new Map(pool.map(({ key }) => [key, Array.from({ length: 30 }, matches)]))
        const options = { ...PLAIN_PACKING, ...rule, budgetTokens, sentenceMatches }
        const { context } = finish(pack(pool, 'w3 w17 w30', options, inSteps(countWords)))
        const words = context.match(/w\d+/gi) ?? []
        expect(words).toEqual([...new Set(words)])
        expect(words).toEqual([...words].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))))
      }),
      { numRuns: 500 },
    )
  })
})

function chunksOf({
  sentences,
  step,
  repeated,
  values,
  knowsPlaces,
}: typeof document extends fc.Arbitrary<infer World> ? World : never) {
  let word = 0
  const texts = sentences.map(
    length =>
      `W${Array.from({ length }, () => `w${word++}`)
        .join(' ')
        .slice(1)}. `,
  )
  const text = texts.join('').trimEnd()
  const places = [0]
  for (const sentence of texts) places.push((places.at(-1) ?? 0) + sentence.length)
  const pool: Candidate[] = []
  for (let from = 0; from < texts.length; from += step) {
    const begin = places[from] ?? 0
    const before = text.slice(0, begin).split(/(?<= )/u)
    // At most the text of the chunk before, without its first word: each chunk begins behind the start of the last one.
    const previous = text.slice(places[Math.max(0, from - step)] ?? 0, begin).split(/(?<= )/u).length - 1
    const length = from === 0 ? 0 : before.slice(before.length - Math.min(repeated, previous)).join('').length
    // Without places, a shorter repetition could be chance, and stays.
    const charStart = begin - (knowsPlaces || length >= 12 ? length : 0)
    const charEnd = Math.min(places[from + step] ?? text.length, text.length)
    const place = knowsPlaces ? { charStart, charEnd } : {}
    const over = { id: pool.length + 1, orderIndex: pool.length, text: text.slice(charStart, charEnd), ...place }
    pool.push(candidate(over, (values.next().value ?? 1) / 1000))
  }
  return pool.sort((a, b) => b.value - a.value)
}
