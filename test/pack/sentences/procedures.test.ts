import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { bestSentences } from '../../../src/pack/sentences/best-set.ts'
import { measureSentences } from '../../../src/pack/sentences/measured.ts'
import { proceduresOf } from '../../../src/pack/sentences/worth/procedures.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'

const ROOM = 200
const newCost = (room: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), room)

function procedures(text: string): string[][] {
  const chunk = candidate({ id: 'a', text })
  const { sentences } = finish(measureSentences(chunk, null, ROOM, newCost(ROOM)))
  const textAt = (place: number) => text.slice(sentences[place]?.start, sentences[place]?.end).trim()
  return proceduresOf(sentences, text).map(places => places.map(textAt))
}

/** What is chosen where the sentence with `wanted` matches best. */
function chosen(text: string, { wanted, room, asksForSteps }: { wanted: string; room: number; asksForSteps: boolean }) {
  const matches = splitSentences(text).map(sentence => (sentence.text.includes(wanted) ? 2 : 0))
  const units = finish(bestSentences(candidate({ id: 'a', text }), null, matches, room, newCost(room), asksForSteps))
  return units.map(({ start, end }) => text.slice(start, end).trim())
}

const PUMP = `The pump stands in the cellar below the old lamp room and needs two people.

1. Close the valve.

2. Open the drain.

3. Lift the pump.

The cellar is locked at night, and the keeper has the key of the door.
`

describe('the procedures of a chunk', () => {
  it('are numbered lists of three items or more', () => {
    expect(procedures(PUMP)).toEqual([['1. Close the valve.', '2. Open the drain.', '3. Lift the pump.']])
    expect(procedures('1. Close the valve.\n2. Open the drain.\n')).toEqual([])
    expect(procedures('- Close it.\n- Open it.\n- Lift it.\n')).toEqual([])
    expect(procedures('4. Close it.\n5. Open it.\n6. Lift it.\n')).toEqual([
      ['4. Close it.', '5. Open it.', '6. Lift it.'],
    ])
  })

  it('have all sentences, the code and the nested lists of their steps', () => {
    const text =
      '1. Stop the pump. Then wait for the green light.\n\n```\nstop now\n```\n\n2. Lift it:\n   1. by hand\n   2. by crane\n\n3. Start the pump. Then listen to its noise.\n'
    expect(procedures(text)).toEqual([
      [
        '1. Stop the pump. Then wait for the green light.',
        '```\nstop now\n```',
        '2. Lift it:',
        '1. by hand',
        '2. by crane',
        '3. Start the pump. Then listen to its noise.',
      ],
    ])
  })

  it('leave out notes between steps, and what stands behind the list', () => {
    const text = '1. Stop it.\n\nA note on the noise.\n\n2. Lift it.\n\n3. Start it.\n\nThat is all.\n'
    expect(procedures(text)).toEqual([['1. Stop it.', '2. Lift it.', '3. Start it.']])
  })

  it('leave out what stands deeper below another paragraph', () => {
    const text = '1. Stop it.\n\n2. Lift it.\n\n3. Start it.\n\nIn winter:\n\n    heat now\n'
    expect(procedures(text)).toEqual([['1. Stop it.', '2. Lift it.', '3. Start it.']])
  })

  it('end at a heading, at another number and at another column', () => {
    const [one, two, three] = ['1. Stop it.\n', '2. Lift it.\n', '3. Start it.\n']
    expect(procedures(`${one}${two}\n## Later\n\n${three}`)).toEqual([])
    expect(procedures(`${one}${two}\n${one}${two}${three}`)).toEqual([['1. Stop it.', '2. Lift it.', '3. Start it.']])
    expect(procedures(`   ${one}   ${two}${three}`)).toEqual([])
  })

  it('are disjoint, in reading order and without headings', () => {
    const line = fc.constantFrom(
      '1. a step.',
      '2. a step.',
      '3. a step.',
      '4. a step.',
      'Some text.',
      '',
      '   deeper.',
      '# Top',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), lines => {
        const text = lines.join('\n')
        const chunk = candidate({ id: 'a', text })
        const { sentences } = finish(measureSentences(chunk, null, ROOM, newCost(ROOM)))
        const places = proceduresOf(sentences, text).flat()
        expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
        for (const place of places) expect(sentences[place]?.isHeading).toBe(false)
      }),
    )
  })
})

describe('the steps of a chunk that is cut', () => {
  it('come together where the question asks how something is done', () => {
    const steps = ['1. Close the valve.', '2. Open the drain.', '3. Lift the pump.']
    expect(chosen(PUMP, { wanted: 'drain', room: 30, asksForSteps: true })).toEqual(steps)
    expect(chosen(PUMP, { wanted: 'cellar', room: 30, asksForSteps: true })).toEqual(steps)
  })

  it('begin with the first one where not all of them fit', () => {
    expect(chosen(PUMP, { wanted: 'Lift', room: 22, asksForSteps: true })).toEqual([
      '1. Close the valve.',
      '2. Open the drain.',
    ])
  })

  it('are chosen one by one for other questions', () => {
    expect(chosen(PUMP, { wanted: 'Lift', room: 16, asksForSteps: false })).toEqual(['3. Lift the pump.'])
  })
})
