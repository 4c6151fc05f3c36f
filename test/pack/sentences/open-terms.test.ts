import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { bestWindow } from '../../../src/pack/sentences/best-run.ts'
import { bestSentences } from '../../../src/pack/sentences/best-set.ts'
import type { Unit } from '../../../src/pack/unit.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'

const newCost = (room: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), room)
const shown = (units: readonly Unit[], text: string) => units.map(({ start, end }) => text.slice(start, end).trim())

/** What is chosen where the sentence with `wanted` matches best. */
function chosen(text: string, wanted: string, room: number): string[] {
  const matches = splitSentences(text).map(sentence => (sentence.text.includes(wanted) ? 8 : -4))
  return shown(finish(bestSentences(candidate({ id: 'a', text }), null, matches, room, newCost(room))), text)
}

const MANUAL = `     -i identity_file
             Selects the file from which the key is read.  This option
             is directly passed to ssh(1).

     -J destination
             Connect to the target host by a jump host first.  This is a
             shortcut of a directive.

             Several hosts are separated by commas.

     The options above are those of every version.
`

const DEFINITIONS = `\`memlock\` _megabytes_

Ignored for backward compatibility.

\`stacksize\` _pages_

Specifies the maximum size of the stack. Defaults to fifty pages of four kilobytes each.

The limits of the system hold as well.
`

describe('the term of a description', () => {
  it('comes with each sentence of the text that stands deeper, also of a later paragraph', () => {
    expect(chosen(MANUAL, 'shortcut', 24)).toEqual([
      '-J destination',
      'This is a\n             shortcut of a directive.',
    ])
    expect(chosen(MANUAL, 'commas', 24)).toEqual(['-J destination', 'Several hosts are separated by commas.'])
  })

  it('comes with the run of sentences that matches best', () => {
    const units = finish(bestWindow(candidate({ id: 'a', text: MANUAL }), 'separated by commas', 24, newCost(24)))
    expect(shown(units, MANUAL)).toContain('-J destination')
  })

  it('does not come with what stands as deep as itself', () => {
    expect(chosen(MANUAL, 'every version', 22)).toEqual(['The options above are those of every version.'])
  })

  it('comes with the paragraph below it where a list of definitions has no indentation, and with no other one', () => {
    expect(chosen(DEFINITIONS, 'kilobytes', 28)).toEqual([
      '`stacksize` _pages_',
      'Defaults to fifty pages of four kilobytes each.',
    ])
    expect(chosen(DEFINITIONS, 'system', 22)).toEqual(['The limits of the system hold as well.'])
  })

  it('is the innermost one of nested terms', () => {
    const text = `--bitmap
    How writes are noted. It has values that follow here.

    internal
        Stored with the data, at the end of each disk. Fast on all of the usual disks.
`
    expect(chosen(text, 'usual disks', 24)).toEqual(['internal', 'Fast on all of the usual disks.'])
  })

  it('is no sentence, no item of a list, no lead-in, and no plain line above a paragraph', () => {
    for (const line of ['It stands alone.', '- An item', 'You need these:']) {
      const text = `${line}\n\n    The first one is here. The second one is deeper.\n`
      expect(chosen(text, 'second', 18)).toEqual(['The second one is deeper.'])
    }
    expect(chosen('Yours truly\n\nThe first one is here. The second one is last.\n', 'second', 18)).toEqual([
      'The second one is last.',
    ])
  })

  it('is left out where it would take more than a quarter of the room', () => {
    const text = MANUAL.replace('-J destination', '-J [user@]host[:port][,[user@]host]')
    const parts = chosen(text, 'shortcut', 24)
    expect(parts[0]).toBe('This is a\n             shortcut of a directive.')
  })
})
