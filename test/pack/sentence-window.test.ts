import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { CostModel } from '../../src/pack/cost.ts'
import { type PackOptions, pack } from '../../src/pack/pack.ts'
import { RENDERERS } from '../../src/pack/render.ts'
import { bestWindow } from '../../src/pack/sentence-window.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { splitSentences } from '../../src/text/sentences.ts'
import { terms } from '../../src/text/terms.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'

const QUERY = 'harbour tide'

const options = (budgetTokens: number): PackOptions => ({
  ...NAMED_PLANS.measured.packing,
  budgetTokens,
  maxChunks: null,
  format: 'markdown',
  order: 'relevance',
})

const newCost = (budget: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), budget)

function windowIn(text: string, query: string | null, room: number): string[] {
  const units = finish(bestWindow(candidate({ id: 'a', text }), query, room, newCost(room)))
  return units.map(({ start, end }) => text.slice(start, end).trim())
}

const sentence = fc
  .array(fc.constantFrom('harbour', 'tide', 'pump', 'gate', 'lamp', 'stone'), { minLength: 1, maxLength: 6 })
  .map(words => `The ${words.join(' ')}.`)
const prose = fc.array(sentence, { minLength: 1, maxLength: 12 }).map(sentences => sentences.join(' '))

describe('the best run of sentences of a chunk', () => {
  it('fits, and scores as much as the best of all runs that fit', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 5, max: 60 }), (text, room) => {
        const chunk = candidate({ id: 'a', text })
        const cost = newCost(room)
        const units = finish(bestWindow(chunk, QUERY, room, cost))
        const unit = units[0] && { start: units[0].start, end: units.at(-1)?.end ?? 0 }
        for (const [at, { start }] of units.entries()) if (at > 0) expect(start).toBe(units[at - 1]?.end)
        const sentences = splitSentences(text)
        const fits = (start: number, end: number) =>
          finish(cost.costOf({ candidate: chunk, start, end, value: 1 })) <= room
        const runs = sentences.flatMap(({ start }, from) =>
          sentences.slice(from).map(({ end }, size) => ({ start, end, size: size + 1 })),
        )
        const fitting = runs.filter(({ start, end }) => fits(start, end))
        if (!unit) {
          expect(fitting).toEqual([])
          return
        }
        expect(fits(unit.start, unit.end)).toBe(true)
        const score = scorer(sentences.map(({ text }) => text))
        const best = Math.max(...fitting.map(({ start, end }) => score(text.slice(start, end))))
        // The estimate of a run adds up its sentences, so the longest run may have one sentence less than fits.
        const shorter = Math.max(
          0,
          ...runs
            .filter(({ start, end }) => finish(cost.costOf({ candidate: chunk, start, end, value: 1 })) <= room - 2)
            .map(({ start, end }) => score(text.slice(start, end))),
        )
        expect(fits(unit.start, unit.end)).toBe(true)
        expect(score(text.slice(unit.start, unit.end))).toBeGreaterThanOrEqual(shorter - 1e-9)
        expect(score(text.slice(unit.start, unit.end))).toBeLessThanOrEqual(best + 1e-9)
      }),
      { numRuns: 300 },
    )
  })

  const TABLE = [
    'Sizes of the pumps.',
    '',
    '| pump | casks |',
    '| --- | --- |',
    ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map(name => `| Mark ${name} | 1${name} |`),
  ].join('\n')

  it('in a table comes with the head of the table', () => {
    const found = windowIn(TABLE, 'Mark seven', 40)
    expect(found.slice(0, 2)).toEqual(['| pump | casks |', '| --- | --- |'])
    expect(found.slice(2).join()).toContain('Mark seven')
  })

  it('does not end with a heading or a lead-in, and is never only these', () => {
    const text =
      '## Pumps\n\nThe old pump stands. It is worn out and loud. You need:\n\n- a rod\n- a bell and two brass weights'
    for (let room = 5; room < 60; room++)
      expect(windowIn(text, 'what do you need for the pumps', room).at(-1) ?? '').not.toMatch(/(?:Pumps|need:)$/u)
  })

  it.each([
    [
      'a question that ends its paragraph',
      'The old pump stands here.\n\nWho may open the pump?\n\n- only the keeper of the pump may open it',
    ],
    ['a label', 'The old pump may stand.\n\n**Note**\n\nOnly the keeper of the old pump may open it.'],
  ])('does not end with %s', (_, text) => {
    for (let room = 5; room < 60; room++)
      expect(windowIn(text, 'who may open the pump note', room).at(-1) ?? '').not.toMatch(/(?:pump\?|Note\W*)$/u)
  })
})

describe('a budget below the best chunk', () => {
  it('holds the best sentences of the best chunk before anything of less value', () => {
    fc.assert(
      fc.property(
        fc.array(prose, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 25, max: 60 }),
        (texts, budget) => {
          const pool = texts.map((text, at) => candidate({ id: `c${at}`, docId: `d${at}`, text }, 1 - at / 10))
          const { packed } = finish(pack(pool, QUERY, options(budget), inSteps(countWords)))
          const fitsOne = splitSentences(texts[0] ?? '').some(({ text }) => countWords(text) <= budget - 20)
          if (fitsOne) expect(packed.map(({ candidate: { key } }) => key)).toContain(pool[0]?.key)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('holds the sentence that answers, not a smaller chunk', () => {
    const filler = 'The Pump Office keeps the books of every hall and of every bell. '.repeat(6)
    const best = candidate({ id: 'a', docId: 'a', text: `${filler}The red handle lifts the stop. ${filler}` }, 1)
    const small = candidate({ id: 'b', docId: 'b', text: 'Lamps are lit at dusk.' }, 0.2)
    const { context } = finish(pack([best, small], 'what does the red handle do', options(50), inSteps(countWords)))
    expect(context).toContain('The red handle lifts the stop.')
  })

  it('packs no more chunks than allowed when it cuts one', () => {
    const long = (id: string, value: number) => candidate({ id, docId: id, text: 'The tide turns. '.repeat(30) }, value)
    const pool = [
      candidate({ id: 'a', docId: 'a', text: 'The tide.' }, 1),
      long('b', 0.9),
      candidate({ id: 'c', docId: 'c', text: 'The harbour.' }, 0.8),
    ]
    const { packed } = finish(pack(pool, QUERY, { ...options(80), maxChunks: 2 }, inSteps(countWords)))
    expect(packed).toHaveLength(2)
  })
})

/** The score of a text, computed anew for each. */
function scorer(sentences: string[]) {
  const wanted = [...new Set(terms(QUERY))]
  const idf = wanted.map(term => {
    const holders = sentences.filter(text => terms(text).includes(term)).length
    return Math.log(1 + (sentences.length - holders + 0.5) / (holders + 0.5))
  })
  return (text: string) =>
    wanted.reduce((sum, term, at) => {
      const count = terms(text).filter(other => other === term).length
      return sum + ((idf[at] ?? 0) * count * 2.2) / (count + 1.2)
    }, 0)
}
