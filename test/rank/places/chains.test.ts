import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { chainsOf } from '../../../src/rank/places/chains.ts'

const chains = (texts: string[]) => finish(chainsOf(texts))

/** A text of words that are all different, so that no two places of it are alike. */
const textOf = (words: number) => Array.from({ length: words }, (_, at) => `word${at}x`).join(' ')

describe('chainsOf', () => {
  it('brings the chunks of a splitter with overlap into the order of the document', () => {
    const shuffled = fc.integer({ min: 2, max: 12 }).chain(count =>
      fc.record({
        sizes: fc.array(fc.integer({ min: 12, max: 40 }), { minLength: count, maxLength: count }),
        overlap: fc.integer({ min: 4, max: 10 }),
        order: fc.shuffledSubarray(
          Array.from({ length: count }, (_, at) => at),
          { minLength: count, maxLength: count },
        ),
      }),
    )
    fc.assert(
      fc.property(shuffled, ({ sizes, overlap, order }) => {
        const words = textOf(1_000).split(' ')
        let start = 0
        const chunks = sizes.map(size => {
          const chunk = words.slice(start, start + size).join(' ')
          start += size - overlap
          return chunk
        })
        const [chain = [], ...others] = chains(order.map(at => chunks[at] ?? ''))
        expect(others).toEqual([])
        expect(chain.map(place => order[place])).toEqual(sizes.map((_, at) => at))
      }),
    )
  })

  it('has each text in one chain, whatever the texts are', () => {
    const alike = fc.stringMatching(/^(?:[ab] ?){0,60}$/)
    const text = fc.oneof(alike, fc.constant('a rule of twenty letters '.repeat(3)), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 14 }), texts => {
        expect(
          chains(texts)
            .flat()
            .sort((a, b) => a - b),
        ).toEqual(texts.map((_, at) => at))
      }),
    )
  })

  it('leaves texts apart that share fewer than twenty characters, or no words', () => {
    expect(chains(['One thing. See above.', 'See above. Another.'])).toEqual([[0], [1]])
    const rule = '-'.repeat(30)
    expect(chains([`One\n${rule}`, `${rule}\nTwo`])).toEqual([[0], [1]])
  })

  it('takes the text that shares most, and of equals none, because a document can repeat a line', () => {
    const shared = 'the pump is stopped by the procedure for the mark'
    const last = shared.slice(-24)
    expect(chains([`A: ${shared}`, `${last} and so on`, `${shared} and no other`])).toEqual([[0, 2], [1]])
    expect(chains([`A: ${shared}`, `${shared} one`, `${shared} two`])).toEqual([[0], [1], [2]])
    expect(chains([`A: ${shared}`, `B: ${shared}`, `${shared} one`])).toEqual([[0], [1], [2]])
  })

  it('finds borders in text without spaces', () => {
    const [one, shared, other] = ['泵在午夜停止', '所有人必须按照标记的程序停止泵并且等待潮水到来为止', '然后回家休息']
    expect(chains([`${shared}${other}`, `${one}${shared}`])).toEqual([[1, 0]])
  })

  it('takes no longer where each text ends with the starts of many others', () => {
    const starts = Array.from({ length: 500 }, (_, at) => `${at} is the number of this text `)
    const texts = starts.map((start, at) => {
      const others = Array.from({ length: 90 }, (_, step) => starts[(at * 7 + step) % starts.length])
      return `${start}${`lamp${at} `.repeat(800)}${others.join('')}`
    })
    const began = performance.now()
    expect(chains(texts).flat()).toHaveLength(texts.length)
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('ends with texts in a circle', () => {
    const [x, y] = ['the first half of a circle', 'the other half of a circle']
    expect(chains([`${x} ${y}`, `${y} ${x}`]).flat()).toHaveLength(2)
  })
})
