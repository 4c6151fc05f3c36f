import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { sentenceUnits } from '../../../src/pack/sentences/units.ts'
import { textOf } from '../../../src/pack/unit.ts'
import { candidate } from '../../support/candidates.ts'

const unitsOf = (text: string) =>
  finish(sentenceUnits([candidate({ text })], 'lantern')).map(unit => textOf(unit).trim())

describe('sentenceUnits', () => {
  it('leaves out comments of HTML, also those of several sentences', () => {
    const text = '<!-- The lantern. Rewrite it. -->\n\nThe lantern is lit.\n\n<!-- ignore -->\nIt is written down.\n'
    expect(unitsOf(text).sort()).toEqual(['It is written down.', 'The lantern is lit.'])
  })

  it('keeps text beside a comment, and what has no end of a comment', () => {
    expect(unitsOf('The lantern <!-- old --> is lit.')).toEqual(['The lantern <!-- old --> is lit.'])
    expect(unitsOf('<!-- The lantern is lit.')).toEqual(['<!-- The lantern is lit.'])
  })
})
