import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { bestWindow } from '../../../src/pack/sentences/best-run.ts'
import { bestSentences } from '../../../src/pack/sentences/best-set.ts'
import { rowPartsOf } from '../../../src/pack/sentences/row-parts.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'

const newCost = (budget: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), budget)
const partsOf = (text: string) => rowPartsOf({ text, start: 7, end: 7 + text.length, kind: 'row' })

const LONG =
  '| `maxThreads` | The most requests that are answered at the same time by this part. The default is 200. With an executor it is not used at all. |\n'
const SHORT = '| `maxTrailer` | The length of the trailer. |\n'
const TABLE = `| Name | Meaning |\n| --- | --- |\n${SHORT}${LONG}${SHORT.replace('maxTrailer', 'minTrailer')}`

describe('the sentences of a row', () => {
  it('are the row in parts, of which the first has the first cells', () => {
    const parts = partsOf(LONG)
    expect(parts.map(({ text }) => text.trim())).toEqual([
      '| `maxThreads` | The most requests that are answered at the same time by this part.',
      'The default is 200.',
      'With an executor it is not used at all. |',
    ])
    expect(parts[0]?.start).toBe(7)
  })

  it('are none of a row with one sentence, without cells, or whose name alone has sentences', () => {
    for (const row of [SHORT, 'no cells. None at all.\n', '| One. Two. | three |\n', '| a \\| b. c. |\n'])
      expect(partsOf(row)).toEqual([])
  })

  it('are the row without loss, whatever it is', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom(...HOSTILE_TEXTS))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), cells => {
        const row = `| ${cells.join(' | ')} |`
        const parts = partsOf(row)
        if (parts.length > 0) expect(parts.map(part => part.text).join('')).toBe(row)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a row that does not fit', () => {
  const chunk = candidate({ id: 'a', text: TABLE })
  const shown = (room: number, matches: readonly number[], query: string | null = null) =>
    finish(bestSentences(chunk, query, matches, room, newCost(room))).map(({ start, end }) => TABLE.slice(start, end))

  it('comes with its name, its first sentence and the head of its table', () => {
    const text = shown(46, [0, 0, 0, 9, 0]).join('')
    expect(text).toMatch(/^\| Name \| Meaning \|\n\| --- \| --- \|\n\| `maxThreads` \| The most requests/)
    expect(text).not.toContain('Trailer')
  })

  it('has the sentence that the question asks for', () => {
    const text = shown(62, [0, 0, 0, 9, 0], 'Is the executor used?').join('')
    expect(text).toContain('| `maxThreads` | The most requests')
    expect(text).toContain('With an executor it is not used at all. |')
  })

  it('has the parts that fit rather than another row, when the question names it', () => {
    const text = shown(57, [0, 0, 3, 3, 3], 'What is maxThreads?').join('')
    expect(text).toContain('The default is 200.')
    expect(text).not.toContain('Trailer')
  })

  it('is whole where it fits', () => {
    expect(shown(90, [0, 0, 0, 9, 0]).join('')).toContain(LONG.trim())
  })

  it('is never shown without its beginning, and what is shown fits', () => {
    for (const query of [null, 'default of maxThreads', 'executor'])
      for (let room = 10; room < 80; room++) {
        const cost = newCost(room)
        for (const units of [
          finish(bestSentences(chunk, query, [0, 0, 1, 3, 0], room, cost)),
          finish(bestWindow(chunk, query, room, cost)),
        ]) {
          expect(finish(cost.costsOf(units)).reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(room)
          const text = units.map(({ start, end }) => TABLE.slice(start, end)).join('')
          if (/default is|executor/.test(text)) expect(text).toContain('| `maxThreads` | The most')
        }
      }
  })
})
