import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CONTEXT_FORMATS, type ContextFormat } from '../../../src/core/types.ts'
import { behindHeadings } from '../../../src/pack/headings/behind-heading.ts'
import { pack as packInSteps } from '../../../src/pack/pack.ts'
import { longestNameIn, RENDERERS } from '../../../src/pack/render.ts'
import { candidate, countWords, inSteps } from '../../support/candidates.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'
import { PLAIN_PACKING as PLAIN } from '../../support/pack-options.ts'

const PATH = 'Pumps > Mark `V`'
const SHOWN = 'The Mark V is old. It stands in the hall.'

function shownOf(
  text: string,
  { sectionPath = PATH, docTitle = 'Manual', format = 'markdown' as ContextFormat, budget = 400 } = {},
): string {
  const [first] = behindHeadings([candidate({ id: 'a', text, docTitle, sectionPath })], RENDERERS[format], budget)
  return text.slice(first?.textStart ?? 0)
}

describe('a heading at the beginning of a chunk', () => {
  it.each([
    ['with signs', `## Mark V\n\n${SHOWN}`],
    ['with signs behind it and marks in it', `  ### **Mark** V ##\n${SHOWN}`],
    ['with the one above it', `# Pumps\n\n## Mark V\n\n${SHOWN}`],
    ['with a line below it', `Mark V\n======\n\n${SHOWN}`],
    ['with a line above and below it', `======\nMark V\n======\n${SHOWN}`],
    ['with a line above and below it, indented', `=========\n Mark V\n=========\n\n${SHOWN}`],
    ['with signs of equality', `== Mark V\n\n${SHOWN}`],
    ['with signs of equality at both ends', `= Pumps =\n=== '''Mark''' V ===\n${SHOWN}`.replaceAll("'''", '**')],
    ['with a link in it', `## [Mark](https://pump.example/v) V\n\n${SHOWN}`],
    ['with a rule below it', `# Mark V\n\n-----\n\n${SHOWN}`],
    ['with another rule below it, and the one above it', `# Pumps\n* * *\n\n## Mark V\n * * *\n\n${SHOWN}`],
    ['in capitals, without signs', `MARK V\n${SHOWN}`],
    ['with an anchor of reStructuredText above it', `.. _mark-v:\n\n======\nMark V\n======\n\n${SHOWN}`],
    ['with anchors of AsciiDoc above each one', `[[pumps]]\n= Pumps\n\n[#mark-v]\n== Mark V\n\n${SHOWN}`],
  ])('%s is left out where the source line has it', (_, text) => {
    expect(shownOf(text)).toBe(SHOWN)
  })

  it.each([
    ['a number and no signs', '2.1. Mark V', `2.1.  Mark V\n\n${SHOWN}`],
    ['a number below another one', '2. Pumps > 2.1. Mark V', `2.  Pumps\n\n2.1.  Mark V\n\n${SHOWN}`],
    ['a word with a number', '§ 3 Mark V', `§ 3 Mark V\n${SHOWN}`],
    ['a number above its name', 'Article 2 Mark V', `Article 2\nMark V\n\n${SHOWN}`],
    ['a number and a line below it', '2.25.0 (2020-11-11)', `2.25.0 (2020-11-11)\n-------------------\n\n${SHOWN}`],
    [
      'a role of reStructuredText',
      'Open gates with Gate',
      `Open :ref:\`gates <g>\` with :class:\`~Gate\`\n${'~'.repeat(50)}\n\n${SHOWN}`,
    ],
    ['capitals and a line below it', 'MARK V', `MARK V\n======\n${SHOWN}`],
  ])('with %s, is left out where the source line has it', (_, sectionPath, text) => {
    expect(shownOf(text, { sectionPath })).toBe(SHOWN)
  })

  it('leaves a rule that begins something', () => {
    expect(shownOf('## Mark V\n\n---\nname: V\n---\n\nText.')).toBe('---\nname: V\n---\n\nText.')
    expect(shownOf('## Mark V\n\n- - a\n\nText.')).toBe('- - a\n\nText.')
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
    ['with another one above it', `# Lamps\n\n## Mark V\n\n${SHOWN}`, {}],
    ['with an address above it', `.. _pump: https://pump.example\n\n## Mark V\n\n${SHOWN}`, {}],
    ['that is none, below an anchor', `.. _pump:\n\n${SHOWN}`, {}],
    ['with other signs', `## C++\n\n${SHOWN}`, { sectionPath: 'Languages > C' }],
    [
      'with a number that the source line leaves out',
      `# 4. Setup\n\n${SHOWN}`,
      { sectionPath: '4. Setup', docTitle: 'Setup — Site' },
    ],
    ['that is text', `Mark V\n\n${SHOWN}`, {}],
  ])('%s stays', (_, text, over) => {
    expect(shownOf(text, over)).toBe(text)
  })

  it('leaves a heading below it', () => {
    expect(shownOf(`## Mark V\n\n### Size\n\n${SHOWN}`)).toBe(`### Size\n\n${SHOWN}`)
  })

  it('leaves what is below it as it is, with its indentation', () => {
    expect(shownOf('## Mark V\n\n    start()\n    stop()')).toBe('    start()\n    stop()')
  })

  it('is left out only where its words are in the source line, at any budget and in any format', () => {
    const titles = [
      '',
      'Setup — Site',
      'Configuration options — The Great Pelican Handbook of Operations and Maintenance',
    ]
    for (const heading of ['4. Setup', 'Setup', 'Configuration options', `${'A long name '.repeat(6)}of it`])
      for (const docTitle of titles)
        for (const sectionPath of [heading, `Handbook of the Hall > ${heading}`])
          for (const format of CONTEXT_FORMATS)
            for (let budget = 1; budget <= 400; budget += 3) {
              const text = `# ${heading}\n\n${SHOWN}`
              if (shownOf(text, { docTitle, sectionPath, format, budget }) === text) continue
              const block = {
                docId: 'doc',
                docTitle,
                pageTitle: undefined,
                sourceName: undefined,
                sectionPath,
                relevance: null,
                contextField: '',
              }
              expect(RENDERERS[format].open({ ...block, longestName: longestNameIn(budget) }, 1)).toContain(heading)
            }
  })

  it('joins neighbours of one section as without it, without a gap mark', () => {
    const parts = ['First part is here.', 'Second one.', 'Third one.']
    const pool = parts.map((part, at) =>
      candidate({
        id: `${at}`,
        docId: 'doc',
        docTitle: '',
        sectionPath: 'Example',
        orderIndex: at,
        text: `## Example\n\n${part}`,
      }),
    )
    const options = { ...PLAIN, budgetTokens: 100, repeatHeading: false }
    const { context } = finish(packInSteps(pool, null, options, inSteps(countWords)))
    expect(context).toBe(`[1] doc > Example\n${parts.join('\n\n')}\n`)
  })

  it('stays in hostile texts or leaves a text, in linear time', () => {
    for (const text of [...HOSTILE_TEXTS, `${' '.repeat(50_000)}x`, `${' #'.repeat(50_000)}x`])
      for (const whole of [`## Mark V\n${text}`, `## ${text}`, `# x${text}`])
        if (whole.trim() !== '## Mark V' && whole.trim() !== '##') expect(shownOf(whole).trim()).not.toBe('')
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
