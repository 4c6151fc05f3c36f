import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { CONTEXT_FORMATS } from '../../src/core/types.ts'
import { behindHeadings } from '../../src/pack/behind-heading.ts'
import { pack as packInSteps } from '../../src/pack/pack.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'
import { PLAIN_PACKING as PLAIN } from '../support/pack-options.ts'

const PATH = 'Pumps > Mark `V`'
const SHOWN = 'The Mark V is old. It stands in the hall.'

function shownOf(text: string, { sectionPath = PATH, budget = 400 } = {}): string {
  const [first] = behindHeadings([candidate({ id: 'a', text, sectionPath })], budget)
  return text.slice(first?.textStart ?? 0)
}

describe('a heading at the beginning of a chunk', () => {
  it.each([
    ['with signs', `## Mark V\n\n${SHOWN}`],
    ['with signs behind it and marks in it', `  ### **Mark** V ##\n${SHOWN}`],
    ['with a line below it', `Mark V\n======\n\n${SHOWN}`],
  ])('%s is left out where the source line has it', (_, text) => {
    expect(shownOf(text)).toBe(SHOWN)
  })

  it.each([
    ['of another name', `## Mark VI\n\n${SHOWN}`, {}],
    ['that is not the last one of the path', `## Pumps\n\n${SHOWN}`, {}],
    ['without a text below it', '## Mark V\n\n', {}],
    [
      'that the source line may shorten',
      `## ${'Mark '.repeat(10)}V\n\n${SHOWN}`,
      { sectionPath: `${'Mark '.repeat(10)}V`, budget: 80 },
    ],
    ['of a chunk without a section', `## Mark V\n\n${SHOWN}`, { sectionPath: '' }],
    ['of signs alone', `## ---\n\n${SHOWN}`, { sectionPath: 'Pumps > ---' }],
    ['that is text', `Mark V\n\n${SHOWN}`, {}],
  ])('%s stays', (_, text, over) => {
    expect(shownOf(text, over)).toBe(text)
  })

  it('stays in hostile texts or leaves a text', () => {
    for (const text of HOSTILE_TEXTS) {
      const whole = `## Mark V\n${text}`
      if (whole.trim() !== '## Mark V') expect(shownOf(whole).trim()).not.toBe('')
    }
  })

  it.each(CONTEXT_FORMATS)(
    'is once in a context of the format %s, whole or cut, and its tokens are room for text',
    format => {
      const text = `## Mark V\n\n${SHOWN} The lamps are lit. The gate opens at nine.`
      fc.assert(
        fc.property(fc.integer({ min: 5, max: 60 }), fc.boolean(), (budgetTokens, repeatHeading) => {
          const pool = [candidate({ id: 'a', docTitle: '', sectionPath: 'Mark V', text })]
          const options = { ...PLAIN, format, budgetTokens, repeatHeading }
          const { context, tokens, packed } = finish(packInSteps(pool, null, options, inSteps(countWords)))
          expect(tokens).toBeLessThanOrEqual(budgetTokens)
          if (!repeatHeading) expect(context).not.toContain('## Mark V')
          const kept = packed.flatMap(({ spans }) => spans.map(({ start, end }) => text.slice(start, end).trim()))
          for (const part of kept) expect(packed[0]?.text).toContain(part)
        }),
      )
    },
  )
})
