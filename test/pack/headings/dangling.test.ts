import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chunk } from '../../../src/core/types.ts'
import { withoutDanglingHeadings } from '../../../src/pack/headings/dangling.ts'
import { joinUnits } from '../../../src/pack/layout.ts'
import { textOf, wholeChunk } from '../../../src/pack/unit.ts'
import { candidate } from '../../support/candidates.ts'

const unitOf = (text: string, orderIndex = 0, over: Partial<Chunk> = {}) =>
  wholeChunk(candidate({ id: orderIndex, orderIndex, text, ...over }))
const shown = (text: string, over?: Partial<Chunk>) =>
  withoutDanglingHeadings([unitOf(text, 0, over)]).map(unit => joinUnits([unit])[0]?.text)

describe('withoutDanglingHeadings', () => {
  it.each([
    ['a heading', 'The pump stops.\n\n## Lamps'],
    ['several headings', 'The pump stops.\n\n## Lamps\n\n### Oil\n'],
    ['a heading that is underlined', 'The pump stops.\n\nLamps\n-----'],
    ['an anchor', 'The pump stops.\n\n.. _lamps:'],
    ['a heading and the anchor of the next one', 'The pump stops.\n\nLamps\n~~~~~\n\n.. _oil:\n'],
    ['a heading with a line above and below', 'The pump stops.\n\n=====\nLamps\n====='],
    ['lines that end in CRLF', 'The pump stops.\r\n\r\n## Lamps\r\n'],
  ])('leaves out %s at the end', (_, text) => {
    expect(shown(text)).toEqual(['The pump stops.'])
  })

  it.each([
    ['nothing but headings', '# Pumps\n\n## Lamps'],
    ['text behind the heading', '## Lamps\n\nThey burn oil.'],
    ['bold words in a sentence', 'The pump stops.\n\n**Never** touch it.'],
    ['a comment in code that is open', 'Run this:\n\n```sh\npump stop\n\n# then the lamps'],
    ['a table', 'Pumps:\n\n| a | b |\n|---|---|'],
    ['a hash without a space', 'The pump stops.\n\n#lamps'],
    ['a target with an address', 'The pump stops.\n\n.. _lamps: https://lamps.example'],
    ['a link of a wiki', 'The pump stops.\n\n[[Oil Lamps]]'],
    ['a line in bold, which may be the answer', 'May two pumps run at once?\n\n**Yes**'],
    ['a comment of settings', 'lamps:\n  oil: 3\n\n# pumps: 4'],
    ['a comment of a script', 'pump stop\nlamp light\n\n# then oil it'],
    ['a sentence above a horizontal rule', 'The pump stops.\n\nIt needs two hours.\n---'],
    ['words above a horizontal rule', 'The pump stops.\n\nAfter two hours\n---'],
    ['a value above a line', 'The pump stops.\n\nTotal: 300 EUR\n--------------'],
    ['a long line that begins like a heading', `The pump stops.\n\n## ${'lamps, '.repeat(60)}etc`],
  ])('keeps %s', (_, text) => {
    expect(shown(text)).toEqual([text])
  })

  it('keeps the headings of empty sections', () => {
    expect(shown('The pump stops.\n\n## Lamps\n\n## Oil\n\n## Tides')).toEqual([
      'The pump stops.\n\n## Lamps\n\n## Oil',
    ])
  })

  it('looks at the end of a text alone, in linear time', () => {
    const lines = Array.from({ length: 40 }, () => 'word '.repeat(16).trim()).join('\n')
    const units = Array.from({ length: 200 }, (_, at) => unitOf(`${at} ${lines}`, 2 * at))
    const start = performance.now()
    expect(withoutDanglingHeadings(units)).toEqual(units)
    // One unit took 50 ms with a pattern that divided each line in all ways.
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('keeps comments of files of code and settings', () => {
    const file = { docId: 'conf/pump.yaml', docTitle: 'pump.yaml', header: '' }
    expect(shown('port: 80\n\n# The lamps', file)).toEqual(['port: 80\n\n# The lamps'])
  })

  it('keeps a heading when what is below it follows', () => {
    const units = [unitOf('The pump stops.\n\n## Lamps'), unitOf('They burn oil.', 1)]
    expect(withoutDanglingHeadings(units)).toEqual(units)
    const apart = [unitOf('The pump stops.\n\n## Lamps'), unitOf('They burn oil.', 2)]
    expect(withoutDanglingHeadings(apart).map(textOf)).toEqual(['The pump stops.', 'They burn oil.'])
  })

  it('shortens any text at its end only, and never to nothing', () => {
    const line = fc.constantFrom('## Lamps', '**Oil**', 'Text.', '', '', '```', '---', 'Title', '| a |', '> quote')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), lines => {
        const text = lines.join('\n')
        const [unit] = withoutDanglingHeadings([unitOf(text)])
        const left = unit === undefined ? '' : textOf(unit)
        expect(text.startsWith(left)).toBe(true)
        expect(left.trim() === '').toBe(text.trim() === '')
      }),
    )
  })
})
