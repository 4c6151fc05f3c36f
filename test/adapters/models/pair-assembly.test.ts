import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assemblePair, assembleSingle, learnTemplate } from '../../../src/adapters/models/pair-assembly.ts'

/** Samples as BERT and RoBERTa encode the pair ("a", "a"), whose token is 5. */
const bert = learnTemplate({ ids: [2, 5, 3, 5, 3], types: [0, 0, 0, 1, 1] }, { query: [5], passage: [5] })
const roberta = learnTemplate({ ids: [0, 5, 2, 2, 5, 2], types: [] }, { query: [5], passage: [5] })
const single = learnTemplate({ ids: [2, 5, 3], types: [0, 0, 0] }, { passage: [5] })

const tokens = (low: number) => fc.array(fc.integer({ min: low, max: low + 99 }), { maxLength: 60 })

describe('pair assembly', () => {
  it('wraps a pair as the tokenizer does', () => {
    expect(assemblePair(bert, [10, 11], [20], 64)).toEqual({ ids: [2, 10, 11, 3, 20, 3], types: [0, 0, 0, 0, 1, 1] })
    expect(assemblePair(roberta, [10], [20], 64).ids).toEqual([0, 10, 2, 2, 20, 2])
    expect(assembleSingle(single, [10, 11, 12], 4).ids).toEqual([2, 10, 11, 3])
  })

  it('keeps the specials, fills the window, and never starves the passage', () => {
    fc.assert(
      fc.property(tokens(100), tokens(200), fc.integer({ min: 8, max: 80 }), (query, passage, maxTokens) => {
        const { ids, types } = assemblePair(bert, query, passage, maxTokens)
        const room = maxTokens - 3
        expect(ids.length).toBe(Math.min(maxTokens, query.length + passage.length + 3))
        expect(types.length).toBe(ids.length)
        expect([ids[0], ids.at(-1), ids.filter(id => id === 3).length]).toEqual([2, 3, 2])
        const keptQuery = ids.filter(id => id >= 100 && id < 200)
        const keptPassage = ids.filter(id => id >= 200)
        expect(query.slice(0, keptQuery.length)).toEqual(keptQuery)
        expect(passage.slice(0, keptPassage.length)).toEqual(keptPassage)
        expect(keptPassage.length).toBeGreaterThanOrEqual(Math.min(passage.length, Math.ceil((room * 2) / 3)))
        expect(keptQuery.length).toBeGreaterThanOrEqual(Math.min(query.length, Math.floor(room / 3)))
      }),
    )
  })

  it('refuses a tokenizer that it does not understand', () => {
    expect(() => learnTemplate({ ids: [2, 9, 3], types: [] }, { passage: [5] })).toThrow(/tokenizer/)
  })
})
